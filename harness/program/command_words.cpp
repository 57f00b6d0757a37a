#include "command_words.hpp"

#include "nearest.hpp"

#include <isotick/core/detail/joined.hpp>

#include <algorithm>
#include <regex>

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

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

}  // namespace

// What CLI11 says of an option that was given twice, or without its value, is hard to read.
std::string in_our_words(const CLI::ParseError& outcome, const CLI::App& app) {
    const std::string text = outcome.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&outcome) != nullptr) {
        const std::string word = text.substr(text.rfind(' ') + 1);
        return text + (word.starts_with("--")
                           ? did_you_mean(word.substr(0, word.find('=')), option_names(app))
                           : "");
    }
    const std::string name = text.substr(0, text.find(':'));
    const CLI::Option* option = app.get_option_no_throw(name);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&outcome) == nullptr || option == nullptr) {
        return text;
    }
    return name + (option->count() > 1 ? ": is given more than once"
                                       : ": a value is missing (" + option->get_type_name() + ")");
}

std::vector<std::string> help_as_option(std::vector<std::string> arguments) {
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--help");
    }
    return arguments;
}

std::optional<std::string> no_command(const CLI::App& app,
                                      const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    if (arguments.empty()) {
        return "a command is missing: " + core::joined(names);
    }
    const std::string& first = arguments.front();
    if (first.starts_with('-') || std::ranges::count(names, first) > 0) {
        return std::nullopt;
    }
    return "there is no command '" + first + "'; there are " + core::joined(names) +
           did_you_mean(first, names);
}

}  // namespace isotick::program
