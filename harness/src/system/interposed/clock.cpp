#include "clock.hpp"

#include "library.hpp"

#include <atomic>
#include <pthread.h>
#include <semaphore.h>

#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>

namespace isotick::harness::preload {
namespace {

// Another date, and clocks that run at another pace.

using Nanoseconds = __int128;

constexpr std::int64_t kSecond = 1'000'000'000;

// What the clocks said when the trial began.
timespec began_date{};
timespec began_monotonic{};
Shown shown_at_first = Shown::by_date;
std::int64_t began_for = 0;  // date

// What each look at a clock adds to all, where they go at another pace: somebody else was busy. At
// 0% nothing else moves them on.
constexpr std::int64_t kPerLook = 10'000;  // ns, times the pace in percent, or at 0% once
std::atomic<std::int64_t> looks{0};

Nanoseconds in_ns(const timespec& time) {
    return Nanoseconds{time.tv_sec} * kSecond + time.tv_nsec;
}

timespec from_ns(Nanoseconds time) {
    time = time < 0 ? 0 : time;
    return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

Nanoseconds lag() {
    const auto pace = static_cast<std::int64_t>(settings().pace);
    const std::int64_t per_look = pace == 100 ? 0 : pace == 0 ? kPerLook : pace * kPerLook;
    return Nanoseconds{looks.load(std::memory_order_relaxed)} * per_look;
}

enum class Kind { date, monotonic, processor, other };

Kind kind_of(clockid_t clock) {
    switch (clock) {
        case CLOCK_REALTIME:
        case CLOCK_REALTIME_COARSE:
        case CLOCK_TAI:
            return Kind::date;
        case CLOCK_MONOTONIC:
        case CLOCK_MONOTONIC_RAW:
        case CLOCK_MONOTONIC_COARSE:
        case CLOCK_BOOTTIME:
            return Kind::monotonic;
        case CLOCK_PROCESS_CPUTIME_ID:
        case CLOCK_THREAD_CPUTIME_ID:  // at a slower pace, it would jump back on the way
            return shown_at_first == Shown::by_date ? Kind::processor : Kind::other;
        default:
            return Kind::other;
    }
}

// Where a clock stood when the trial began, and where it is shown to have stood.
Nanoseconds real_beginning(Kind kind) {
    return kind == Kind::date        ? in_ns(began_date)
           : kind == Kind::monotonic ? in_ns(began_monotonic)
                                     : 0;
}

// The monotonic clock counts from some moment: another one for each date, but it never jumps.
Nanoseconds shown_beginning(Kind kind) {
    constexpr std::uint64_t kLongestUp = 1'000'000;
    const std::int64_t date = settings().date;
    return kind == Kind::date ? Nanoseconds{date} * kSecond
           : kind == Kind::monotonic && shown_at_first == Shown::as_before ? in_ns(began_monotonic)
           : kind == Kind::monotonic
               ? Nanoseconds{mixed(static_cast<std::uint64_t>(date), 0) % kLongestUp} * kSecond
               : 0;
}

}  // namespace

bool clocks_are_changed() {
    return settings().date != 0;
}

timespec real_time(clockid_t clock) {
    ISOTICK_NEXT(clock_gettime)
    timespec now{};
    next_clock_gettime(clock, &now);
    return now;
}

timespec shown(clockid_t clock, const timespec& real) {
    const Kind kind = kind_of(clock);
    if (kind == Kind::other || !clocks_are_changed()) {
        return real;
    }
    const Nanoseconds passed = in_ns(real) - real_beginning(kind);
    return from_ns(shown_beginning(kind) + passed * static_cast<int>(settings().pace) / 100);
}

timespec real_deadline(clockid_t clock, const timespec& deadline) {
    if (kind_of(clock) == Kind::other || !clocks_are_changed()) {
        return deadline;
    }
    const timespec now = real_time(clock);
    const Nanoseconds left = in_ns(deadline) - in_ns(shown(clock, now)) - lag();
    const auto pace = static_cast<int>(settings().pace);
    return from_ns(in_ns(now) + (pace == 0 ? left : left * 100 / pace));
}

timespec looked_at(clockid_t clock, const timespec& real) {
    if (kind_of(clock) == Kind::other || !clocks_are_changed()) {
        return real;
    }
    looks.fetch_add(1, std::memory_order_relaxed);
    return from_ns(in_ns(shown(clock, real)) + lag());
}

clockid_t clock_of(const timespec& deadline) {
    const auto distance = [&](clockid_t clock) {
        const Nanoseconds away = in_ns(deadline) - in_ns(shown(clock, real_time(clock)));
        return away < 0 ? -away : away;
    };
    return distance(CLOCK_REALTIME) < distance(CLOCK_MONOTONIC) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

void begin_clock(Shown shown) {
    if (shown == Shown::as_before && began_for == settings().date) {
        return;  // something else begins
    }
    began_for = settings().date;
    looks = 0;
    shown_at_first = shown;
    began_date = real_time(CLOCK_REALTIME);
    began_monotonic = real_time(CLOCK_MONOTONIC);
}

}  // namespace isotick::harness::preload

using namespace isotick::harness::preload;

ISOTICK_INTERPOSED int clock_gettime(clockid_t clock, timespec* time) noexcept {
    note(Source::clock, "clock_gettime");
    ISOTICK_NEXT(clock_gettime)
    const int result = next_clock_gettime(clock, time);
    if (result == 0 && clocks_are_changed()) {
        *time = looked_at(clock, *time);
    }
    return result;
}

ISOTICK_INTERPOSED int gettimeofday(timeval* time, void* zone) noexcept {
    note(Source::clock, "gettimeofday");
    static int (*next_gettimeofday)(timeval*, void*) = nullptr;
    if (next_gettimeofday == nullptr) {
        next_gettimeofday = next<int(timeval*, void*)>("gettimeofday");
    }
    const int result = next_gettimeofday(time, zone);
    if (result == 0 && clocks_are_changed()) {
        const timespec now = looked_at(CLOCK_REALTIME, real_time(CLOCK_REALTIME));
        *time = {now.tv_sec, now.tv_nsec / 1000};
    }
    return result;
}

ISOTICK_INTERPOSED time_t time(time_t* result) noexcept {
    note(Source::clock, "time");
    const time_t now = looked_at(CLOCK_REALTIME, real_time(CLOCK_REALTIME)).tv_sec;
    if (result != nullptr) {
        *result = now;
    }
    return now;
}

ISOTICK_INTERPOSED int timespec_get(timespec* time, int base) noexcept {
    note(Source::clock, "timespec_get");
    ISOTICK_NEXT(timespec_get)
    const int result = next_timespec_get(time, base);
    if (result == TIME_UTC) {
        *time = looked_at(CLOCK_REALTIME, *time);
    }
    return result;
}

ISOTICK_INTERPOSED clock_t clock() noexcept {
    note(Source::clock, "clock");
    const timespec used = looked_at(CLOCK_PROCESS_CPUTIME_ID, real_time(CLOCK_PROCESS_CPUTIME_ID));
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

ISOTICK_INTERPOSED clock_t times(tms* used) noexcept {
    note(Source::clock, "times");
    ISOTICK_NEXT(times)
    const clock_t ticks = next_times(used);
    return clocks_are_changed() ? ticks * static_cast<clock_t>(settings().pace) / 100 : ticks;
}
// Waits until a moment: what is shown as that moment is another one on the real clock.

using namespace isotick::harness::preload;

namespace {

// As the real clock goes.
class Deadline {
  public:
    Deadline(clockid_t clock, const timespec* shown_as) : given_(shown_as) {
        if (shown_as != nullptr && clocks_are_changed()) {
            real_ = real_deadline(clock, *shown_as);
            given_ = &real_;
        }
    }
    explicit Deadline(const timespec* shown_as)
        : Deadline(
              shown_as != nullptr && clocks_are_changed() ? clock_of(*shown_as) : CLOCK_REALTIME,
              shown_as) {}

    [[nodiscard]] const timespec* get() const { return given_; }

  private:
    const timespec* given_;
    timespec real_{};
};

}  // namespace

ISOTICK_INTERPOSED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              const timespec* deadline) {
    ISOTICK_NEXT(pthread_cond_timedwait)
    return next_pthread_cond_timedwait(condition, mutex, Deadline(deadline).get());
}

ISOTICK_INTERPOSED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              clockid_t clock, const timespec* deadline) {
    ISOTICK_NEXT(pthread_cond_clockwait)
    return next_pthread_cond_clockwait(condition, mutex, clock, Deadline(clock, deadline).get());
}

ISOTICK_INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                               const timespec* deadline) noexcept {
    ISOTICK_NEXT(pthread_mutex_timedlock)
    return next_pthread_mutex_timedlock(mutex, Deadline(CLOCK_REALTIME, deadline).get());
}

ISOTICK_INTERPOSED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                               const timespec* deadline) noexcept {
    ISOTICK_NEXT(pthread_mutex_clocklock)
    return next_pthread_mutex_clocklock(mutex, clock, Deadline(clock, deadline).get());
}

ISOTICK_INTERPOSED int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
    ISOTICK_NEXT(sem_timedwait)
    return next_sem_timedwait(semaphore, Deadline(CLOCK_REALTIME, deadline).get());
}

ISOTICK_INTERPOSED int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
    ISOTICK_NEXT(sem_clockwait)
    return next_sem_clockwait(semaphore, clock, Deadline(clock, deadline).get());
}

ISOTICK_INTERPOSED int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                       timespec* left) {
    ISOTICK_NEXT(clock_nanosleep)
    const bool until = (flags & TIMER_ABSTIME) != 0;
    return next_clock_nanosleep(clock, flags, until ? Deadline(clock, time).get() : time, left);
}

ISOTICK_INTERPOSED int timerfd_settime(int timer, int flags, const itimerspec* time,
                                       itimerspec* former) noexcept {
    ISOTICK_NEXT(timerfd_settime)
    itimerspec real = *time;
    const bool at = (flags & TFD_TIMER_ABSTIME) != 0;
    if (at && (real.it_value.tv_sec != 0 || real.it_value.tv_nsec != 0)) {
        real.it_value = *Deadline(&time->it_value).get();
    }
    return next_timerfd_settime(timer, flags, &real, former);
}
