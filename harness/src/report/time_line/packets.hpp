#pragma once
// What became of the packets to one peer, as a strip of its lane.

#include "lane.hpp"

#include <isotick/harness/network.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace isotick::harness {

inline constexpr std::int64_t kLatestShown = 200'000'000;  ///< as high as the strip, nanoseconds

/// Packets at the times when they were sent, upwards from `bottom`: those that never arrived, those
/// that came late, by their height, and those that came twice.
[[nodiscard]] std::string draw_packets(std::span<const LoggedPacket> packets, std::uint32_t to,
                                       const TimeScale& time, std::int64_t bottom);

}  // namespace isotick::harness
