#include "failing_reads.hpp"

#if defined(__linux__)
#include <atomic>
#include <cerrno>
#include <unistd.h>

#include <sys/syscall.h>

namespace {

constexpr std::int64_t kNever = INT64_MAX;

std::atomic<std::int64_t> reads_left{kNever};
std::atomic<bool> failure_stays{false};
std::atomic<bool> failed{false};

bool read_fails_now() {
    const std::int64_t left = reads_left == kNever ? kNever : reads_left--;
    const bool fails = left == 0 || (left < 0 && failure_stays);
    failed = failed || fails;
    return fails;
}

}  // namespace

// Instead of the C library's own.
extern "C" ssize_t pread(int file, void* data, size_t size, off_t offset) {
    if (read_fails_now()) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, file, data, size, offset);
}

namespace isotick::replay {

FailingRead::FailingRead(std::uint64_t before, bool stays) {
    failed = false;
    failure_stays = stays;
    reads_left = static_cast<std::int64_t>(before);
}

FailingRead::~FailingRead() {
    reads_left = kNever;
}

bool FailingRead::has_failed() {
    return failed;
}

}  // namespace isotick::replay

#endif
