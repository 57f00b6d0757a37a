#include "command_words.hpp"

#include "nearest.hpp"

#include <isotick/core/detail/text/joined.hpp>

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
    "If several apply: the first of 1, 5, 3, 4.";

std::string in_own_words(std::string text, const ProgramName& name, bool one_simulation) {
    text = std::regex_replace(text, std::regex(R"((^|[^.\w])isotick )"), "$1" + name.shown + " ");
    return one_simulation ? std::regex_replace(text, std::regex("( --sim) skirmish"), "") : text;
}

std::string near_option(const std::string& word, const std::vector<std::string>& options) {
    return word.starts_with("--") ? did_you_mean(word.substr(0, word.find('=')), options) : "";
}

std::vector<std::string> help_as_option(std::vector<std::string> arguments) {
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    return arguments;
}

std::optional<std::string> no_command(const std::vector<std::string>& names,
                                      const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        return "a command is missing: " + core::joined(names);
    }
    const std::string& first = arguments.front();
    if (first.starts_with('-') || std::ranges::count(names, first) > 0) {
        return std::nullopt;
    }
    return "unknown command '" + first + "'; there are " + core::joined(names) +
           did_you_mean(first, names);
}

}  // namespace isotick::program
