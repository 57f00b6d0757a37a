#include "placeholders.hpp"

#include "../compile/needed_files.hpp"
#include "../compile/shell_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

namespace isotick::harness::bisect {
namespace {

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

constexpr std::string_view kOperators = ";&|<>()";
constexpr std::string_view kBetweenWords = " \t\n;&|<>()=:,\"'`";

// The path that a word of a command names; empty where it names nothing outside of the checkout.
std::string path_named_by(const std::string& word) {
    if (word.find('/') == std::string::npos) {
        return program_path(word, "/");
    }
    for (const std::string_view home : {"~/", "$HOME/", "${HOME}/"}) {
        const char* folder = std::getenv("HOME");
        if (word.starts_with(home) && folder != nullptr) {
            return std::string(folder) + "/" + word.substr(home.size());
        }
    }
    return word.starts_with('/') ? word : "";
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

std::string with_placeholders(std::string text, const std::string& folder) {
    replace_all(text, folder + "/src", "{src}");
    replace_all(text, folder + "/out", "{out}");
    return text;
}

bool needs_sources(const std::string& simulation) {
    return simulation.find("{src}") != std::string::npos;
}

std::vector<std::string> files_named_in(const std::string& command) {
    std::set<std::string> files;
    const auto add = [&files](const std::string& word) {
        const std::string path = path_named_by(word);
        std::error_code ignored;
        if (!path.empty() && std::filesystem::is_regular_file(path, ignored)) {
            files.insert(path);
        }
    };
    // Quotes keep a path with blanks together; inside of them a whole command may stand.
    for (const std::string& word : shell_words(command).value_or(std::vector{command})) {
        for (const std::string_view between : {kOperators, kBetweenWords}) {
            for (std::size_t at = 0; at < word.size();) {
                const std::size_t end = std::min(word.find_first_of(between, at), word.size());
                add(word.substr(at, end - at));
                at = end + 1;
            }
        }
    }
    return {files.begin(), files.end()};
}

}  // namespace isotick::harness::bisect
