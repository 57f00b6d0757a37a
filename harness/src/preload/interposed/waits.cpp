// Waits until a moment: what is shown as that moment is another one on the real clock.

#include "clock.hpp"
#include "library.hpp"

#include <pthread.h>
#include <semaphore.h>

#include <sys/timerfd.h>

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
