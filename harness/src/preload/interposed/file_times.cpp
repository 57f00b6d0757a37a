// The times of files, as the clock of the trial shows them.

#include "clock.hpp"
#include "library.hpp"

#include <fcntl.h>

#include <sys/stat.h>

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
    ISOTICK_SHOW_TIMES(stat, status, path, status)}

ISOTICK_INTERPOSED int lstat(const char* path, struct stat* status) noexcept {
    ISOTICK_SHOW_TIMES(lstat, status, path, status)}

ISOTICK_INTERPOSED int fstat(int file, struct stat* status) noexcept {
    ISOTICK_SHOW_TIMES(fstat, status, file, status)}

ISOTICK_INTERPOSED
    int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
        ISOTICK_SHOW_TIMES(fstatat, status, folder, path, status, flags)}

ISOTICK_INTERPOSED int stat64(const char* path, struct stat64* status) noexcept {
    ISOTICK_SHOW_TIMES(stat64, status, path, status)}

ISOTICK_INTERPOSED int lstat64(const char* path, struct stat64* status) noexcept {
    ISOTICK_SHOW_TIMES(lstat64, status, path, status)}

ISOTICK_INTERPOSED int fstat64(int file, struct stat64* status) noexcept {
    ISOTICK_SHOW_TIMES(fstat64, status, file, status)}

ISOTICK_INTERPOSED
    int fstatat64(int folder, const char* path, struct stat64* status, int flags) noexcept {
        ISOTICK_SHOW_TIMES(fstatat64, status, folder, path, status, flags)}

ISOTICK_INTERPOSED int statx(int folder, const char* path, int flags, unsigned int mask,
                             struct statx* status) noexcept {
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
