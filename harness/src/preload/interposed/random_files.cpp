// /dev/urandom and /dev/random, as files of the trial's random bytes.

#include "chance.hpp"
#include "library.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>

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
