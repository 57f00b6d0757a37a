#pragma once
// Leaving out what a failure does not need, in blocks that become smaller.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace isotick::harness {

/// Gives up after this many places in a row where nothing helped.
class Patience {
  public:
    explicit Patience(std::uint32_t most_in_vain = 12) : most_in_vain_(most_in_vain) {}

    [[nodiscard]] bool left() const { return in_vain_ < most_in_vain_; }
    void tried(bool helped) { in_vain_ = helped ? 0 : in_vain_ + 1; }

  private:
    std::uint32_t most_in_vain_;
    std::uint32_t in_vain_ = 0;
};

// Leaving out blocks of what is kept without a trial of its own, halving their size.

/// The search ends after this many blocks in a row that could not be left out: enough to reach
/// single items where sixteen are left.
inline constexpr std::uint32_t kMostBlocksInVain = 32;

/// Calls `drop` with blocks of `all`, first with the whole; it says whether they could be left out,
/// and then they are not asked for again.
template <class T, class Drop>
void drop_blocks(std::vector<T> all, const Drop& drop) {
    Patience patience(kMostBlocksInVain);
    for (std::size_t length = all.size(); length > 0; length /= 2) {
        std::vector<T> left;
        for (std::size_t from = 0; from < all.size() && patience.left(); from += length) {
            const std::size_t size = std::min(length, all.size() - from);
            const auto block = std::span<const T>(all).subspan(from, size);
            const bool dropped = drop(block);
            patience.tried(dropped);
            if (!dropped) {
                left.insert(left.end(), block.begin(), block.end());
            }
        }
        if (!patience.left()) {
            return;
        }
        all = std::move(left);
    }
}

}  // namespace isotick::harness
