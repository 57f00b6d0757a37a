#pragma once
// A program that is run to its end, with limits: git, or a user's build.

#include "process.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

struct Command {
    std::vector<std::string> words;        ///< the program, found in PATH, and its arguments
    std::vector<std::string> environment;  ///< all of it, each `KEY=VALUE`
    std::string folder;                    ///< to run in; empty: this process' own
    int output = -1;                       ///< its stdout; -1: nowhere
    int errors = -1;                       ///< its stderr; may be the same
    std::uint64_t timeout_ms = 0;          ///< 0: as long as it takes
    std::uint64_t most_output = 0;         ///< bytes in `output`, a file; 0: any number
    std::uint64_t memory_limit = 0;        ///< bytes for each of its processes; 0: none
    std::function<bool()> stop;            ///< asked now and then: is it to be ended?
};

/// How a command ended. Unless `ended`, it and what it had started were killed.
enum class CommandEnd { ended, timed_out, printed_too_much, stopped };

struct CommandResult {
    CommandEnd end = CommandEnd::ended;
    ProcessEnd process;
};

/// What a search fails with when the user has had enough.
[[nodiscard]] tl::unexpected<core::Error> interrupted();

/// This process' environment without the variables that begin with `left_out`.
[[nodiscard]] std::vector<std::string> environment_without(std::string_view left_out);

/// Runs it in a session of its own, which is killed when this process ends, its stdin empty. What
/// it leaves in TMPDIR goes when it has ended, or this process. A program that cannot be run ends
/// with exit code 127, as in a shell.
[[nodiscard]] core::Result<CommandResult> run_command(const Command& command);

}  // namespace isotick::harness
