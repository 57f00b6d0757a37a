#pragma once
// How long trials that begin in the middle are.

#include <array>
#include <cstdint>

namespace isotick::harness {

/// In ticks; each is drawn as often as the others. Then it goes on to the next stored hash.
inline constexpr std::array<std::uint64_t, 5> kBurstLengths{64, 128, 256, 512, 1024};

}  // namespace isotick::harness
