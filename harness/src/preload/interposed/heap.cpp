// Where blocks lie on the heap, and what fresh ones hold. The allocator stays glibc's: small blocks
// are handed out from a few that wait for each size, in an order of the trial's own, so that what
// was asked for later may lie lower, and what was freed comes again at another time.

#include "library.hpp"

#include <atomic>
#include <cstring>
#include <malloc.h>

extern "C" {
void* __libc_malloc(size_t size);
void __libc_free(void* block);
}

namespace isotick::harness::preload {
namespace {

constexpr std::size_t kStep = 16;  // between sizes
constexpr std::size_t kLargest = 1024;
constexpr std::size_t kWaiting = 8;

class Pools {
  public:
    void begin(std::uint64_t seed) { seed_ = seed; }
    [[nodiscard]] bool is_usual() const { return seed_ == 0; }

    void* allocate(std::size_t size) {
        return size <= kLargest ? allocate_small(size) : allocate_large(size);
    }

  private:
    void* allocate_small(std::size_t size) {
        const std::size_t steps = size == 0 ? 1 : (size + kStep - 1) / kStep;
        while (busy_.test_and_set(std::memory_order_acquire)) {
        }
        auto& waiting = waiting_[steps];
        void*& chosen = waiting[mixed(seed_, drawn_++) % kWaiting];
        for (void*& one : waiting) {
            one = one == nullptr ? __libc_malloc(steps * kStep) : one;
        }
        void* block = chosen;
        chosen = __libc_malloc(steps * kStep);
        busy_.clear(std::memory_order_release);
        return block;
    }

    // One of two places; the other one is free for the next.
    void* allocate_large(std::size_t size) {
        void* first = __libc_malloc(size);
        void* second = __libc_malloc(size);
        const bool takes_first = second == nullptr || mixed(seed_, ++large_) % 2 == 0;
        __libc_free(takes_first ? second : first);
        return takes_first ? first : second;
    }

    std::uint64_t seed_ = 0;
    std::uint64_t drawn_ = 0;
    std::atomic<std::uint64_t> large_{0};
    std::atomic_flag busy_;
    void* waiting_[kLargest / kStep + 1][kWaiting]{};  // by size
};

constinit Pools pools;

}  // namespace

void begin_heap() {
    const Settings& wanted = settings();
    if (wanted.heap_fill != 0) {  // for what is allocated in other ways
        mallopt(M_PERTURB, static_cast<int>(~wanted.heap_fill & 0xFFU));
    }
    if (wanted.heap_order != 0) {
        pools.begin(wanted.heap_order);
    }
}

}  // namespace isotick::harness::preload

using isotick::harness::preload::pools;
using isotick::harness::preload::settings;

ISOTICK_INTERPOSED void* malloc(size_t size) noexcept {
    void* block = pools.is_usual() ? __libc_malloc(size) : pools.allocate(size);
    if (const std::uint64_t fill = settings().heap_fill; fill != 0 && block != nullptr) {
        std::memset(block, static_cast<int>(fill), size);
    }
    return block;
}

ISOTICK_INTERPOSED void free(void* block) noexcept {
    if (const std::uint64_t fill = settings().heap_fill; fill != 0 && block != nullptr) {
        std::memset(block, static_cast<int>(~fill), malloc_usable_size(block));
    }
    __libc_free(block);
}
