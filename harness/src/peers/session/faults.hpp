#pragma once
// Planted bad peers: what they send instead of, or beside, what they should.

#include "seat.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/network.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::harness {

/// Whether a faulty peer sends `to` something else in a packet's place: `changed`, then.
[[nodiscard]] bool tampers(const Seat& seat, std::uint32_t to, std::span<const std::byte> packet,
                           core::Bytes& changed);

/// Sends what a faulty peer adds in a frame.
[[nodiscard]] core::Result<void> misbehave(const Seat& seat, std::uint32_t cookie,
                                           core::Pcg32& random, SimulatedNetwork& network);

/// What a faulty peer simulates instead of what it agreed on. To be called after each frame.
void simulate_otherwise(Seat& seat, const SessionInputs& inputs, std::uint32_t playing);

/// From which tick on faulty peers are faulty: late enough that all are under way.
inline constexpr std::uint64_t kFaultyFrom = 120;

}  // namespace isotick::harness
