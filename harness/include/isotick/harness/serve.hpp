#pragma once
// The other side of harness/PROTOCOL.md: a simulation that isotick can load, served to a host.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

namespace isotick::harness {

/// Answers the requests that come from `in`, with the simulation of `table`, on `out`, until `in`
/// ends. Both are file descriptors that stay the caller's and must block; nothing else may be
/// written to `out` meanwhile. A simulation that fails is answered for; fails itself with `damaged`
/// where `in` holds no requests or ends within one, with `io` where reading or writing fails.
/// `table` must have passed core::check_table. Blocks; at most one simulation at a time.
[[nodiscard]] core::Result<void> serve(const isotick_simulation_table& table, int in, int out);

}  // namespace isotick::harness
