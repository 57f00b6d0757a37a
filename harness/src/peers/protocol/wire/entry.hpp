#pragma once
// What one peer contributes to one tick, as bytes: changes of who takes part, where it is the peer
// that decides those, then the inputs of its players. Equal bytes stand for equal contributions.

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/plugin.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// From `tick` on a peer takes part, or does not.
struct MemberChange {
    std::uint32_t peer = 0;
    bool joins = false;
    std::uint8_t life = 0;  ///< which of that peer's: PeerOptions::incarnation
    std::uint64_t tick = 0;
    std::uint64_t ballot =
        0;  ///< of the peer that decided; of two that contradict, the higher counts
    friend bool operator==(const MemberChange&, const MemberChange&) = default;
};

inline constexpr std::uint64_t kLastBallot = std::uint64_t{1} << 56U;
inline constexpr std::uint64_t kLastTick = std::uint64_t{1} << 62U;
inline constexpr std::size_t kMostChanges = 64;  // in one entry
inline constexpr std::size_t kLongestEntry = std::size_t{32} << 10U;

/// Their number, then each.
void put_changes(core::Bytes& out, std::span<const MemberChange> changes);
/// The reader fails where there are more than `most`, or they name a peer that there is not.
[[nodiscard]] std::vector<MemberChange> read_changes(core::ByteReader& reader, std::uint64_t most,
                                                     std::uint32_t peers);

/// `inputs` are those of one peer's players, in order.
void put_entry(core::Bytes& out, std::span<const MemberChange> changes,
               std::span<const isotick_input> inputs);

/// The part of an entry that holds inputs.
[[nodiscard]] std::span<const std::byte> inputs_in(std::span<const std::byte> entry);
/// The changes in an entry; none where it is no entry for so many players.
[[nodiscard]] std::optional<std::vector<MemberChange>> changes_in(std::span<const std::byte> entry,
                                                                  std::size_t players,
                                                                  std::uint32_t peers);

/// Reads the inputs of an entry that changes_in found good, or what inputs_in gives of it, into
/// those of `inputs` that `columns` number, whose players are set. They point into the entry.
void read_inputs(std::span<const std::byte> inputs_bytes, std::span<const std::uint32_t> columns,
                 std::span<isotick_input> inputs);

/// An entry without changes and without input of so many players.
[[nodiscard]] core::Bytes neutral_entry(std::size_t players);

}  // namespace isotick::harness
