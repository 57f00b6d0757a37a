#pragma once
// Which inputs of a session do not count, as the peers that made them were not there.

#include <isotick/harness/detail/shrink/input_edits.hpp>
#include <isotick/harness/peer.hpp>

#include <cstdint>

namespace isotick::harness {

/// What `peer`, who stayed to the end, knows of it. The first `playing` peers share the players.
[[nodiscard]] InputEdits absences_of(const Peer& peer, std::uint32_t players, std::uint32_t playing,
                                     std::uint64_t ticks);

}  // namespace isotick::harness
