#pragma once
// Lists of names in sentences.

#include <string>
#include <vector>

namespace isotick::core {

/// `a, b, c`.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

}  // namespace isotick::core
