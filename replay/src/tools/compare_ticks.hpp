#pragma once
// The comparison of single ticks, and the search for where to look.

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::replay {

/// Compares ticks one by one, in order, and writes the first differences into a Comparison.
class TickComparer {
  public:
    TickComparer(const RecordingHead& a, const RecordingHead& b, Comparison& out);

    /// The hashes before tick 0.
    void compare_initial(const TickHashes& a, const TickHashes& b);
    /// The same tick of both sides: the i-th of `a`, the k-th of `b`. Those before it in these
    /// chunks were compared.
    void compare_inputs(const TickChunk& a, std::uint32_t i, const TickChunk& b, std::uint32_t k);
    /// Behind compare_inputs, with the same.
    void compare_dts(const TickChunk& a, std::uint32_t i, const TickChunk& b, std::uint32_t k);
    void compare_hashes(const TickChunk& a, std::uint32_t i, const TickChunk& b, std::uint32_t k);

    /// True while the first difference of inputs or dts is still looked for.
    [[nodiscard]] bool wants_inputs() const { return wants_inputs_; }
    /// True while the first difference of hashes is still looked for.
    [[nodiscard]] bool wants_hashes() const { return wants_hashes_; }
    /// True while part hashes are looked for to tell which parts differ.
    [[nodiscard]] bool wants_parts() const { return wants_parts_; }

  private:
    // Of the same state hash; true where they cannot be compared.
    [[nodiscard]] bool are_same(std::span<const core::PartHash> a,
                                std::span<const core::PartHash> b) const;
    void differ(std::optional<core::Tick> tick, core::StateHash a, core::StateHash b);
    void name_parts(std::optional<core::Tick> tick, std::span<const core::PartHash> a,
                    std::span<const core::PartHash> b);

    const RecordingHead& head_;
    Comparison& out_;
    bool same_parts_;
    bool wants_inputs_;
    bool wants_hashes_;
    bool wants_parts_ = false;
    std::optional<core::Tick> last_equal_;
    bool initial_equal_ = false;
};

/// Finds the differences by searching the digests at the ends of chunks, in O(log n) chunk reads.
/// False if that cannot be done with these two (no tail, other hash strides, damage met); `out` is
/// unchanged then.
[[nodiscard]] core::Result<bool> compare_by_digests(Reader& a, Reader& b, Comparison& out);

/// Finds the differences by reading both through their intact prefixes.
[[nodiscard]] core::Result<void> compare_through(Reader& a, Reader& b, Comparison& out);

}  // namespace isotick::replay
