/* Preloaded into a program, lets its calls to the system and for memory fail: one of a kind, or all
 * from one on, in one of its processes. What to fail, and how many calls there were, is in a page
 * of memory in the file that ISOTICK_FAILING_CALLS names: see struct page, failing_calls_test.py.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum kind {
    MEMORY,
    OPEN,
    READ,
    WRITE,
    SEND,
    RECEIVE,
    SYNC,
    RENAME,
    LINK,
    UNLINK,
    FOLDER,
    TRUNCATE,
    STATUS,
    MAP,
    ANONYMOUS,
    PIPE,
    FORK,
    SPAWN,
    THREAD,
    WAIT,
    POLL,
    COPY,
    CLOSE,
    SEEK,
    LOCK,
    PRINT,
    KINDS
};

/* In the order of `kind`; read from here by failing_calls_test.py. */
const char failing_calls_kinds[] =
    "memory open read write send receive sync rename link unlink folder truncate status "
    "map anonymous pipe fork spawn thread wait poll copy close seek lock print";

/* Which process it is: started by the test, as a worker, or a copy of a worker or of a copy. */
enum role { MAIN, WORKER, TRIAL, COPIED, ROLES, NONE = -1 };

struct page {
    int64_t test;        /* the process that starts the program */
    int64_t role, kind;  /* what fails */
    int64_t first, last; /* the first and the last of these calls that do, counted from 1 */
    int64_t error;       /* what they fail with; 0: they read or write one byte */
    atomic_llong failed; /* how many did */
    atomic_llong calls[ROLES][KINDS];
    char where[8192]; /* the calls that led to the first one: lines of file+0xoffset */
};

static struct page* page;
static enum role role = NONE;
static _Thread_local int inside __attribute__((tls_model("initial-exec")));

static void note_where(void) {
    void* frames[40];
    const int count = backtrace(frames, 40);
    size_t used = 0;
    for (int i = 2; i < count && used < sizeof page->where; ++i) {
        Dl_info about;
        if (dladdr(frames[i], &about) != 0) {
            used += (size_t)snprintf(page->where + used, sizeof page->where - used, "%s+0x%zx\n",
                                     about.dli_fname,
                                     (size_t)((char*)frames[i] - (char*)about.dli_fbase) - 1);
        }
    }
}

/* Whether this call is to fail; then errno says why. */
static int fails(enum kind kind) {
    if (page == NULL || role == NONE || inside != 0) {
        return 0;
    }
    const long long number = atomic_fetch_add(&page->calls[role][kind], 1) + 1;
    if (page->role != role || page->kind != kind || number < page->first || number > page->last) {
        return 0;
    }
    if (atomic_fetch_add(&page->failed, 1) == 0) {
        ++inside;
        note_where();
        --inside;
    }
    errno = (int)page->error;
    return 1;
}

static enum role role_of_this_program(void) {
    static char words[4096];
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? -1 : read(file, words, sizeof words - 1);
    if (file >= 0) {
        close(file);
    }
    if (size > 0 && strcmp(words + strlen(words) + 1, "--isotick-worker") == 0) {
        return WORKER;
    }
    return getppid() == page->test ? MAIN : NONE;
}

__attribute__((constructor)) static void begin(void) {
    const char* const path = getenv("ISOTICK_FAILING_CALLS");
    const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    void* frames[2];
    (void)backtrace(frames, 2); /* what it loads, it loads now */
    void* const shared =
        mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    page = shared == MAP_FAILED ? NULL : shared;
    role = page == NULL ? NONE : role_of_this_program();
}

static void* next(const char* name) {
    ++inside;
    void* const found = dlsym(RTLD_NEXT, name);
    --inside;
    return found;
}

/* TYPE NAME PARAMETERS is called with ARGUMENTS, or fails with BAD. */
#define CALL(kind, type, bad, name, parameters, arguments) \
    type name parameters {                                 \
        static type(*call) parameters;                     \
        if (call == NULL) {                                \
            call = (type(*) parameters)next(#name);        \
        }                                                  \
        return fails(kind) ? (bad) : call arguments;       \
    }

/* Likewise with one byte of `size` where it should be short. */
#define PARTIAL(kind, name, parameters, arguments)     \
    ssize_t name parameters {                          \
        static ssize_t(*call) parameters;              \
        if (call == NULL) {                            \
            call = (ssize_t(*) parameters)next(#name); \
        }                                              \
        if (fails(kind)) {                             \
            if (page->error != 0) {                    \
                return -1;                             \
            }                                          \
            size = size > 1 ? 1 : size;                \
        }                                              \
        return call arguments;                         \
    }

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
    return fails(MEMORY) ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    return fails(MEMORY) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* block, size_t size) {
    return fails(MEMORY) ? NULL : __libc_realloc(block, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    return fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) {
    return fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
    *block = fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

#define OPENING(name, parameters, last, arguments)                   \
    int name parameters {                                            \
        static int (*call)();                                        \
        va_list more;                                                \
        va_start(more, last);                                        \
        const int needs_mode = (flags & (O_CREAT | O_TMPFILE)) != 0; \
        const mode_t mode = needs_mode ? va_arg(more, mode_t) : 0;   \
        va_end(more);                                                \
        if (call == NULL) {                                          \
            call = (int (*)())next(#name);                           \
        }                                                            \
        return fails(OPEN) ? -1 : call arguments;                    \
    }
OPENING(open, (const char* path, int flags, ...), flags, (path, flags, mode))
OPENING(open64, (const char* path, int flags, ...), flags, (path, flags, mode))
OPENING(openat, (int folder, const char* path, int flags, ...), flags, (folder, path, flags, mode))
OPENING(openat64, (int folder, const char* path, int flags, ...), flags,
        (folder, path, flags, mode))
CALL(OPEN, FILE*, NULL, fopen, (const char* path, const char* mode), (path, mode))
CALL(OPEN, FILE*, NULL, fopen64, (const char* path, const char* mode), (path, mode))
CALL(OPEN, DIR*, NULL, opendir, (const char* path), (path))
CALL(OPEN, int, -1, mkstemp, (char* path), (path))
CALL(OPEN, int, -1, mkstemp64, (char* path), (path))

PARTIAL(READ, read, (int file, void* bytes, size_t size), (file, bytes, size))
PARTIAL(READ, pread, (int file, void* bytes, size_t size, off_t at), (file, bytes, size, at))
PARTIAL(READ, pread64, (int file, void* bytes, size_t size, off64_t at), (file, bytes, size, at))
PARTIAL(WRITE, write, (int file, const void* bytes, size_t size), (file, bytes, size))
PARTIAL(WRITE, pwrite, (int file, const void* bytes, size_t size, off_t at),
        (file, bytes, size, at))
PARTIAL(WRITE, pwrite64, (int file, const void* bytes, size_t size, off64_t at),
        (file, bytes, size, at))
CALL(WRITE, ssize_t, -1, writev, (int file, const struct iovec* parts, int count),
     (file, parts, count))
CALL(SEND, ssize_t, -1, send, (int socket, const void* bytes, size_t size, int flags),
     (socket, bytes, size, flags))
CALL(RECEIVE, ssize_t, -1, recv, (int socket, void* bytes, size_t size, int flags),
     (socket, bytes, size, flags))
CALL(SYNC, int, -1, fsync, (int file), (file))
CALL(SYNC, int, -1, fdatasync, (int file), (file))

CALL(RENAME, int, -1, rename, (const char* from, const char* to), (from, to))
CALL(LINK, int, -1, link, (const char* from, const char* to), (from, to))
CALL(LINK, int, -1, linkat, (int in, const char* from, int into, const char* to, int flags),
     (in, from, into, to, flags))
CALL(UNLINK, int, -1, unlink, (const char* path), (path))
CALL(UNLINK, int, -1, unlinkat, (int folder, const char* path, int flags), (folder, path, flags))
CALL(UNLINK, int, -1, remove, (const char* path), (path))
CALL(UNLINK, int, -1, rmdir, (const char* path), (path))
CALL(FOLDER, int, -1, mkdir, (const char* path, mode_t mode), (path, mode))
CALL(FOLDER, char*, NULL, mkdtemp, (char* path), (path))
CALL(TRUNCATE, int, -1, ftruncate, (int file, off_t size), (file, size))
CALL(TRUNCATE, int, -1, ftruncate64, (int file, off64_t size), (file, size))
CALL(STATUS, int, -1, stat, (const char* path, struct stat* about), (path, about))
CALL(STATUS, int, -1, lstat, (const char* path, struct stat* about), (path, about))
CALL(STATUS, int, -1, fstat, (int file, struct stat* about), (file, about))
CALL(STATUS, int, -1, stat64, (const char* path, struct stat64* about), (path, about))
CALL(STATUS, int, -1, lstat64, (const char* path, struct stat64* about), (path, about))
CALL(STATUS, int, -1, fstat64, (int file, struct stat64* about), (file, about))
CALL(STATUS, int, -1, access, (const char* path, int mode), (path, mode))

CALL(MAP, void*, MAP_FAILED, mmap,
     (void* at, size_t size, int protection, int flags, int file, off_t from),
     (at, size, protection, flags, file, from))
CALL(MAP, void*, MAP_FAILED, mmap64,
     (void* at, size_t size, int protection, int flags, int file, off64_t from),
     (at, size, protection, flags, file, from))
CALL(ANONYMOUS, int, -1, memfd_create, (const char* name, unsigned flags), (name, flags))
CALL(PIPE, int, -1, pipe2, (int ends[2], int flags), (ends, flags))
CALL(PIPE, int, -1, socketpair, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends))
CALL(SPAWN, int, (int)page->error, posix_spawn,
     (pid_t * process, const char* path, const posix_spawn_file_actions_t* actions,
      const posix_spawnattr_t* attributes, char* const* words, char* const* environment),
     (process, path, actions, attributes, words, environment))
CALL(THREAD, int, (int)page->error, pthread_create,
     (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with),
     (thread, attributes, run, with))
CALL(WAIT, pid_t, -1, waitpid, (pid_t process, int* status, int options),
     (process, status, options))
CALL(WAIT, int, -1, waitid, (idtype_t type, id_t id, siginfo_t* about, int options),
     (type, id, about, options))
CALL(POLL, int, -1, poll, (struct pollfd * files, nfds_t count, int timeout),
     (files, count, timeout))
CALL(COPY, int, -1, dup2, (int file, int to), (file, to))
CALL(SEEK, off_t, -1, lseek, (int file, off_t to, int from), (file, to, from))
CALL(SEEK, off64_t, -1, lseek64, (int file, off64_t to, int from), (file, to, from))
CALL(LOCK, int, -1, flock, (int file, int what), (file, what))
CALL(PRINT, size_t, 0, fwrite, (const void* bytes, size_t size, size_t count, FILE* file),
     (bytes, size, count, file))
CALL(PRINT, int, EOF, fflush, (FILE * file), (file))

/* Waits for ever. A process that looks at something at intervals makes calls each time: with the
 * clock left out, a command makes the same calls however slow the machine is. */
int sigtimedwait(const sigset_t* signals, siginfo_t* about, const struct timespec* time_limit) {
    static int (*call)(const sigset_t*, siginfo_t*, const struct timespec*);
    if (call == NULL) {
        call = (int (*)(const sigset_t*, siginfo_t*, const struct timespec*))next("sigtimedwait");
    }
    (void)time_limit;
    return call(signals, about, NULL);
}

#define COPYING(name)                                     \
    int name(int file, int what, ...) {                   \
        static int (*call)(int, int, ...);                \
        va_list more;                                     \
        va_start(more, what);                             \
        void* const with = va_arg(more, void*);           \
        va_end(more);                                     \
        if (call == NULL) {                               \
            call = (int (*)(int, int, ...))next(#name);   \
        }                                                 \
        return fails(COPY) ? -1 : call(file, what, with); \
    }
COPYING(fcntl)
COPYING(fcntl64)

/* A file whose close fails is closed. */
int close(int file) {
    static int (*call)(int);
    if (call == NULL) {
        call = (int (*)(int))next("close");
    }
    const int bad = fails(CLOSE);
    const int error = errno;
    const int closed = call(file);
    errno = bad ? error : errno;
    return bad ? -1 : closed;
}

pid_t fork(void) {
    static pid_t (*call)(void);
    if (call == NULL) {
        call = (pid_t(*)(void))next("fork");
    }
    if (fails(FORK)) {
        return -1;
    }
    const pid_t copy = call();
    if (copy == 0) {
        role = role == WORKER ? TRIAL : role == TRIAL || role == COPIED ? COPIED : NONE;
    }
    return copy;
}
