#pragma once
// Reads a field stream token by token.

#include "field_bytes.hpp"

#include <isotick/core/detail/fields/token.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

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

}  // namespace isotick::core
