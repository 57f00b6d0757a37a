/* The clocks of a process, as a test shows them: linked into the program, these functions go before
 * those of the C library, for the C++ library and every other library too. */

#define _GNU_SOURCE
#include <isotick/harness/isotick_peers.h>

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <sys/syscall.h>
#include <sys/time.h>

enum { SECOND = 1000000000 };

static int64_t shown = -1;

void isotick_clock_show(int64_t ns) {
    shown = ns;
}

/* 0: it is the system's to answer. */
static int show(struct timespec* time) {
    if (shown < 0) {
        return 0;
    }
    time->tv_sec = shown / SECOND;
    time->tv_nsec = shown % SECOND;
    return 1;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    return show(time) ? 0 : (int)syscall(SYS_clock_gettime, clock, time);
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
    struct timezone* const none = zone;
    struct timespec now;
    if (none != NULL) {
        none->tz_minuteswest = none->tz_dsttime = 0;
    }
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return -1;
    }
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

int timespec_get(struct timespec* time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

time_t time(time_t* seconds) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds != NULL) {
        *seconds = now.tv_sec;
    }
    return now.tv_sec;
}

/* Time goes on by isotick_clock_show alone: who sleeps comes back at once. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time,
                    struct timespec* left) {
    if (shown >= 0) {
        return 0;
    }
    return syscall(SYS_clock_nanosleep, clock, flags, time, left) == 0 ? 0 : errno;
}

int nanosleep(const struct timespec* time, struct timespec* left) {
    errno = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return errno == 0 ? 0 : -1;
}

int usleep(useconds_t microseconds) {
    const struct timespec time = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
    return nanosleep(&time, NULL);
}
