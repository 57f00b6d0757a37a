#pragma once
// A peer over UDP in a process of its own: its game, its clock, its loop.

#include "live_messages.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace isotick::harness {

// The time of a session that runs in real time, the same in all of its processes.

/// Counts from the session's start, `speed` times as fast as real time. Processes of one machine
/// have one steady clock.
class LiveClock {
  public:
    LiveClock(std::int64_t start_ns, std::uint32_t speed) : start_ns_(start_ns), speed_(speed) {}

    [[nodiscard]] static std::int64_t steady_ns() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    /// Not before 0.
    [[nodiscard]] std::int64_t now_ns() const {
        return std::max<std::int64_t>(steady_ns() - start_ns_, 0) * speed_;
    }

    /// How long to wait in real time until `time_ns`: whole milliseconds, rounded up, so that it
    /// is over then; at most a second.
    [[nodiscard]] int wait_ms(std::int64_t time_ns) const {
        constexpr std::int64_t kMillisecond = 1'000'000;
        const std::int64_t left_ns = time_ns / speed_ - (steady_ns() - start_ns_);
        return static_cast<int>(
            std::clamp<std::int64_t>((left_ns + kMillisecond - 1) / kMillisecond, 0, 1000));
    }

  private:
    std::int64_t start_ns_;
    std::int64_t speed_;
};

// A peer of a session over UDP: a simulation, a protocol, a clock and a socket.

/// Takes part until it is told to stop. Fails where simulation and recording do not fit, and where
/// the simulation fails.
[[nodiscard]] core::Result<UdpPeer> run_live_peer(const LiveRequest& request,
                                                  const LivePeerRequest& role,
                                                  SimulationCatalog& catalog);

}  // namespace isotick::harness
