#pragma once
// A socket over which a process asks the one that made it whether it is still there, before each
// call into a simulation: so the call in which it was killed or cut off is known exactly.

#include "../platform/processes/process.hpp"

namespace isotick::harness {

/// Answers `child`, which has the other end for Progress::guard, until it ends or closes its end.
/// Returns at once without a socket.
void answer_until_end(const FileDescriptor& socket, const Process& child);

}  // namespace isotick::harness
