#pragma once
// What differs between two states, field by field, from their field streams (core/FIELDS.md).

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::core {

/// In what way a field differs.
enum class DifferenceKind {
    value,   ///< another value, or another type
    length,  ///< a container has more or fewer elements
    gone,    ///< only the state before has it
    added,   ///< only the state after has it
};

/// How far two fixed-point numbers are from each other: `units` times 2^-`fraction_bits`.
struct FixedDistance {
    std::uint64_t units = 0;
    unsigned fraction_bits = 0;
};

/// One field that differs. All texts are for people, and cut if they are long.
struct FieldDifference {
    DifferenceKind kind = DifferenceKind::value;
    std::string path;  ///< `units[17].velocity.y`, `scores["ann"]`; empty: the state as a whole
    std::size_t field_kind = 0;  ///< its place in FieldDifferences::kinds
    std::string before;          ///< the value, or the number of elements; empty when added
    std::string after;           ///< empty when gone
    std::string note;  ///< bits of floats, integers of fixed-point numbers, types, where containers
                       ///< begin to differ; may be empty
    std::optional<std::uint64_t> ulps;   ///< between two floats that are both numbers
    std::optional<FixedDistance> fixed;  ///< between two fixed-point numbers of one type
};

/// `units[17].velocity.y  0.1 → 0.10000001  (1 ulp, 0x3dcccccd → 0x3dccccce)`;
/// `x  1.5 → 1.5000152587890625  (1 unit of 2^-16, 98304 → 98305)`.
[[nodiscard]] std::string to_string(const FieldDifference& difference);

/// The fields that are the same but for their place in containers: `units[*].velocity.y`.
struct FieldKind {
    std::string path;         ///< with `[*]` for each index and key
    std::string part;         ///< the top-level name; `state` for values without a name
    std::uint64_t total = 0;  ///< how many of them differ
};

struct FieldDifferences {
    std::vector<FieldDifference> listed;  ///< in the order of the state, up to the limit
    std::uint64_t total = 0;              ///< all of them, a container of another length as one
    /// The same, but of such a container those of its elements that differ at the same place, and
    /// each element that only one side has.
    std::uint64_t values = 0;
    std::vector<FieldKind> kinds;  ///< that differ, in the order in which they first do
};

/// Compares two field streams. Fields are matched by name, elements of maps and of sequences with
/// an ISOTICK_KEY by key, other elements by place. Lists up to `limit` differences of each kind and
/// counts all. The streams may be damaged or hostile: fails with code `damaged` and the byte
/// offset. Takes memory of its own for the list, names, and 48 bytes for each element of the
/// largest container whose keys differ.
[[nodiscard]] Result<FieldDifferences> compare_fields(std::span<const std::byte> before,
                                                      std::span<const std::byte> after,
                                                      std::size_t limit);

/// Compares a field stream with one that is only now being written, without ever holding all of
/// the second: what is equal at the same place is not kept. Not thread-safe.
class FieldComparison {
  public:
    /// `before` must remain live and unchanged as long as this object.
    explicit FieldComparison(std::span<const std::byte> before);
    ~FieldComparison();
    FieldComparison(FieldComparison&&) noexcept;
    FieldComparison& operator=(FieldComparison&&) noexcept;

    /// Where the second stream is to be written; valid as long as this object, which must not be
    /// moved meanwhile. Takes at most kLargestState bytes.
    [[nodiscard]] isotick_sink sink();

    /// Bytes of the second stream that are being kept.
    [[nodiscard]] std::uint64_t kept() const;

    /// As compare_fields, once the second stream is complete.
    [[nodiscard]] Result<FieldDifferences> finish(std::size_t limit) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace isotick::core
