#pragma once
// Lists of names in sentences.

#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// `a, b, c`, or with something else than a comma between them.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& words,
                                        std::string_view between = ", ") {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : std::string(between)) + word;
    }
    return text;
}

}  // namespace isotick::core
