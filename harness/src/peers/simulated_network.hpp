#pragma once
// A network in memory: nodes, links, packets under way.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace isotick::harness {

// Packets in flight, in memory that is used again.

/// Keeps runs of bytes in chains of blocks. Grows to the most that it ever held at once.
class BlockPool {
  public:
    static constexpr std::size_t kBlockBytes = 64;
    static constexpr std::uint32_t kNone = 0xffffffff;

    /// Where kept bytes are; given back by `release` alone.
    using Chain = std::uint32_t;

    [[nodiscard]] static constexpr std::size_t blocks_for(std::size_t bytes) {
        return (bytes + kBlockBytes - 1) / kBlockBytes;
    }

    /// Keeps a copy. Nothing takes no block: kNone.
    [[nodiscard]] Chain keep(std::span<const std::byte> bytes) {
        Chain first = kNone;
        for (std::size_t block = blocks_for(bytes.size()); block-- > 0;) {
            const auto piece = bytes.subspan(block * kBlockBytes);
            const std::uint32_t index = take_block();
            std::memcpy(blocks_[index].data(), piece.data(), std::min(piece.size(), kBlockBytes));
            next_[index] = first;
            first = index;
        }
        return first;
    }

    /// Writes to `out` what is kept, which has as many bytes, and gives its blocks back.
    void release(Chain chain, std::span<std::byte> out) {
        while (chain != kNone) {
            const std::size_t size = std::min(out.size(), kBlockBytes);
            std::memcpy(out.data(), blocks_[chain].data(), size);
            out = out.subspan(size);
            const std::uint32_t after = next_[chain];
            next_[chain] = free_;
            free_ = chain;
            chain = after;
        }
    }

  private:
    std::uint32_t take_block() {
        if (free_ == kNone) {
            blocks_.emplace_back();
            next_.push_back(kNone);
            return static_cast<std::uint32_t>(blocks_.size() - 1);
        }
        const std::uint32_t index = free_;
        free_ = next_[index];
        return index;
    }

    std::vector<std::array<std::byte, kBlockBytes>> blocks_;
    std::vector<std::uint32_t> next_;  // of each block, in its chain or among the free ones
    std::uint32_t free_ = kNone;
};

}  // namespace isotick::harness
