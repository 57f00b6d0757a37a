#pragma once
// The process between the peers of a session over UDP.

#include "../live_messages.hpp"

namespace isotick::harness {

/// Passes packets on as the simulated network of the request does, in real time, until it is told
/// to stop.
[[nodiscard]] core::Result<RelayAnswer> run_relay(const LiveRequest& request,
                                                  const RelayRequest& role);

}  // namespace isotick::harness
