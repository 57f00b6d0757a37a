#pragma once
// What the command line says of itself: the help's last lines, and what is wrong with a call.

#include "program_name.hpp"

#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

/// What stands below the list of commands.
extern const char* const kFooter;

/// An example as it is typed here: with this program's name, and without `--sim skirmish` where
/// the program has one simulation only.
[[nodiscard]] std::string in_own_words(std::string text, const ProgramName& name,
                                       bool one_simulation);

/// `; did you mean --x?` where `word` is an option's name and like one of `options`.
[[nodiscard]] std::string near_option(const std::string& word,
                                      const std::vector<std::string>& options);

/// `help` and `help COMMAND` as `--help` and `COMMAND --help`; all else as it is.
[[nodiscard]] std::vector<std::string> help_as_option(std::vector<std::string> arguments);

/// Why these arguments (without the program's name) name none of the commands `names`; nothing
/// where they do, or where the program itself has an option of that name.
[[nodiscard]] std::optional<std::string> no_command(const std::vector<std::string>& names,
                                                    const std::vector<std::string>& arguments);

}  // namespace isotick::program
