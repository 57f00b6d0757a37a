#pragma once
// What this process waits for the disk with.

#include <cstdint>

namespace isotick::replay {

/// Calls of fdatasync so far, on any thread.
[[nodiscard]] std::uint64_t syncs_so_far();

/// Makes the next calls of fdatasync, `number` of them, fail as if a signal had come.
void interrupt_syncs(int number);

/// While it lives, no fdatasync ends. One at a time.
class StuckDisk {
  public:
    StuckDisk();
    ~StuckDisk();
    StuckDisk(const StuckDisk&) = delete;
    StuckDisk& operator=(const StuckDisk&) = delete;
};

}  // namespace isotick::replay
