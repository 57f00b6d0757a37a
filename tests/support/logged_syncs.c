/* Preloaded into a program, notes in the file that ISOTICK_SYNC_LOG names which files it waits for
 * the disk with and which it renames: one line each, with the file's number (inode) and size. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/stat.h>

static void note(const char* what, const struct stat* status) {
    const char* const log = getenv("ISOTICK_SYNC_LOG");
    const int file = log == NULL ? -1 : open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        dprintf(file, "%s %llu %lld\n", what, (unsigned long long)status->st_ino,
                (long long)status->st_size);
        close(file);
    }
}

static void note_file(int file) {
    struct stat status;
    if (fstat(file, &status) == 0) {
        note("sync", &status);
    }
}

int fdatasync(int file) {
    note_file(file);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}

int fsync(int file) {
    note_file(file);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int rename(const char* from, const char* to) {
    struct stat status;
    if (stat(from, &status) == 0) {
        note("rename", &status);
    }
    return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
