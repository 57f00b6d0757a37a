#pragma once
// The bytes of a field stream, which may be kept as those that differ from another one.

#include <isotick/core/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

namespace isotick::core {

/// A stream that breaks the format, and where.
class FieldDamage : public std::runtime_error {
  public:
    FieldDamage(const std::string& what, std::uint64_t offset)
        : std::runtime_error(what), offset_(offset) {}
    [[nodiscard]] std::uint64_t offset() const { return offset_; }

  private:
    std::uint64_t offset_;
};

/// The same as callers of the library see it.
[[nodiscard]] inline tl::unexpected<Error> failure(const FieldDamage& damage) {
    auto failed = fail(ErrorCode::damaged, damage.what());
    failed.value().offset = damage.offset();
    return failed;
}

inline constexpr std::size_t kFieldBlock = 4096;
using FieldBlock = std::array<std::byte, kFieldBlock>;
/// Blocks that replace those of a base; null where the base has the same bytes.
using FieldBlocks = std::vector<std::unique_ptr<FieldBlock>>;

/// Random access to the bytes. Views: base and blocks must outlive it.
class FieldBytes {
  public:
    explicit FieldBytes(std::span<const std::byte> bytes) : base_(bytes), size_(bytes.size()) {}
    FieldBytes(std::span<const std::byte> base, const FieldBlocks& blocks, std::uint64_t size)
        : base_(base), size_(size), blocks_(&blocks) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// `count` bytes from `offset` on, at most kFieldBlock; valid until the next call. Throws
    /// FieldDamage behind the end.
    [[nodiscard]] const std::byte* at(std::uint64_t offset, std::size_t count) {
        if (offset > size_ || count > size_ - offset) {
            throw FieldDamage("the field stream ends early", size_);
        }
        return blocks_ == nullptr ? base_.data() + offset : in_blocks(offset, count);
    }

  private:
    [[nodiscard]] const std::byte* in_blocks(std::uint64_t offset, std::size_t count) {
        const std::size_t first = static_cast<std::size_t>(offset / kFieldBlock);
        const std::size_t within = static_cast<std::size_t>(offset % kFieldBlock);
        if (within + count <= kFieldBlock) {
            return block(first) + within;
        }
        const std::size_t head = kFieldBlock - within;
        std::memcpy(scratch_.data(), block(first) + within, head);
        std::memcpy(scratch_.data() + head, block(first + 1), count - head);
        return scratch_.data();
    }

    [[nodiscard]] const std::byte* block(std::size_t index) const {
        const auto& replaced = (*blocks_)[index];
        return replaced != nullptr ? replaced->data() : base_.data() + index * kFieldBlock;
    }

    std::span<const std::byte> base_;
    std::uint64_t size_;
    const FieldBlocks* blocks_ = nullptr;
    FieldBlock scratch_{};
};

}  // namespace isotick::core
