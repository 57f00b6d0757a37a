#pragma once
// Walks through a field stream.

#include <isotick/core/detail/field_writer.hpp>
#include <isotick/core/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

// The bytes of a field stream, which may be kept as those that differ from another one.

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

// Reads a field stream token by token.

/// A run of bytes in a stream.
struct FieldRun {
    std::uint64_t offset;
    std::uint64_t size;
};

/// What a fixed-point number is made of.
struct FixedType {
    FieldToken number;       // an integer's
    unsigned fraction_bits;  // 1 to as many as the integer has
    friend bool operator==(const FixedType&, const FixedType&) = default;
};

/// A place in a field stream. All calls throw FieldDamage where the bytes break the format. May go
/// back to where it was before, never ahead of that.
class FieldCursor {
  public:
    /// How deeply values may nest: a little more than an archive writes.
    static constexpr int kDeepest = 1100;

    /// At the first value.
    explicit FieldCursor(const FieldBytes& bytes);

    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    void seek(std::uint64_t offset) { offset_ = offset; }

    [[nodiscard]] FieldToken peek() {
        return static_cast<FieldToken>(std::to_integer<std::uint8_t>(*bytes_.at(offset_, 1)));
    }
    FieldToken take() {
        const FieldToken token = peek();
        ++offset_;
        return token;
    }

    std::uint64_t varint();

    /// A varint n, at most the bytes left divided by `least`.
    [[nodiscard]] std::uint64_t count(std::uint64_t least);

    /// A number token.
    [[nodiscard]] FieldToken number_type();

    /// What follows FieldToken::fixed, up to the integer.
    [[nodiscard]] FixedType fixed_type();

    /// A length and that many bytes, which it skips.
    FieldRun run();

    void skip(std::uint64_t size);
    [[nodiscard]] std::uint64_t left() const { return bytes_.size() - offset_; }

    /// The next value's name, valid until names are read again; empty where it has none.
    std::string_view name() {
        const FieldToken token = peek();
        return token == FieldToken::name || token == FieldToken::new_name ||
                       token == FieldToken::long_name
                   ? read_name()
                   : std::string_view();
    }

    /// Whether both number the same names alike.
    [[nodiscard]] bool names_as(const FieldCursor& other) const { return names_ == other.names_; }

    /// Skips the value that comes next, name excluded.
    void skip_value() { skip_value(0); }

    /// Requires the stream to end here.
    void expect_end();

    /// Bytes at `offset`, at most kFieldBlock; valid until the next call of anything.
    [[nodiscard]] const std::byte* at(std::uint64_t offset, std::size_t count) {
        return bytes_.at(offset, count);
    }

    /// The bytes of a run, at most `most`.
    [[nodiscard]] std::string copy(FieldRun run, std::size_t most);

    [[noreturn]] void damaged(const std::string& what) const { throw FieldDamage(what, offset_); }

  private:
    [[nodiscard]] std::string_view read_name();
    void skip_varint() { varint(); }
    void skip_value(int depth);
    void skip_values(std::uint64_t count, int depth);
    void skip_object(int depth);

    FieldBytes bytes_;
    std::uint64_t offset_ = 0;
    std::deque<std::string> names_;
    std::vector<std::uint64_t> defined_at_;  // where each of names_ was defined
    std::string long_name_;
};

/// A hash of the value that comes next, which it skips; equal values have equal hashes whatever
/// the numbers of their names.
[[nodiscard]] std::uint64_t hash_value(FieldCursor& cursor);

// Passes over values that are alike and equal on both sides without reading them token by token.

/// The layout of the values that come in a row, learnt from one of them: values of the same layout
/// have the same size and the same bytes wherever there are no numbers.
class FieldStride {
  public:
    /// Learns from `values` values at `start`, which both cursors have just read, up to where
    /// `before` is. Forgets what it knew if they have no fixed layout, or if names are numbered
    /// differently.
    void learn(FieldCursor& before, const FieldCursor& after, std::uint64_t start, int values);

    /// Passes over at most `most` such groups of values that are equal on both sides; returns how
    /// many. Both cursors must be where one begins.
    [[nodiscard]] std::uint64_t pass(FieldCursor& before, FieldCursor& after, std::uint64_t most);

  private:
    [[nodiscard]] bool add_value(FieldCursor& cursor, int depth);
    void add(FieldCursor& cursor, std::size_t count, bool fixed);
    [[nodiscard]] bool matches(const std::byte* before, const std::byte* after) const;

    std::vector<std::byte> bytes_;  // of the example
    std::vector<std::byte> mask_;   // all bits where bytes must be as in the example
    std::uint64_t passed_ = 0;
    std::uint64_t learnt_ = 0;
};

}  // namespace isotick::core
