#pragma once
// A player's input to a pile: a list of commands, and how it is written as bytes.
//
//     command  = push | drop
//     push     = 0 body right up    changes the body's velocity; right and up are one signed byte
//                                   each, in 1/16 m/s
//     drop     = 1 body x           takes the body up under the ceiling and lets go of it there; x
//                                   is one byte, in 1/256 of the width
//     body     = two bytes, little-endian, modulo the number of bodies

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::core::reference::pile {

enum class CommandKind : std::uint8_t { push = 0, drop = 1 };

struct Command {
    CommandKind kind = CommandKind::push;
    std::uint16_t body = 0;
    std::int8_t right = 0;
    std::int8_t up = 0;
    std::uint8_t x = 0;
};

/// Takes commands off an input, which may be any bytes at all. What cannot be a command, and
/// everything after it, is ignored; so is everything after kMostCommands commands.
class CommandReader {
  public:
    static constexpr std::uint32_t kMostCommands = 16;

    /// `bytes` must stay valid while the reader is in use.
    explicit CommandReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    /// The next command; none at the end.
    [[nodiscard]] std::optional<Command> next();

  private:
    std::span<const std::uint8_t> rest_;
    std::uint32_t taken_ = 0;
};

/// Appends `command` to `bytes` as CommandReader reads it.
void append_command(const Command& command, std::vector<std::uint8_t>& bytes);

}  // namespace isotick::core::reference::pile
