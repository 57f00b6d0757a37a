#pragma once
// A socket over which a process asks the one that made it whether it is still there, before each
// call into a simulation: so the call in which it was killed or cut off is known exactly.

#include "../platform/posix.hpp"

#include <isotick/core/result.hpp>

#include <sys/types.h>

namespace isotick::harness {

struct Guard {
    FileDescriptor parents;
    FileDescriptor copys;  ///< for Progress::guard, in the copy
};

[[nodiscard]] core::Result<Guard> make_guard();

/// Answers `child` until it ends or closes its end. Returns at once without a socket.
void answer_until_end(const FileDescriptor& parents, pid_t child);

}  // namespace isotick::harness
