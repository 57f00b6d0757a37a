#pragma once
// A peer of a session over UDP: a simulation, a protocol, a clock and a socket.

#include "live_messages.hpp"

#include <isotick/harness/detail/simulations/simulation_catalog.hpp>

namespace isotick::harness {

/// Takes part until it is told to stop. Fails where simulation and recording do not fit, and where
/// the simulation fails.
[[nodiscard]] core::Result<UdpPeer> run_live_peer(const LiveRequest& request,
                                                  const LivePeerRequest& role,
                                                  SimulationCatalog& catalog);

}  // namespace isotick::harness
