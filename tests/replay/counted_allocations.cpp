#include "counted_allocations.hpp"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

thread_local std::uint64_t allocations = 0;
// What another thread frees is missing here, so that it may be below zero.
thread_local std::int64_t held = 0;
thread_local std::int64_t held_before = 0;
thread_local std::int64_t most_held = 0;

}  // namespace

// Sanitizers have operators of their own, which tell what belongs together.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::int64_t size_of(void* memory) {
#if defined(_WIN32)
    return static_cast<std::int64_t>(_msize(memory));
#else
    return static_cast<std::int64_t>(malloc_usable_size(memory));
#endif
}

}  // namespace

// As the standard library's own, but counting.
void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        held += size_of(memory);
        most_held = std::max(most_held, held);
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) {
        held -= size_of(memory);
        std::free(memory);
    }
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

#endif

namespace isotick::replay {

std::uint64_t allocations_here() {
    return allocations;
}

void watch_memory_here() {
    held_before = held;
    most_held = held;
}

std::uint64_t most_memory_here() {
    return static_cast<std::uint64_t>(most_held - held_before);
}

}  // namespace isotick::replay
