// Where blocks lie on the heap, and what fresh ones hold. The allocator stays the program's: blocks
// of up to 64 KiB are handed out from a few that wait for each size, in an order of the trial's
// own, so that what was asked for later may lie lower, and what was freed comes again at another
// time.

#include "library.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <malloc.h>

namespace isotick::harness::preload {
namespace {

// The allocator's own.
void* own_malloc(std::size_t size) {
    ISOTICK_NEXT(malloc)
    return next_malloc(size);
}

void own_free(void* block) {
    ISOTICK_NEXT(free)
    next_free(block);
}

// Sizes that blocks are handed out in: by sixteen bytes at first, then four for each power of two.
constexpr std::size_t kStep = 16;
constexpr std::size_t kFine = 64;  // sizes by steps
constexpr std::size_t kFineBits = 10;
constexpr std::size_t kMostBits = 16;
constexpr std::size_t kSizes = kFine + 1 + 4 * (kMostBits - kFineBits);
constexpr std::size_t kLargest = std::size_t{1} << kMostBits;

struct Size {
    std::size_t index;
    std::size_t bytes;
};

Size size_for(std::size_t wanted) {
    if (wanted <= kFine * kStep) {
        const std::size_t steps = wanted == 0 ? 1 : (wanted + kStep - 1) / kStep;
        return {steps, steps * kStep};
    }
    const auto bits = static_cast<std::size_t>(std::bit_width(wanted - 1)) - 1;
    const std::size_t quarter = (wanted - 1 - (std::size_t{1} << bits)) >> (bits - 2);
    return {kFine + 1 + 4 * (bits - kFineBits) + quarter,
            (std::size_t{1} << bits) + ((quarter + 1) << (bits - 2))};
}

class Pools {
  public:
    void begin(std::uint64_t seed) { seed_ = seed; }
    [[nodiscard]] bool is_usual() const { return seed_ == 0; }

    void* allocate(std::size_t wanted) {
        return wanted <= kLargest ? allocate(size_for(wanted)) : allocate_large(wanted);
    }

  private:
    void* allocate(const Size& size) {
        while (busy_.test_and_set(std::memory_order_acquire)) {
        }
        auto& waiting = waiting_[size.index];
        void*& chosen = waiting[mixed(seed_, drawn_++) % kWaiting];
        for (void*& one : waiting) {
            one = one == nullptr ? own_malloc(size.bytes) : one;
        }
        void* block = chosen;
        chosen = own_malloc(size.bytes);
        busy_.clear(std::memory_order_release);
        return block;
    }

    // One of two places; the other one is free for the next. A gap between them moves what follows
    // to another alignment.
    void* allocate_large(std::size_t size) {
        const std::uint64_t number = large_.fetch_add(1);
        const std::uint64_t drawn = mixed(seed_, number);
        void* first = own_malloc(size);
        void* gap = own_malloc((1 + drawn / 2 % kGapSizes) * kStep);
        own_free(gaps_[number % kGaps].exchange(gap));
        void* second = own_malloc(size);
        const bool takes_first = second == nullptr || drawn % 2 == 0;
        own_free(takes_first ? second : first);
        return takes_first ? first : second;
    }

    static constexpr std::size_t kWaiting = 8;
    static constexpr std::size_t kGaps = 64;  // that there are at a time
    static constexpr std::size_t kGapSizes = 16;

    std::uint64_t seed_ = 0;
    std::uint64_t drawn_ = 0;
    std::atomic_flag busy_;
    void* waiting_[kSizes][kWaiting]{};
    std::atomic<std::uint64_t> large_{0};
    std::atomic<void*> gaps_[kGaps]{};
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

using namespace isotick::harness::preload;

ISOTICK_INTERPOSED void* malloc(size_t size) noexcept {
    void* block = pools.is_usual() ? own_malloc(size) : pools.allocate(size);
    if (const std::uint64_t fill = settings().heap_fill; fill != 0 && block != nullptr) {
        std::memset(block, static_cast<int>(fill), size);
    }
    return block;
}

// What it adds is as fresh as a new block.
ISOTICK_INTERPOSED void* realloc(void* block, size_t size) noexcept {
    if (block == nullptr) {
        return malloc(size);
    }
    ISOTICK_NEXT(realloc)
    const std::uint64_t fill = settings().heap_fill;
    const std::size_t old = fill != 0 ? malloc_usable_size(block) : size;
    void* const grown = next_realloc(block, size);
    if (grown != nullptr && size > old) {
        std::memset(static_cast<char*>(grown) + old, static_cast<int>(fill), size - old);
    }
    return grown;
}

ISOTICK_INTERPOSED void free(void* block) noexcept {
    if (const std::uint64_t fill = settings().heap_fill; fill != 0 && block != nullptr) {
        std::memset(block, static_cast<int>(~fill), malloc_usable_size(block));
    }
    own_free(block);
}
