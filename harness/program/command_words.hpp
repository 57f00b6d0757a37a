#pragma once
// What the command line says of itself: the help's last lines, and what is wrong with a call.

#include "program_name.hpp"

#include <string>

#include <CLI/CLI.hpp>

namespace isotick::program {

/// What stands below the list of commands.
extern const char* const kFooter;

/// An example as it is typed here: with this program's name, and without `--sim skirmish` where
/// the program has one simulation only.
[[nodiscard]] std::string in_own_words(std::string text, const ProgramName& name,
                                       bool one_simulation);

/// What the parser has to say of a call of `app` that it cannot take.
[[nodiscard]] std::string in_our_words(const CLI::ParseError& outcome, const CLI::App& app);

/// The commands of `app`, for a list in a sentence.
[[nodiscard]] std::string command_names(const CLI::App& app);

[[nodiscard]] bool is_command(const CLI::App& app, const std::string& name);

}  // namespace isotick::program
