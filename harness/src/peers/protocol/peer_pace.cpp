// Whoever is ahead of the others waits: else it guesses more than it need, and the others less.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

// In quarters of ticks, as far as is known here: the other has gone on since it sent what came.
std::int64_t Peer::Core::advantage_over(const Link& link) const {
    constexpr std::int64_t kMost = 127;
    if (!link.heard) {
        return 0;
    }
    const std::int64_t age = now_ns_ - link.tick_at_ns + link.round_trip.mean_ns() / 2;
    const auto theirs = static_cast<std::int64_t>(std::min(link.tick, tick_ + kMostAhead));
    const std::int64_t ahead = 4 * (static_cast<std::int64_t>(tick_) - theirs) - 4 * age / tick_ns_;
    return std::clamp(ahead, -kMost, kMost);
}

bool Peer::Core::should_wait() {
    constexpr std::int64_t kUnit = 64;  // of ahead_, in a tick
    constexpr std::int64_t kTooFar = kUnit * 5 / 4;
    constexpr std::uint64_t kSeldom = 8;  // ticks between two waits
    if (options_.mode != PeerMode::rollback) {
        return false;
    }
    std::optional<std::int64_t> most;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!is_self(peer) && members_.is_active(peer) && !link.suspect && link.heard) {
            const std::int64_t half = (advantage_over(link) - link.advantage) * kUnit / 8;
            most = std::max(most.value_or(half), half);
        }
    }
    ahead_ += (most.value_or(0) - ahead_) / 8;
    if (ahead_ < kTooFar || tick_ < waited_at_ + kSeldom) {
        return false;
    }
    waited_at_ = tick_;
    return true;
}

}  // namespace isotick::harness
