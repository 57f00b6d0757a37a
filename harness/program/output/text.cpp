#include "text.hpp"

#include <fmt/format.h>

namespace isotick::program {
namespace {

// In the quotes of bash and zsh that know escapes, all but plain ASCII by its bytes.
std::string spelled_out(std::string_view text) {
    std::string word = "$'";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '\'' || letter == '\\') {
            word += '\\';
            word += letter;
        } else if (byte < 0x20 || byte > 0x7e) {
            word += fmt::format("\\x{:02x}", byte);
        } else {
            word += letter;
        }
    }
    return word + "'";
}

}  // namespace

std::string nans_text(std::string_view policy) {
    return policy == "one" ? " (all NaNs alike)" : "";
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
        return std::string(text);
    }
    return printable(text) == text ? in_quotes(text) : spelled_out(text);
}

std::string in_quotes(std::string_view text) {
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

}  // namespace isotick::program
