#include "text.hpp"

#include <fmt/format.h>

namespace isotick::program {

std::string nans_text(std::string_view policy) {
    return policy == "one" ? " (all NaNs alike)" : "";
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted(1, '\'');
    for (const char letter : text) {
        if (letter == '\'') {
            quoted += "'\\''";  // ends the quotes, adds one, begins again
        } else {
            quoted += letter;
        }
    }
    quoted += '\'';
    return quoted;
}

std::string printed_output(std::string_view whose, std::string_view output) {
    std::string text = fmt::format("{} printed:\n", whose);
    while (!output.empty()) {
        const std::size_t end = output.find('\n');
        text += fmt::format("  | {}\n", output.substr(0, end));
        output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    }
    text.pop_back();
    return text;
}

}  // namespace isotick::program
