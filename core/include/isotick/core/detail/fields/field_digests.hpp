#pragma once
// One number for all fields of a kind, so that states can be held against each other field by field
// where neither their hashes nor the places of their fields are the same.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace isotick::core {

/// Digests of the fields of one state after another. A kind is a path with `[*]` for each index and
/// key, as in FieldKind; kinds are numbered in the order in which they first appear. Two digests
/// are equal where the values are, their types, their order and their number; what a container
/// holds counts for the kinds of its elements, how many and under which keys for its own. Not
/// thread-safe; movable.
class FieldDigests {
  public:
    FieldDigests();
    ~FieldDigests();
    FieldDigests(FieldDigests&&) noexcept;
    FieldDigests& operator=(FieldDigests&&) noexcept;

    /// Takes a state's field stream in place of the one before. It may be damaged or hostile: fails
    /// with `damaged` and the byte offset. Takes memory for kinds only.
    [[nodiscard]] Result<void> take(std::span<const std::byte> fields);

    /// How many kinds there were so far.
    [[nodiscard]] std::size_t kinds() const;
    [[nodiscard]] const std::string& kind(std::size_t number) const;
    /// Of the last state; 0 where it has no such field.
    [[nodiscard]] std::uint64_t digest(std::size_t number) const;

  private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace isotick::core
