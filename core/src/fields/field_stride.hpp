#pragma once
// Passes over values that are alike and equal on both sides without reading them token by token.

#include "field_cursor.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotick::core {

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
