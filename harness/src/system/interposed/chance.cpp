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
// /dev/urandom and /dev/random, as files of the trial's random bytes.

using namespace isotick::harness::preload;

namespace {

bool is_random(const char* path) {
    return path != nullptr &&
           (std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0);
}

// As many bytes as anybody reads for a seed, and more. -1: as usual.
int open_random(const char* path) {
    if (!is_random(path)) {
        return -1;
    }
    note(Source::chance, path);
    if (settings().chance == 0) {
        return -1;
    }
    constexpr std::size_t kSize = std::size_t{1} << 20U;
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

mode_t mode_of(int flags, va_list list) {
    const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return makes ? va_arg(list, mode_t) : 0;
}

FILE* stream_of(int file, const char* mode) {
    return file < 0 ? nullptr : fdopen(file, std::strchr(mode, '+') != nullptr ? "r+" : "r");
}

}  // namespace

#define ISOTICK_OPEN(function)                                          \
    ISOTICK_INTERPOSED int function(const char* path, int flags, ...) { \
        va_list list;                                                   \
        va_start(list, flags);                                          \
        const mode_t mode = mode_of(flags, list);                       \
        va_end(list);                                                   \
        static int (*next_open)(const char*, int, ...) = nullptr;       \
        if (next_open == nullptr) {                                     \
            next_open = next<int(const char*, int, ...)>(#function);    \
        }                                                               \
        const int random = open_random(path);                           \
        return random >= 0 ? random : next_open(path, flags, mode);     \
    }

#define ISOTICK_OPEN_AT(function)                                                   \
    ISOTICK_INTERPOSED int function(int folder, const char* path, int flags, ...) { \
        va_list list;                                                               \
        va_start(list, flags);                                                      \
        const mode_t mode = mode_of(flags, list);                                   \
        va_end(list);                                                               \
        static int (*next_open)(int, const char*, int, ...) = nullptr;              \
        if (next_open == nullptr) {                                                 \
            next_open = next<int(int, const char*, int, ...)>(#function);           \
        }                                                                           \
        const int random = open_random(path);                                       \
        return random >= 0 ? random : next_open(folder, path, flags, mode);         \
    }

ISOTICK_OPEN(open)
ISOTICK_OPEN(open64)
ISOTICK_OPEN_AT(openat)
ISOTICK_OPEN_AT(openat64)

ISOTICK_INTERPOSED FILE* fopen(const char* path, const char* mode) {
    ISOTICK_NEXT(fopen)
    FILE* random = stream_of(open_random(path), mode);
    return random != nullptr ? random : next_fopen(path, mode);
}

ISOTICK_INTERPOSED FILE* fopen64(const char* path, const char* mode) {
    ISOTICK_NEXT(fopen64)
    FILE* random = stream_of(open_random(path), mode);
    return random != nullptr ? random : next_fopen64(path, mode);
}
