// Functions that open files. Random devices are the trial's own; and where a trial is run to learn
// what it depends on, they note what is read: files and folders, variables of the environment, and
// the libraries that are loaded. See run/dependencies.hpp.

#include "chance.hpp"
#include "library.hpp"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/syscall.h>

namespace isotick::harness::preload {
namespace {

char notes[64] = "";  // the file that they go to; empty: none are wanted

// What was noted last with such a hash: most programs ask for the same again and again.
std::atomic<std::uint64_t> noted[1024];

bool is_new(char kind, const char* name) {
    std::uint64_t hash = mixed(0, static_cast<unsigned char>(kind));
    for (; *name != '\0'; ++name) {
        hash = mixed(hash, static_cast<unsigned char>(*name));
    }
    return noted[hash % 1024].exchange(hash, std::memory_order_relaxed) != hash;
}

// At once, so that notes of several threads and processes do not mix; each ends with a zero, since
// any other byte may be in a path.
void write_note(char kind, const char* name) {
    char text[8192];
    const std::size_t length = std::strlen(name);
    if (!is_new(kind, name) || length + 2 > sizeof text) {
        return;  // the system opens no file whose path is that long
    }
    text[0] = kind;
    std::memcpy(text + 1, name, length + 1);
    const long file = ::syscall(SYS_openat, AT_FDCWD, notes, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (file >= 0) {
        ::syscall(SYS_write, file, text, length + 2);
        ::syscall(SYS_close, file);
    }
}

int note_object(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
    if (object->dlpi_name[0] == '/') {
        write_note('f', object->dlpi_name);
    }
    return 0;
}

void write_path_of(int folder, char* to, std::size_t size) {
    char link[32] = "/proc/self/cwd";
    if (folder != AT_FDCWD) {
        std::snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    }
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, to, size - 1);
    to[length < 0 ? 0 : length] = '\0';
}

void note_open(int folder, const char* path, bool reads) {
    if (reads) {
        note_path(folder, path);
    }
}

bool reads(int flags) {
    return (flags & O_ACCMODE) != O_WRONLY;
}

bool reads(const char* mode) {
    return mode[0] == 'r' || std::strchr(mode, '+') != nullptr;
}

}  // namespace

void begin_notes() {
    ISOTICK_NEXT(getenv)
    const char* path = next_getenv(kNotesVariable);
    if (path != nullptr && std::strlen(path) < sizeof notes) {
        std::strcpy(notes, path);
        note_libraries();
    }
}

void note_libraries() {
    if (notes[0] != '\0') {
        dl_iterate_phdr(note_object, nullptr);
    }
}

void note_variable(const char* name) {
    if (notes[0] != '\0' && !is_unseen()) {
        write_note('v', name);
    }
}

void note_path(int folder, const char* path) {
    if (notes[0] == '\0' || is_unseen() || path == nullptr) {
        return;
    }
    const int error = errno;
    if (path[0] == '/') {
        write_note('f', path);
    } else {
        char whole[8192];
        write_path_of(folder, whole, 4096);
        const std::size_t length = std::strlen(whole);
        std::snprintf(whole + length, sizeof whole - length, "/%s", path);
        write_note('f', whole);
    }
    errno = error;
}

}  // namespace isotick::harness::preload

using namespace isotick::harness::preload;

namespace {

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
        note_open(AT_FDCWD, path, reads(flags));                        \
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
        note_open(folder, path, reads(flags));                                      \
        const int random = open_random(path);                                       \
        return random >= 0 ? random : next_open(folder, path, flags, mode);         \
    }

ISOTICK_OPEN(open)
ISOTICK_OPEN(open64)
ISOTICK_OPEN_AT(openat)
ISOTICK_OPEN_AT(openat64)

// What _FORTIFY_SOURCE makes of a call whose flags the compiler does not know.

ISOTICK_INTERPOSED int __open_2(const char* path, int flags) {
    return open(path, flags);
}

ISOTICK_INTERPOSED int __open64_2(const char* path, int flags) {
    return open64(path, flags);
}

ISOTICK_INTERPOSED int __openat_2(int folder, const char* path, int flags) {
    return openat(folder, path, flags);
}

ISOTICK_INTERPOSED int __openat64_2(int folder, const char* path, int flags) {
    return openat64(folder, path, flags);
}

ISOTICK_INTERPOSED FILE* fopen(const char* path, const char* mode) {
    note_open(AT_FDCWD, path, reads(mode));
    ISOTICK_NEXT(fopen)
    FILE* random = stream_of(open_random(path), mode);
    return random != nullptr ? random : next_fopen(path, mode);
}

ISOTICK_INTERPOSED FILE* fopen64(const char* path, const char* mode) {
    note_open(AT_FDCWD, path, reads(mode));
    ISOTICK_NEXT(fopen64)
    FILE* random = stream_of(open_random(path), mode);
    return random != nullptr ? random : next_fopen64(path, mode);
}

ISOTICK_INTERPOSED FILE* freopen(const char* path, const char* mode, FILE* stream) {
    note_open(AT_FDCWD, path, reads(mode));
    ISOTICK_NEXT(freopen)
    return next_freopen(path, mode, stream);
}

ISOTICK_INTERPOSED FILE* freopen64(const char* path, const char* mode, FILE* stream) {
    note_open(AT_FDCWD, path, reads(mode));
    ISOTICK_NEXT(freopen64)
    return next_freopen64(path, mode, stream);
}

ISOTICK_INTERPOSED int access(const char* path, int mode) noexcept {
    note_path(AT_FDCWD, path);
    ISOTICK_NEXT(access)
    return next_access(path, mode);
}
