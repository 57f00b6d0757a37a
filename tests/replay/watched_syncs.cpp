#include "watched_syncs.hpp"

#if defined(__linux__)
#include <atomic>
#include <cerrno>
#include <unistd.h>

#include <sys/syscall.h>

namespace {

std::atomic<std::uint64_t> syncs{0};
std::atomic<bool> is_stuck{false};
std::atomic<int> interruptions{0};

}  // namespace

// Instead of the C library's own.
extern "C" int fdatasync(int file) {
    ++syncs;
    is_stuck.wait(true);
    if (interruptions > 0) {
        --interruptions;
        errno = EINTR;
        return -1;
    }
    return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace isotick::replay {

std::uint64_t syncs_so_far() {
    return syncs;
}

void interrupt_syncs(int number) {
    interruptions = number;
}

StuckDisk::StuckDisk() {
    is_stuck = true;
}

StuckDisk::~StuckDisk() {
    is_stuck = false;
    is_stuck.notify_all();
}

}  // namespace isotick::replay

#endif
