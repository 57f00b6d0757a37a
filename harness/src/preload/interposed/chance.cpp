// Random numbers: other ones in each trial, the same ones where the trial is run again. The state
// of the C library's generators is whatever other users of the process have left.

#include "chance.hpp"

#include "library.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/random.h>

namespace isotick::harness::preload {
namespace {

std::atomic<std::uint64_t> drawn{0};

}  // namespace

std::uint64_t next_by_chance() {
    return mixed(settings().chance, drawn.fetch_add(1, std::memory_order_relaxed));
}

bool fill_by_chance(void* memory, std::size_t size) {
    if (settings().chance == 0) {
        return false;
    }
    auto* bytes = static_cast<unsigned char*>(memory);
    while (size > 0) {
        const std::uint64_t random = next_by_chance();
        const std::size_t part = size < sizeof random ? size : sizeof random;
        std::memcpy(bytes, &random, part);
        bytes += part;
        size -= part;
    }
    return true;
}

void begin_chance() {
    drawn = 0;
    if (const std::uint64_t seed = settings().chance; seed != 0) {
        srand(static_cast<unsigned>(mixed(seed, 1)));
        srand48(static_cast<long>(mixed(seed, 2)));
    }
}

}  // namespace isotick::harness::preload

using namespace isotick::harness::preload;

// Those of the C library, which begin with a seed of the trial.

ISOTICK_INTERPOSED int rand() noexcept {
    note(Source::chance, "rand");
    ISOTICK_NEXT(rand)
    return next_rand();
}

ISOTICK_INTERPOSED long random() noexcept {
    note(Source::chance, "random");
    ISOTICK_NEXT(random)
    return next_random();
}

ISOTICK_INTERPOSED double drand48() noexcept {
    note(Source::chance, "drand48");
    ISOTICK_NEXT(drand48)
    return next_drand48();
}

ISOTICK_INTERPOSED long lrand48() noexcept {
    note(Source::chance, "lrand48");
    ISOTICK_NEXT(lrand48)
    return next_lrand48();
}

ISOTICK_INTERPOSED long mrand48() noexcept {
    note(Source::chance, "mrand48");
    ISOTICK_NEXT(mrand48)
    return next_mrand48();
}

// Those of the system.

ISOTICK_INTERPOSED ssize_t getrandom(void* memory, size_t size, unsigned flags) {
    note(Source::chance, "getrandom");
    ISOTICK_NEXT(getrandom)
    return fill_by_chance(memory, size) ? static_cast<ssize_t>(size)
                                        : next_getrandom(memory, size, flags);
}

ISOTICK_INTERPOSED int getentropy(void* memory, size_t size) {
    note(Source::chance, "getentropy");
    ISOTICK_NEXT(getentropy)
    return fill_by_chance(memory, size) ? 0 : next_getentropy(memory, size);
}

#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 36)
ISOTICK_INTERPOSED uint32_t arc4random() noexcept {
    note(Source::chance, "arc4random");
    ISOTICK_NEXT(arc4random)
    return settings().chance != 0 ? static_cast<uint32_t>(next_by_chance()) : next_arc4random();
}

ISOTICK_INTERPOSED uint32_t arc4random_uniform(uint32_t bound) noexcept {
    note(Source::chance, "arc4random_uniform");
    ISOTICK_NEXT(arc4random_uniform)
    return settings().chance != 0 && bound != 0 ? static_cast<uint32_t>(next_by_chance() % bound)
                                                : next_arc4random_uniform(bound);
}

ISOTICK_INTERPOSED void arc4random_buf(void* memory, size_t size) noexcept {
    note(Source::chance, "arc4random_buf");
    ISOTICK_NEXT(arc4random_buf)
    if (!fill_by_chance(memory, size)) {
        next_arc4random_buf(memory, size);
    }
}
#endif
#endif

// unsigned int std::random_device::_M_getval(), which asks the processor.
ISOTICK_INTERPOSED unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
    note(Source::chance, "std::random_device");
    static unsigned (*next_getval)(void*) = nullptr;
    if (next_getval == nullptr) {
        next_getval = next<unsigned(void*)>("_ZNSt13random_device9_M_getvalEv");
    }
    return settings().chance != 0 ? static_cast<unsigned>(next_by_chance()) : next_getval(device);
}
