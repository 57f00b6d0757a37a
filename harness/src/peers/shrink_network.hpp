#pragma once
// The least that a network does with which something still fails.

#include <isotick/harness/network.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace isotick::harness {

/// What came of a run with some network.
struct NetworkRun {
    bool fails = false;
    /// The network that did the same, packet by packet: SimulatedNetwork::explicit_spec. None:
    /// packets are not looked at one by one.
    std::optional<NetworkSpec> explicit_network;
};

/// Takes one thing after the other away from `network`, as long as a run without it fails: all of
/// it; cuts, rules of links, and each of what links do; then packets, one by one. `run` is asked at
/// most `most_runs` times, and must answer the same for the same network. Returns the last network
/// that failed; `network` itself, which is not run, if none did.
NetworkSpec shrink_network(const NetworkSpec& network,
                           const std::function<NetworkRun(const NetworkSpec&)>& run,
                           std::uint64_t most_runs = 400);

}  // namespace isotick::harness
