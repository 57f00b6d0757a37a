#include "failing_allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace {

// Up to and with the first that fails; 0: all work.
std::atomic<std::uint64_t> allocations_left{0};
std::atomic<bool> is_lasting{false};
std::atomic<bool> has_failed{false};

}  // namespace

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

bool fails_now() {
    std::uint64_t before = allocations_left.load(std::memory_order_relaxed);
    do {
        if (before == 0) {
            return false;
        }
    } while (!allocations_left.compare_exchange_weak(before,
                                                     before == 1 && is_lasting ? 1 : before - 1));
    if (before == 1) {
        has_failed = true;
        errno = ENOMEM;
    }
    return before == 1;
}

}  // namespace

// Instead of the C library's own.
extern "C" void* malloc(std::size_t size) {
    return fails_now() ? nullptr : __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
    return fails_now() ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* memory, std::size_t size) {
    return fails_now() ? nullptr : __libc_realloc(memory, size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails_now() ? nullptr : __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    void* const got = fails_now() ? nullptr : __libc_memalign(alignment, size);
    *memory = got != nullptr ? got : *memory;
    return got != nullptr ? 0 : ENOMEM;
}

namespace isotick::replay {

bool FailingAllocations::are_supported() {
    return true;
}

}  // namespace isotick::replay

#else

namespace isotick::replay {

bool FailingAllocations::are_supported() {
    return false;
}

}  // namespace isotick::replay

#endif

namespace isotick::replay {

FailingAllocations::FailingAllocations(std::uint64_t nth, bool lasting) {
    has_failed = false;
    is_lasting = lasting;
    allocations_left = nth;
}

FailingAllocations::~FailingAllocations() {
    allocations_left = 0;
}

bool FailingAllocations::have_failed() {
    return has_failed;
}

}  // namespace isotick::replay
