#pragma once
// How long trials are that begin in the middle, or end early.

#include <array>
#include <cstdint>

namespace isotick::harness {

/// In ticks; each is drawn as often as the others. Then it goes on to the next stored hash.
inline constexpr std::array<std::uint64_t, 5> kBurstLengths{64, 128, 256, 512, 1024};

/// Steps of the beginning of a trial: a small part of the session, up to a stored hash.
[[nodiscard]] constexpr std::uint64_t beginning_of(std::uint64_t session_ticks,
                                                   std::uint32_t hash_every) {
    constexpr std::uint64_t kPart = 64;
    return (session_ticks / kPart / hash_every + 1) * hash_every;
}

}  // namespace isotick::harness
