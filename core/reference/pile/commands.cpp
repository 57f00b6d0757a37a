#include "commands.hpp"

namespace isotick::core::reference::pile {
namespace {

constexpr std::size_t kPushLength = 5;
constexpr std::size_t kDropLength = 4;

}  // namespace

std::optional<Command> CommandReader::next() {
    const bool readable = !rest_.empty() && taken_ < kMostCommands &&
                          rest_[0] <= static_cast<std::uint8_t>(CommandKind::drop);
    if (!readable) {
        return std::nullopt;
    }
    Command command{.kind = static_cast<CommandKind>(rest_[0])};
    const bool is_push = command.kind == CommandKind::push;
    const std::size_t length = is_push ? kPushLength : kDropLength;
    if (rest_.size() < length) {
        return std::nullopt;
    }
    command.body = static_cast<std::uint16_t>(rest_[1] | rest_[2] << 8);
    if (is_push) {
        command.right = static_cast<std::int8_t>(rest_[3]);
        command.up = static_cast<std::int8_t>(rest_[4]);
    } else {
        command.x = rest_[3];
    }
    rest_ = rest_.subspan(length);
    ++taken_;
    return command;
}

void append_command(const Command& command, std::vector<std::uint8_t>& bytes) {
    bytes.push_back(static_cast<std::uint8_t>(command.kind));
    bytes.push_back(static_cast<std::uint8_t>(command.body & 0xff));
    bytes.push_back(static_cast<std::uint8_t>(command.body >> 8));
    if (command.kind == CommandKind::push) {
        bytes.push_back(static_cast<std::uint8_t>(command.right));
        bytes.push_back(static_cast<std::uint8_t>(command.up));
    } else {
        bytes.push_back(command.x);
    }
}

}  // namespace isotick::core::reference::pile
