// The inputs of a pile as people write them: [{"command":"push","body":7,"right":-20,"up":100}].

#include "pile.hpp"

#include <isotick/core/input_text.hpp>

#include <algorithm>
#include <stdexcept>

#include <cereal/types/vector.hpp>

namespace isotick::core::reference {
namespace {

using pile::Command;
using pile::CommandKind;
using pile::CommandReader;

enum class Verb : std::uint8_t { missing = 0xff };

const char* isotick_enum_name(Verb verb) {
    switch (static_cast<CommandKind>(verb)) {
        case CommandKind::push:
            return "push";
        case CommandKind::drop:
            return "drop";
    }
    return "";
}

struct CommandText {
    Verb command = Verb::missing;
    Command values;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(command), cereal::make_nvp("body", values.body));
        if (static_cast<CommandKind>(command) == CommandKind::push) {
            archive(cereal::make_nvp("right", values.right), cereal::make_nvp("up", values.up));
        } else {
            archive(cereal::make_nvp("x", values.x));
        }
    }
};

std::vector<std::uint8_t> as_bytes(const std::vector<CommandText>& commands) {
    if (commands.size() > CommandReader::kMostCommands) {
        throw std::invalid_argument("at most 16 commands are obeyed at a time");
    }
    std::vector<std::uint8_t> bytes;
    for (const CommandText& text : commands) {
        Command command = text.values;
        command.kind = static_cast<CommandKind>(text.command);
        if (command.kind > CommandKind::drop) {
            throw std::invalid_argument("command: there are push and drop");
        }
        append_command(command, bytes);
    }
    return bytes;
}

}  // namespace

std::string Pile::describe_input(std::uint32_t player, std::span<const std::uint8_t> bytes) {
    if (player == ISOTICK_WORLD) {
        throw std::invalid_argument("the world commands nothing");
    }
    std::vector<CommandText> commands;
    CommandReader reader(bytes);
    while (const auto command = reader.next()) {
        commands.push_back({static_cast<Verb>(command->kind), *command});
    }
    if (!std::ranges::equal(as_bytes(commands), bytes)) {
        throw std::invalid_argument("not all of these bytes are commands");
    }
    return to_json(commands);
}

std::vector<std::uint8_t> Pile::compose_input(std::uint32_t player, std::string_view json) {
    if (player == ISOTICK_WORLD) {
        throw std::invalid_argument("the world commands nothing");
    }
    return as_bytes(from_json<std::vector<CommandText>>(json));
}

}  // namespace isotick::core::reference
