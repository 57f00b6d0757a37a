#include "chance.hpp"

#include "library.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/random.h>

namespace isotick::harness::preload {
namespace {

// Random numbers: other ones in each trial, the same ones where the trial is run again. The state
// of the C library's generators is whatever other users of the process have left.

std::atomic<std::uint64_t> drawn{0};

}  // namespace

// What comes later is the same as if this call had not been left as usual.
void skip(std::size_t size) {
    drawn.fetch_add(is_left_as_usual() ? (size + 7) / 8 : 0, std::memory_order_relaxed);
}

std::optional<std::uint64_t> next_by_chance() {
    const std::uint64_t seed = settings().chance;
    if (seed == 0 && !is_left_as_usual()) {
        return std::nullopt;
    }
    const std::uint64_t number = drawn.fetch_add(1, std::memory_order_relaxed);
    return seed == 0 ? std::nullopt : std::optional(mixed(seed, number));
}

bool fill_by_chance(void* memory, std::size_t size) {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    const std::uint64_t seed = settings().chance;
    if (seed == 0) {
        skip(size);
        return false;
    }
    auto* bytes = static_cast<unsigned char*>(memory);
    std::uint64_t number = drawn.fetch_add((size + kWord - 1) / kWord, std::memory_order_relaxed);
    while (size > 0) {
        const std::uint64_t random = mixed(seed, number++);
        const std::size_t part = size < kWord ? size : kWord;
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
    const AskedForChance asked("rand");
    ISOTICK_NEXT(rand)
    return next_rand();
}

ISOTICK_INTERPOSED long random() noexcept {
    const AskedForChance asked("random");
    ISOTICK_NEXT(random)
    return next_random();
}

ISOTICK_INTERPOSED double drand48() noexcept {
    const AskedForChance asked("drand48");
    ISOTICK_NEXT(drand48)
    return next_drand48();
}

ISOTICK_INTERPOSED long lrand48() noexcept {
    const AskedForChance asked("lrand48");
    ISOTICK_NEXT(lrand48)
    return next_lrand48();
}

ISOTICK_INTERPOSED long mrand48() noexcept {
    const AskedForChance asked("mrand48");
    ISOTICK_NEXT(mrand48)
    return next_mrand48();
}

// Those of the system.

ISOTICK_INTERPOSED ssize_t getrandom(void* memory, size_t size, unsigned flags) {
    const AskedForChance asked("getrandom");
    ISOTICK_NEXT(getrandom)
    return fill_by_chance(memory, size) ? static_cast<ssize_t>(size)
                                        : next_getrandom(memory, size, flags);
}

ISOTICK_INTERPOSED int getentropy(void* memory, size_t size) {
    const AskedForChance asked("getentropy");
    ISOTICK_NEXT(getentropy)
    return fill_by_chance(memory, size) ? 0 : next_getentropy(memory, size);
}

#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 36)
ISOTICK_INTERPOSED uint32_t arc4random() noexcept {
    const AskedForChance asked("arc4random");
    ISOTICK_NEXT(arc4random)
    const auto random = next_by_chance();
    return random ? static_cast<uint32_t>(*random) : next_arc4random();
}

ISOTICK_INTERPOSED uint32_t arc4random_uniform(uint32_t bound) noexcept {
    const AskedForChance asked("arc4random_uniform");
    ISOTICK_NEXT(arc4random_uniform)
    const auto random = next_by_chance();
    return random && bound != 0 ? static_cast<uint32_t>(*random % bound)
                                : next_arc4random_uniform(bound);
}

ISOTICK_INTERPOSED void arc4random_buf(void* memory, size_t size) noexcept {
    const AskedForChance asked("arc4random_buf");
    ISOTICK_NEXT(arc4random_buf)
    if (!fill_by_chance(memory, size)) {
        next_arc4random_buf(memory, size);
    }
}
#endif
#endif

// unsigned int std::random_device::_M_getval(), which asks the processor.
ISOTICK_INTERPOSED unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
    const AskedForChance asked("std::random_device");
    static unsigned (*next_getval)(void*) = nullptr;
    if (next_getval == nullptr) {
        next_getval = next<unsigned(void*)>("_ZNSt13random_device9_M_getvalEv");
    }
    const auto random = next_by_chance();
    return random ? static_cast<unsigned>(*random) : next_getval(device);
}
// /dev/urandom and /dev/random, as files of the trial's random bytes.

namespace {

bool is_random(const char* path) {
    return path != nullptr &&
           (std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0);
}

}  // namespace

namespace isotick::harness::preload {

// As many bytes as anybody reads for a seed, and more. -1: as usual.
int open_random(const char* path) {
    if (!is_random(path)) {
        return -1;
    }
    const AskedForChance asked(path);
    constexpr std::size_t kSize = std::size_t{1} << 20U;
    if (settings().chance == 0) {
        skip(kSize);
        return -1;
    }
    const int file = memfd_create("random", 0);
    if (file < 0 || ftruncate(file, kSize) != 0) {
        return file;
    }
    void* mapped = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) {
        fill_by_chance(mapped, kSize);
        munmap(mapped, kSize);
    }
    return file;
}

}  // namespace isotick::harness::preload
