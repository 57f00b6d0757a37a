// Another order of the entries of folders, as other file systems have. Entries are read all at
// once, and handed out in an order of the trial's own.

#include "clock.hpp"
#include "library.hpp"

#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>

#include <sys/stat.h>
#include <sys/types.h>

namespace {

using namespace isotick::harness::preload;

// The entries of one open folder.
struct Listing {
    Listing* following;
    DIR* folder;
    struct Entry {
        std::uint64_t rank;
        dirent64* entry;
    };
    Entry* entries;
    std::size_t count;
    std::size_t next;
};

// Folders are read by one thread each, but several may be open.
thread_local Listing* listings = nullptr;

Listing* find_stream(DIR* folder) {
    Listing* one = listings;
    while (one != nullptr && one->folder != folder) {
        one = one->following;
    }
    return one;
}

void forget(DIR* folder) {
    for (Listing** one = &listings; *one != nullptr; one = &(*one)->following) {
        if ((*one)->folder == folder) {
            Listing* gone = *one;
            *one = gone->following;
            for (std::size_t i = 0; i < gone->count; ++i) {
                std::free(gone->entries[i].entry);
            }
            std::free(gone->entries);
            std::free(gone);
            return;
        }
    }
}

std::uint64_t rank_of(const char* name) {
    std::uint64_t rank = settings().directory_order;
    for (; *name != '\0'; ++name) {
        rank = mixed(rank, static_cast<unsigned char>(*name));
    }
    return rank;
}

int by_rank(const void* a, const void* b) {
    const auto left = static_cast<const Listing::Entry*>(a)->rank;
    const auto right = static_cast<const Listing::Entry*>(b)->rank;
    return left < right ? -1 : left > right ? 1 : 0;
}

dirent64* copy_of(const dirent64* entry) {
    auto* copy = static_cast<dirent64*>(std::malloc(entry->d_reclen));
    if (copy != nullptr) {
        std::memcpy(copy, entry, entry->d_reclen);
    }
    return copy;
}

Listing* read_all(DIR* folder, dirent64* (*next_readdir)(DIR*)) {
    auto* listing = static_cast<Listing*>(std::calloc(1, sizeof(Listing)));
    if (listing == nullptr) {
        return nullptr;
    }
    listing->folder = folder;
    while (const dirent64* entry = next_readdir(folder)) {
        auto* more = static_cast<Listing::Entry*>(
            std::realloc(listing->entries, (listing->count + 1) * sizeof(Listing::Entry)));
        dirent64* copy = more == nullptr ? nullptr : copy_of(entry);
        listing->entries = more == nullptr ? listing->entries : more;
        if (copy == nullptr) {
            break;
        }
        listing->entries[listing->count++] = {rank_of(copy->d_name), copy};
    }
    std::qsort(listing->entries, listing->count, sizeof(Listing::Entry), by_rank);
    listing->following = listings;
    listings = listing;
    return listing;
}

dirent64* next_entry(DIR* folder, dirent64* (*next_readdir)(DIR*)) {
    note(Source::directories, "readdir");
    if (settings().directory_order == 0) {
        return next_readdir(folder);
    }
    Listing* listing = find_stream(folder);
    listing = listing == nullptr ? read_all(folder, next_readdir) : listing;
    return listing == nullptr || listing->next == listing->count
               ? nullptr
               : listing->entries[listing->next++].entry;
}

}  // namespace

// One and the same where files have 64 bits.
static_assert(sizeof(dirent) == sizeof(dirent64));

ISOTICK_INTERPOSED DIR* opendir(const char* path) {
    note_path(AT_FDCWD, path);
    ISOTICK_NEXT(opendir)
    return next_opendir(path);
}

ISOTICK_INTERPOSED dirent64* readdir64(DIR* folder) {
    ISOTICK_NEXT(readdir64)
    return next_entry(folder, next_readdir64);
}

ISOTICK_INTERPOSED dirent* readdir(DIR* folder) {
    ISOTICK_NEXT(readdir64)
    return reinterpret_cast<dirent*>(next_entry(folder, next_readdir64));
}

ISOTICK_INTERPOSED void rewinddir(DIR* folder) noexcept {
    ISOTICK_NEXT(rewinddir)
    forget(folder);
    next_rewinddir(folder);
}

ISOTICK_INTERPOSED int closedir(DIR* folder) {
    ISOTICK_NEXT(closedir)
    forget(folder);
    return next_closedir(folder);
}
// The times of files, as the clock of the trial shows them.

using namespace isotick::harness::preload;

namespace {

template <class Status>
int with_times_shown(int result, Status* status) {
    if (result == 0 && clocks_are_changed()) {
        for (timespec* time : {&status->st_atim, &status->st_mtim, &status->st_ctim}) {
            *time = shown(CLOCK_REALTIME, *time);
        }
    }
    return result;
}

void show(statx_timestamp& time) {
    const timespec now = shown(CLOCK_REALTIME, {time.tv_sec, static_cast<long>(time.tv_nsec)});
    time.tv_sec = now.tv_sec;
    time.tv_nsec = static_cast<std::uint32_t>(now.tv_nsec);
}

}  // namespace

#define ISOTICK_SHOW_TIMES(function, status, ...) \
    ISOTICK_NEXT(function)                        \
    return with_times_shown(next_##function(__VA_ARGS__), status);

ISOTICK_INTERPOSED int stat(const char* path, struct stat* status) noexcept {
    note_path(AT_FDCWD, path);
    ISOTICK_SHOW_TIMES(stat, status, path, status)
}

ISOTICK_INTERPOSED int lstat(const char* path, struct stat* status) noexcept {
    note_path(AT_FDCWD, path);
    ISOTICK_SHOW_TIMES(lstat, status, path, status)
}

ISOTICK_INTERPOSED int fstat(int file, struct stat* status) noexcept {
    ISOTICK_SHOW_TIMES(fstat, status, file, status)}

ISOTICK_INTERPOSED
    int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
    note_path(folder, path);
    ISOTICK_SHOW_TIMES(fstatat, status, folder, path, status, flags)
}

ISOTICK_INTERPOSED int stat64(const char* path, struct stat64* status) noexcept {
    note_path(AT_FDCWD, path);
    ISOTICK_SHOW_TIMES(stat64, status, path, status)
}

ISOTICK_INTERPOSED int lstat64(const char* path, struct stat64* status) noexcept {
    note_path(AT_FDCWD, path);
    ISOTICK_SHOW_TIMES(lstat64, status, path, status)
}

ISOTICK_INTERPOSED int fstat64(int file, struct stat64* status) noexcept {
    ISOTICK_SHOW_TIMES(fstat64, status, file, status)}

ISOTICK_INTERPOSED
    int fstatat64(int folder, const char* path, struct stat64* status, int flags) noexcept {
    note_path(folder, path);
    ISOTICK_SHOW_TIMES(fstatat64, status, folder, path, status, flags)
}

ISOTICK_INTERPOSED int statx(int folder, const char* path, int flags, unsigned int mask,
                             struct statx* status) noexcept {
    note_path(folder, path);
    ISOTICK_NEXT(statx)
    const int result = next_statx(folder, path, flags, mask, status);
    if (result == 0 && clocks_are_changed()) {
        for (statx_timestamp* one :
             {&status->stx_atime, &status->stx_btime, &status->stx_ctime, &status->stx_mtime}) {
            show(*one);
        }
    }
    return result;
}
