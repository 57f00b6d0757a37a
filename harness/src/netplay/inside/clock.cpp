// Clocks, and waits for a time.

#include "inside.hpp"

#include <cstdlib>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>

namespace isotick::harness::netplay {
namespace {

std::uint32_t looks = 0;  // since the last wait

bool is_date(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

bool is_time(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

bool is_processor(clockid_t clock) {
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

std::int64_t start_of(clockid_t clock) {
    return is_date(clock) ? page()->date_ns : is_time(clock) ? page()->clock_ns : 0;
}

}  // namespace

std::int64_t in_ns(const timespec& time) {
    constexpr std::int64_t kMostSeconds = 4'000'000'000;
    return time.tv_sec >= kMostSeconds ? kNever
                                       : time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

timespec in_timespec(std::int64_t ns) {
    return {ns / kNanosecondsPerSecond, ns % kNanosecondsPerSecond};
}

std::int64_t now() {
    return page()->now_ns;
}

std::int64_t shown_by(clockid_t clock) {
    return is_date(clock) || is_time(clock) || is_processor(clock) ? start_of(clock) + now() : -1;
}

std::int64_t moment_of(clockid_t clock, const timespec& time) {
    const std::int64_t shown = in_ns(time);
    return shown == kNever ? kNever : shown - start_of(clock);
}

std::int64_t moment_after(std::int64_t after) {
    return after >= kNever - now() ? kNever : now() + after;
}

void rest() {
    looks = 0;
}

void look() {
    if (page() == nullptr || ++looks <= kFreeLooks) {
        return;
    }
    // A process that looks this often becomes the peer, unless there is one already.
    if (!is_peer() && (page()->owner != 0 || !become_peer())) {
        return;
    }
    ++page()->spun;
    wait_until(now() + kLookCost, false);
}

namespace {

// 0, or how much of it was left where a signal ended it.
std::int64_t sleep_until(std::int64_t until) {
    if (until <= now()) {
        // Also a wait of no time lets time go on, for who waits so in a loop.
        look();
        return 0;
    }
    rest();
    return wait_until(until, false) == Woken::by_signal && until > now() ? until - now() : 0;
}

}  // namespace

}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int clock_gettime(clockid_t clock, timespec* time) noexcept {
    ISOTICK_NEXT(clock_gettime)
    if (page() == nullptr || shown_by(clock) < 0) {
        return next_clock_gettime(clock, time);
    }
    look();
    *time = in_timespec(shown_by(clock));
    return 0;
}

ISOTICK_INTERPOSED int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
    ISOTICK_NEXT(gettimeofday)
    if (page() == nullptr) {
        return next_gettimeofday(time, zone);
    }
    look();
    const timespec shown = in_timespec(shown_by(CLOCK_REALTIME));
    *time = {shown.tv_sec, shown.tv_nsec / 1000};
    return 0;
}

ISOTICK_INTERPOSED int timespec_get(timespec* time, int base) noexcept {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

ISOTICK_INTERPOSED time_t time(time_t* seconds) noexcept {
    timespec shown{};
    clock_gettime(CLOCK_REALTIME, &shown);
    if (seconds != nullptr) {
        *seconds = shown.tv_sec;
    }
    return shown.tv_sec;
}

ISOTICK_INTERPOSED clock_t clock() noexcept {
    timespec shown{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &shown);
    return shown.tv_sec * CLOCKS_PER_SEC + shown.tv_nsec / (kNanosecondsPerSecond / CLOCKS_PER_SEC);
}

ISOTICK_INTERPOSED clock_t times(tms* used) noexcept {
    ISOTICK_NEXT(times)
    if (page() == nullptr) {
        return next_times(used);
    }
    constexpr std::int64_t kTick = 10'000'000;
    if (used != nullptr) {
        *used = {};
    }
    return shown_by(CLOCK_MONOTONIC) / kTick;
}

// How much of the processor it took is not the same twice.
ISOTICK_INTERPOSED int getrusage(__rusage_who_t who, rusage* used) noexcept {
    ISOTICK_NEXT(getrusage)
    if (!is_peer()) {
        return next_getrusage(who, used);
    }
    *used = {};
    return 0;
}

ISOTICK_INTERPOSED int nanosleep(const timespec* time, timespec* left) {
    ISOTICK_NEXT(nanosleep)
    if (!become_peer()) {
        return next_nanosleep(time, left);
    }
    const std::int64_t rest = sleep_until(moment_after(in_ns(*time)));
    if (left != nullptr) {
        *left = in_timespec(rest);
    }
    return rest == 0 ? 0 : failed(EINTR);
}

ISOTICK_INTERPOSED int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                       timespec* left) {
    ISOTICK_NEXT(clock_nanosleep)
    if (!become_peer()) {
        return next_clock_nanosleep(clock, flags, time, left);
    }
    const bool absolute = (flags & TIMER_ABSTIME) != 0;
    const std::int64_t rest =
        sleep_until(absolute ? moment_of(clock, *time) : moment_after(in_ns(*time)));
    if (left != nullptr && !absolute) {
        *left = in_timespec(rest);
    }
    return rest == 0 ? 0 : EINTR;
}

ISOTICK_INTERPOSED int usleep(useconds_t microseconds) {
    ISOTICK_NEXT(usleep)
    if (!become_peer()) {
        return next_usleep(microseconds);
    }
    return sleep_until(now() + std::int64_t{microseconds} * 1000) == 0 ? 0 : failed(EINTR);
}

ISOTICK_INTERPOSED unsigned sleep(unsigned seconds) {
    ISOTICK_NEXT(sleep)
    if (!become_peer()) {
        return next_sleep(seconds);
    }
    const std::int64_t rest = sleep_until(now() + std::int64_t{seconds} * kNanosecondsPerSecond);
    return static_cast<unsigned>((rest + kNanosecondsPerSecond - 1) / kNanosecondsPerSecond);
}

ISOTICK_INTERPOSED int pause() {
    ISOTICK_NEXT(pause)
    if (!become_peer()) {
        return next_pause();
    }
    rest();
    while (wait_until(kNever, false) != Woken::by_signal) {
    }
    return failed(EINTR);
}
