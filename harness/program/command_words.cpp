#include "command_words.hpp"

#include <isotick/core/joined.hpp>

#include <algorithm>
#include <regex>
#include <vector>

namespace isotick::program {

const char* const kFooter =
    "Example:\n"
    "  isotick record --sim skirmish --ticks 3600 -o s.isotick\n"
    "  isotick verify s.isotick --trials 200\n"
    "\n"
    "Exit codes:\n"
    "  0 identical, or done    3 a file is damaged or cannot be read or written\n"
    "  1 diverged, or blind    4 inconclusive\n"
    "  2 wrong usage           5 the simulation crashed or timed out\n"
    "Of several, the first of 1, 5, 3, 4.";

std::string in_own_words(std::string text, const ProgramName& name, bool one_simulation) {
    text = std::regex_replace(text, std::regex(R"((^|[^.\w])isotick )"), "$1" + name.shown + " ");
    return one_simulation ? std::regex_replace(text, std::regex("( --sim) skirmish"), "") : text;
}

// What CLI11 says of an option that was given twice, or without its value, is hard to read.
std::string in_our_words(const CLI::ParseError& outcome, const CLI::App& app) {
    const std::string text = outcome.what();
    const std::string name = text.substr(0, text.find(':'));
    const CLI::Option* option = app.get_option_no_throw(name);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&outcome) == nullptr || option == nullptr) {
        return text;
    }
    return name + (option->count() > 1 ? ": is given more than once"
                                       : ": a value is missing (" + option->get_type_name() + ")");
}

std::string command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return core::joined(names);
}

bool is_command(const CLI::App& app, const std::string& name) {
    const auto commands = app.get_subcommands({});
    return std::any_of(commands.begin(), commands.end(),
                       [&name](const CLI::App* command) { return command->get_name() == name; });
}

}  // namespace isotick::program
