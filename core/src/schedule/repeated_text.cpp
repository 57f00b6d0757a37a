#include "repeated_text.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace isotick::core {
namespace {

constexpr std::size_t kLongestGroup = 32;  // texts
constexpr std::size_t kLeastCovered = 4;   // texts that a group must stand for
constexpr int kPasses = 4;                 // items, then groups of them, and so on

struct Group {
    std::size_t length = 0;  // in texts
    std::size_t repeats = 0;

    [[nodiscard]] std::size_t covered() const { return length * repeats; }
};

bool same(const RepeatedText& left, const RepeatedText& right) {
    return left.may_repeat && right.may_repeat && left.text == right.text;
}

/// How often the `length` texts from `first` on come in a row.
std::size_t repeats_of(const std::vector<RepeatedText>& texts, std::size_t first,
                       std::size_t length) {
    std::size_t alike = 0;
    while (first + length + alike < texts.size() &&
           same(texts[first + alike], texts[first + length + alike])) {
        ++alike;
    }
    return 1 + alike / length;
}

/// The group from `first` on that stands for most texts; of several the shortest.
Group find_group(const std::vector<RepeatedText>& texts, std::size_t first) {
    const std::size_t longest = std::min(kLongestGroup, (texts.size() - first) / 2);
    Group most;
    for (std::size_t length = 1; length <= longest; ++length) {
        const Group group{length, repeats_of(texts, first, length)};
        if (group.repeats > 1 && group.covered() >= kLeastCovered &&
            group.covered() > most.covered()) {
            most = group;
        }
    }
    return most;
}

std::string group_text(std::span<const RepeatedText> texts, std::size_t repeats) {
    std::vector<RepeatedText> inner(texts.begin(), texts.end());
    fold_repeats(inner);
    std::string text = std::to_string(repeats) + "x(";
    for (std::size_t i = 0; i < inner.size(); ++i) {
        text += (i == 0 ? "" : ", ") + inner[i].text;
    }
    return text + ")";
}

}  // namespace

void fold_repeats(std::vector<RepeatedText>& texts) {
    for (int pass = 0; pass < kPasses; ++pass) {
        std::vector<RepeatedText> folded;
        for (std::size_t i = 0; i < texts.size();) {
            const Group group = find_group(texts, i);
            if (group.repeats > 1) {
                folded.push_back(
                    {group_text(std::span(texts).subspan(i, group.length), group.repeats)});
                i += group.covered();
            } else {
                folded.push_back(std::move(texts[i++]));
            }
        }
        texts = std::move(folded);
    }
}

}  // namespace isotick::core
