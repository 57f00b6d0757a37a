#pragma once
// The other side of harness/PROTOCOL.md: a simulation that isotick can load, served to a host. The
// target isotick::serve, which depends on core alone, is this and a main for a program with an
// ISOTICK_SIMULATION: such a program is what stands behind `--sim exec:`.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

namespace isotick::harness {

/// Answers the requests that come from `in`, with the simulation of `table`, on `out`, until `in`
/// ends. Both are file descriptors that stay the caller's and must block (on Windows, both are in
/// binary mode from now on); nothing else may be written to `out` meanwhile. A simulation that
/// fails is answered for; fails itself with `damaged` where `in` holds no requests or ends within
/// one, with `io` where reading or writing fails. `table` must have passed core::check_table.
/// Blocks; at most one simulation at a time.
[[nodiscard]] core::Result<void> serve(const isotick_simulation_table& table, int in, int out);

/// What that main returns, for a program with a main of its own: serves from stdin to stdout, and
/// what the simulation prints to stdout goes to stderr meanwhile. Returns 0; or 1 where `table`,
/// which may be null, cannot be used or serve fails, and has said why on stderr.
[[nodiscard]] int serve_main(const isotick_simulation_table* table);

}  // namespace isotick::harness
