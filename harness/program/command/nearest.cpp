#include "nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace isotick::program {
namespace {

// The optimal string alignment distance (a Levenshtein distance with swaps of neighbors).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
    constexpr std::size_t kLongestWord = 40;  // longer ones are no slip of the fingers
    if (word.empty() || word.size() > kLongestWord) {
        return "";
    }
    const auto by_distance = [word](const std::string& a, const std::string& b) {
        return distance(word, a) < distance(word, b);
    };
    const auto nearest = std::min_element(names.begin(), names.end(), by_distance);
    const bool near = nearest != names.end() && distance(word, *nearest) * 3 <= nearest->size();
    return near ? "; did you mean " + *nearest + "?" : "";
}

}  // namespace isotick::program
