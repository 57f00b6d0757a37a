#pragma once
// Memory that no limit of the system counts: shared mappings, and files without a name in memory.

#include <cstdint>

namespace isotick::harness {

/// How many bytes of it the descendants of this process have, in mappings and in files that they
/// have open (Linux). Exact only above `enough`: below, it may be less. Not in it: files with a
/// name, and those that nobody has open or mapped, such as one under way in a socket. What the
/// parent of this process has open is the parent's.
[[nodiscard]] std::uint64_t shared_memory_of_children(std::uint64_t enough);

}  // namespace isotick::harness
