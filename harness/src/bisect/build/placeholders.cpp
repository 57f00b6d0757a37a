#include "placeholders.hpp"

#include <string_view>

namespace isotick::harness::bisect {
namespace {

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

std::string expanded(std::string text, const std::string& src, const std::string& out) {
    replace_all(text, "{src}", src);
    replace_all(text, "{out}", out);
    return text;
}

}  // namespace

std::string word_for_shell(const std::string& path) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (path.find_first_not_of(kPlain) == std::string::npos) {
        return path;
    }
    std::string quoted = "'";
    for (const char letter : path) {
        quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return quoted + "'";
}

std::string expanded_command(const std::string& text, const std::string& folder) {
    return expanded(text, word_for_shell(folder + "/src"), word_for_shell(folder + "/out"));
}

std::string expanded_simulation(const std::string& text, const std::string& folder) {
    return text.starts_with("exec:") ? expanded_command(text, folder)
                                     : expanded(text, folder + "/src", folder + "/out");
}

bool needs_sources(const std::string& simulation) {
    return simulation.find("{src}") != std::string::npos;
}

}  // namespace isotick::harness::bisect
