// Random numbers of the system: others for each peer, the same in each run of a session.

#include "inside.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/random.h>

namespace isotick::harness::netplay {
namespace {

std::uint64_t drawn = 0;

std::uint64_t next_number() {
    return mixed(page()->chance, drawn++);
}

void fill(void* memory, std::size_t size) {
    auto* bytes = static_cast<unsigned char*>(memory);
    while (size > 0) {
        const std::uint64_t random = next_number();
        const std::size_t part = size < sizeof random ? size : sizeof random;
        std::memcpy(bytes, &random, part);
        bytes += part;
        size -= part;
    }
}

// As many bytes as anybody reads for a seed, and more. -1: not that file.
int open_random(const char* path) {
    if (page() == nullptr || path == nullptr ||
        (std::strcmp(path, "/dev/urandom") != 0 && std::strcmp(path, "/dev/random") != 0)) {
        return -1;
    }
    constexpr std::size_t kSize = std::size_t{1} << 20U;
    const int file = memfd_create("random", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, kSize) != 0) {
        return file;
    }
    void* const mapped = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) {
        fill(mapped, kSize);
        munmap(mapped, kSize);
    }
    return file;
}

}  // namespace
}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED ssize_t getrandom(void* memory, size_t size, unsigned flags) {
    ISOTICK_NEXT(getrandom)
    if (page() == nullptr) {
        return next_getrandom(memory, size, flags);
    }
    fill(memory, size);
    return static_cast<ssize_t>(size);
}

ISOTICK_INTERPOSED int getentropy(void* memory, size_t size) {
    ISOTICK_NEXT(getentropy)
    if (page() == nullptr) {
        return next_getentropy(memory, size);
    }
    fill(memory, size);
    return 0;
}

#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 36)
ISOTICK_INTERPOSED uint32_t arc4random() noexcept {
    ISOTICK_NEXT(arc4random)
    return page() == nullptr ? next_arc4random() : static_cast<uint32_t>(next_number());
}

ISOTICK_INTERPOSED uint32_t arc4random_uniform(uint32_t bound) noexcept {
    ISOTICK_NEXT(arc4random_uniform)
    return page() == nullptr || bound == 0 ? next_arc4random_uniform(bound)
                                           : static_cast<uint32_t>(next_number() % bound);
}

ISOTICK_INTERPOSED void arc4random_buf(void* memory, size_t size) noexcept {
    ISOTICK_NEXT(arc4random_buf)
    if (page() == nullptr) {
        next_arc4random_buf(memory, size);
        return;
    }
    fill(memory, size);
}
#endif
#endif

// unsigned int std::random_device::_M_getval(), which asks the processor.
ISOTICK_INTERPOSED unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
    if (page() != nullptr) {
        return static_cast<unsigned>(next_number());
    }
    static const auto next_getval = next<unsigned(void*)>("_ZNSt13random_device9_M_getvalEv");
    return next_getval(device);
}

// /dev/urandom and /dev/random.

namespace {

unsigned mode_of(int flags, std::va_list list) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, unsigned) : 0U;
}

}  // namespace

#define ISOTICK_INTERPOSED_OPEN(function)                               \
    ISOTICK_INTERPOSED int function(const char* path, int flags, ...) { \
        static int (*next_open)(const char*, int, ...) = nullptr;       \
        if (next_open == nullptr) {                                     \
            next_open = next<int(const char*, int, ...)>(#function);    \
        }                                                               \
        std::va_list list;                                              \
        va_start(list, flags);                                          \
        const unsigned mode = mode_of(flags, list);                     \
        va_end(list);                                                   \
        const int file = open_random(path);                             \
        return file >= 0 ? file : next_open(path, flags, mode);         \
    }

#define ISOTICK_INTERPOSED_OPENAT(function)                                         \
    ISOTICK_INTERPOSED int function(int folder, const char* path, int flags, ...) { \
        static int (*next_open)(int, const char*, int, ...) = nullptr;              \
        if (next_open == nullptr) {                                                 \
            next_open = next<int(int, const char*, int, ...)>(#function);           \
        }                                                                           \
        std::va_list list;                                                          \
        va_start(list, flags);                                                      \
        const unsigned mode = mode_of(flags, list);                                 \
        va_end(list);                                                               \
        const int file = open_random(path);                                         \
        return file >= 0 ? file : next_open(folder, path, flags, mode);             \
    }

#define ISOTICK_INTERPOSED_FOPEN(function)                                                        \
    ISOTICK_INTERPOSED FILE* function(const char* __restrict path, const char* __restrict mode) { \
        static FILE* (*next_open)(const char*, const char*) = nullptr;                            \
        if (next_open == nullptr) {                                                               \
            next_open = next<FILE*(const char*, const char*)>(#function);                         \
        }                                                                                         \
        const int file = open_random(path);                                                       \
        return file >= 0 ? fdopen(file, mode) : next_open(path, mode);                            \
    }

ISOTICK_INTERPOSED_OPEN(open)
ISOTICK_INTERPOSED_OPEN(open64)
ISOTICK_INTERPOSED_OPENAT(openat)
ISOTICK_INTERPOSED_OPENAT(openat64)
ISOTICK_INTERPOSED_FOPEN(fopen)
ISOTICK_INTERPOSED_FOPEN(fopen64)
