#include "markdown.hpp"

#include <isotick/core/detail/text/printable.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {

std::string markdown_text(std::string_view text) {
    constexpr std::string_view kMarkup = "\\`*_[]<>|&#";
    std::string escaped;
    for (const char each : core::printable(text)) {
        if (kMarkup.find(each) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += each;
    }
    return escaped;
}

// The fence is longer than any run of backticks in what it holds.
std::string markdown_code(std::string_view language, std::string_view lines) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char each : lines) {
        run = each == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fmt::format("{}{}\n{}{}\n", fence, language, lines, fence);
}

}  // namespace isotick::program
