// Threads: one at a time, each until it waits. So their order is the same in each run, and virtual
// time goes on only when all of them wait.

#include "inside.hpp"

#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace isotick::harness::netplay {
namespace {

enum class State : std::uint8_t { ready, waiting, ended };

struct Thread {
    std::atomic<std::uint32_t> may_run{0};
    State state = State::ready;
    bool detached = false;
    bool by_packet = false;
    Woken woken = Woken::by_time;
    const void* object = nullptr;
    std::int64_t until = kNever;
    std::uint64_t since = 0;  // when it began to wait, counted
    pthread_t id{};
    void* (*body)(void*) = nullptr;
    void* argument = nullptr;
    Thread* next = nullptr;
};

// Only the thread that runs reads and writes these.
Thread first_thread;
Thread* threads = &first_thread;  // in the order in which they began
Thread* running = &first_thread;
std::uint64_t waits = 0;
std::uint32_t alive = 1;
pthread_key_t end_key;
bool has_end_key = false;

thread_local Thread* self = &first_thread;

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    ISOTICK_NEXT(syscall)
    return next_syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr,
                        0);
}

void become_ready(Thread& thread, Woken woken) {
    thread.state = State::ready;
    thread.woken = woken;
    thread.object = nullptr;
    thread.since = ++waits;
}

// The one that has been ready for the longest.
Thread* first_ready() {
    Thread* first = nullptr;
    for (Thread* each = threads; each != nullptr; each = each->next) {
        if (each->state == State::ready && (first == nullptr || each->since < first->since)) {
            first = each;
        }
    }
    return first;
}

// Nobody of this process can go on: the session does, until the first of them can.
void await_session() {
    std::int64_t until = kNever;
    bool by_packet = false;
    bool by_time = false;
    for (const Thread* each = threads; each != nullptr; each = each->next) {
        if (each->state == State::waiting) {
            until = each->until < until ? each->until : until;
            by_packet = by_packet || each->by_packet;
            by_time = by_time || each->until != kNever;
        }
    }
    const Waiting waiting = by_packet ? Waiting::packets
                            : by_time ? Waiting::sleep
                                      : Waiting::threads;
    const bool interrupted = give_turn(waiting, until, by_packet);
    const bool received = take_received();
    for (Thread* each = threads; each != nullptr; each = each->next) {
        if (each->state != State::waiting) {
            continue;
        }
        if (each->by_packet && received) {
            become_ready(*each, Woken::by_packet);
        } else if (each->until <= page()->now_ns) {
            become_ready(*each, Woken::by_time);
        } else if (interrupted && each == &first_thread) {
            become_ready(*each, Woken::by_signal);
        }
    }
}

// Lets the next thread run, this one once it is ready and its turn has come.
void pass_on(bool ended) {
    Thread* next = first_ready();
    while (next == nullptr) {
        await_session();
        next = first_ready();
    }
    if (next == self && !ended) {
        return;
    }
    Thread* const own = self;
    running = next;
    next->may_run.store(1, std::memory_order_release);
    futex(next->may_run, FUTEX_WAKE, 1);
    if (ended) {
        return;
    }
    while (own->may_run.load(std::memory_order_acquire) == 0) {
        futex(own->may_run, FUTEX_WAIT, 0);
    }
    own->may_run = 0;
}

void end_thread(void* thread) {
    auto& ended = *static_cast<Thread*>(thread);
    ended.state = State::ended;
    --alive;
    wake(&ended);
    pass_on(true);
}

void* run_thread(void* argument) {
    auto& thread = *static_cast<Thread*>(argument);
    self = &thread;
    while (thread.may_run.load(std::memory_order_acquire) == 0) {
        futex(thread.may_run, FUTEX_WAIT, 0);
    }
    thread.may_run = 0;
    pthread_setspecific(end_key, &thread);  // its destructor runs when the thread ends
    return thread.body(thread.argument);
}

Thread* find(pthread_t id) {
    for (Thread* each = threads; each != nullptr; each = each->next) {
        if (each != &first_thread && each->id == id) {
            return each;
        }
    }
    return nullptr;
}

void forget(Thread* thread) {
    for (Thread** link = &threads; *link != nullptr; link = &(*link)->next) {
        if (*link == thread) {
            *link = thread->next;
            free(thread);
            return;
        }
    }
}

}  // namespace

Woken wait_until(std::int64_t until, bool for_packets, const void* object) {
    Thread& thread = *self;
    thread.state = State::waiting;
    thread.object = object;
    thread.until = until;
    thread.by_packet = for_packets;
    thread.since = ++waits;
    pass_on(false);
    return thread.woken;
}

int wake(const void* object, int most) {
    int woken = 0;
    while (woken < most) {
        Thread* first = nullptr;
        for (Thread* each = threads; each != nullptr; each = each->next) {
            if (each->state == State::waiting && each->object == object &&
                (first == nullptr || each->since < first->since)) {
                first = each;
            }
        }
        if (first == nullptr) {
            break;
        }
        become_ready(*first, Woken::by_thread);
        ++woken;
    }
    return woken;
}

void let_others_go() {
    become_ready(*self, Woken::by_thread);
    pass_on(false);
}

std::uint32_t threads_alive() {
    return alive;
}

}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int pthread_create(pthread_t* id, const pthread_attr_t* attributes,
                                      void* (*body)(void*), void* argument) {
    ISOTICK_NEXT(pthread_create)
    if (!become_peer()) {
        return next_pthread_create(id, attributes, body, argument);
    }
    if (!has_end_key) {
        has_end_key = pthread_key_create(&end_key, end_thread) == 0;
    }
    void* const memory = calloc(1, sizeof(Thread));
    if (memory == nullptr || !has_end_key) {
        return EAGAIN;
    }
    auto* const thread = new (memory) Thread;
    thread->body = body;
    thread->argument = argument;
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr) {
        pthread_attr_getdetachstate(attributes, &state);
    }
    thread->detached = state == PTHREAD_CREATE_DETACHED;
    const int error = next_pthread_create(&thread->id, attributes, run_thread, thread);
    if (error != 0) {
        free(memory);
        return error;
    }
    *id = thread->id;
    thread->since = ++waits;
    Thread** last = &threads;
    while (*last != nullptr) {
        last = &(*last)->next;
    }
    *last = thread;
    ++alive;
    ++page()->threads;
    return 0;
}

namespace {

// None: it has not ended until then.
int join(pthread_t id, void** result, std::int64_t until) {
    ISOTICK_NEXT(pthread_join)
    Thread* const thread = find(id);
    while (thread != nullptr && thread->state != State::ended) {
        if (wait_until(until, false, thread) == Woken::by_time) {
            return ETIMEDOUT;
        }
    }
    const int error = next_pthread_join(id, result);
    forget(thread);
    return error;
}

}  // namespace

ISOTICK_INTERPOSED int pthread_join(pthread_t id, void** result) {
    ISOTICK_NEXT(pthread_join)
    return is_peer() ? join(id, result, kNever) : next_pthread_join(id, result);
}

ISOTICK_INTERPOSED int pthread_timedjoin_np(pthread_t id, void** result, const timespec* time) {
    ISOTICK_NEXT(pthread_timedjoin_np)
    return is_peer() ? join(id, result, moment_of(CLOCK_REALTIME, *time))
                     : next_pthread_timedjoin_np(id, result, time);
}

ISOTICK_INTERPOSED int pthread_clockjoin_np(pthread_t id, void** result, clockid_t clock,
                                            const timespec* time) {
    ISOTICK_NEXT(pthread_clockjoin_np)
    return is_peer() ? join(id, result, moment_of(clock, *time))
                     : next_pthread_clockjoin_np(id, result, clock, time);
}

ISOTICK_INTERPOSED int sched_yield() noexcept {
    ISOTICK_NEXT(sched_yield)
    if (!is_peer()) {
        return next_sched_yield();
    }
    if (threads_alive() > 1) {
        let_others_go();
    }
    look();
    return 0;
}

// Locks. Where one is taken, the thread waits for it as for anything else.

namespace {

constexpr int kBusy = EBUSY;

template <class Try>
int take(const void* lock, std::int64_t until, const Try& attempt) {
    int error = attempt();
    while (error == kBusy) {
        if (wait_until(until, false, lock) == Woken::by_time && until <= now()) {
            error = attempt();
            return error == kBusy ? ETIMEDOUT : error;
        }
        error = attempt();
    }
    return error;
}

// Only where there is somebody to wait for.
bool has_threads() {
    return is_peer() && page()->threads != 0;
}

template <class Unlock>
int give(const void* lock, const Unlock& unlock) {
    const int error = unlock();
    if (error == 0 && has_threads()) {
        wake(lock);
    }
    return error;
}

int lock_mutex(pthread_mutex_t* mutex, std::int64_t until) {
    ISOTICK_NEXT(pthread_mutex_trylock)
    return take(mutex, until, [&] { return next_pthread_mutex_trylock(mutex); });
}

}  // namespace

ISOTICK_INTERPOSED int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    ISOTICK_NEXT(pthread_mutex_lock)
    return has_threads() ? lock_mutex(mutex, kNever) : next_pthread_mutex_lock(mutex);
}

ISOTICK_INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                               const timespec* time) noexcept {
    ISOTICK_NEXT(pthread_mutex_timedlock)
    return is_peer() ? lock_mutex(mutex, moment_of(CLOCK_REALTIME, *time))
                     : next_pthread_mutex_timedlock(mutex, time);
}

ISOTICK_INTERPOSED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                               const timespec* time) noexcept {
    ISOTICK_NEXT(pthread_mutex_clocklock)
    return is_peer() ? lock_mutex(mutex, moment_of(clock, *time))
                     : next_pthread_mutex_clocklock(mutex, clock, time);
}

ISOTICK_INTERPOSED int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    ISOTICK_NEXT(pthread_mutex_unlock)
    return give(mutex, [&] { return next_pthread_mutex_unlock(mutex); });
}

ISOTICK_INTERPOSED int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    ISOTICK_NEXT(pthread_rwlock_rdlock)
    ISOTICK_NEXT(pthread_rwlock_tryrdlock)
    return has_threads() ? take(lock, kNever, [&] { return next_pthread_rwlock_tryrdlock(lock); })
                         : next_pthread_rwlock_rdlock(lock);
}

ISOTICK_INTERPOSED int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    ISOTICK_NEXT(pthread_rwlock_wrlock)
    ISOTICK_NEXT(pthread_rwlock_trywrlock)
    return has_threads() ? take(lock, kNever, [&] { return next_pthread_rwlock_trywrlock(lock); })
                         : next_pthread_rwlock_wrlock(lock);
}

ISOTICK_INTERPOSED int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
    ISOTICK_NEXT(pthread_rwlock_unlock)
    return give(lock, [&] { return next_pthread_rwlock_unlock(lock); });
}

// Conditions. Nothing of the system's is used: who waits is in the list of threads.

namespace {

// There were two kinds of them in the C library; programs use the later one.
template <class Function>
Function* next_of_conditions(const char* name) {
    void* const found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return found != nullptr ? reinterpret_cast<Function*>(found) : next<Function>(name);
}

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, std::int64_t until) {
    const int error = pthread_mutex_unlock(mutex);
    if (error != 0) {
        return error;
    }
    const Woken woken = wait_until(until, false, condition);
    const int locked = lock_mutex(mutex, kNever);
    return locked != 0 ? locked : woken == Woken::by_time ? ETIMEDOUT : 0;
}

}  // namespace

ISOTICK_INTERPOSED int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    static const auto next_wait =
        next_of_conditions<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
    return is_peer() ? wait_for_condition(condition, mutex, kNever) : next_wait(condition, mutex);
}

namespace {

// Where the C library keeps what pthread_condattr_setclock said.
clockid_t clock_of(const pthread_cond_t* condition) {
    constexpr unsigned kMonotonic = 2;
    return (condition->__data.__wrefs & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace

ISOTICK_INTERPOSED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              const timespec* time) {
    static const auto next_wait =
        next_of_conditions<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>(
            "pthread_cond_timedwait");
    return become_peer()
               ? wait_for_condition(condition, mutex, moment_of(clock_of(condition), *time))
               : next_wait(condition, mutex, time);
}

ISOTICK_INTERPOSED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              clockid_t clock, const timespec* time) {
    ISOTICK_NEXT(pthread_cond_clockwait)
    return become_peer() ? wait_for_condition(condition, mutex, moment_of(clock, *time))
                         : next_pthread_cond_clockwait(condition, mutex, clock, time);
}

ISOTICK_INTERPOSED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    static const auto next_signal = next_of_conditions<int(pthread_cond_t*)>("pthread_cond_signal");
    if (!is_peer()) {
        return next_signal(condition);
    }
    wake(condition, 1);
    return 0;
}

ISOTICK_INTERPOSED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    static const auto next_broadcast =
        next_of_conditions<int(pthread_cond_t*)>("pthread_cond_broadcast");
    if (!is_peer()) {
        return next_broadcast(condition);
    }
    wake(condition);
    return 0;
}

// Semaphores.

namespace {

int take_semaphore(sem_t* semaphore, std::int64_t until) {
    ISOTICK_NEXT(sem_trywait)
    const int error = take(semaphore, until, [&] {
        return next_sem_trywait(semaphore) == 0 ? 0 : errno == EAGAIN ? kBusy : errno;
    });
    return error == 0 ? 0 : failed(error);
}

}  // namespace

ISOTICK_INTERPOSED int sem_wait(sem_t* semaphore) {
    ISOTICK_NEXT(sem_wait)
    return is_peer() ? take_semaphore(semaphore, kNever) : next_sem_wait(semaphore);
}

ISOTICK_INTERPOSED int sem_timedwait(sem_t* semaphore, const timespec* time) {
    ISOTICK_NEXT(sem_timedwait)
    return become_peer() ? take_semaphore(semaphore, moment_of(CLOCK_REALTIME, *time))
                         : next_sem_timedwait(semaphore, time);
}

ISOTICK_INTERPOSED int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
    ISOTICK_NEXT(sem_clockwait)
    return become_peer() ? take_semaphore(semaphore, moment_of(clock, *time))
                         : next_sem_clockwait(semaphore, clock, time);
}

ISOTICK_INTERPOSED int sem_post(sem_t* semaphore) noexcept {
    ISOTICK_NEXT(sem_post)
    const int result = next_sem_post(semaphore);
    if (result == 0 && is_peer()) {
        wake(semaphore);
    }
    return result;
}

// Barriers.

ISOTICK_INTERPOSED int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
    ISOTICK_NEXT(pthread_barrier_wait)
    if (!is_peer()) {
        return next_pthread_barrier_wait(barrier);
    }
    // The C library keeps the count in its third word, and there is room for ours in the first.
    auto* const words = reinterpret_cast<std::uint32_t*>(barrier);
    constexpr std::size_t kArrived = 0;
    constexpr std::size_t kCount = 2;
    if (++words[kArrived] < words[kCount]) {
        wait_until(kNever, false, barrier);
        return 0;
    }
    words[kArrived] = 0;
    wake(barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

// What libraries call without the C library: futexes of std::atomic::wait and of static variables.

namespace {

struct FutexCall {
    std::uint32_t* word;
    int operation;
    std::uint32_t value;
    const timespec* time;
};

long call_futex(const FutexCall& call) {
    constexpr int kOnly = FUTEX_CMD_MASK;
    const bool by_date = (call.operation & FUTEX_CLOCK_REALTIME) != 0;
    switch (call.operation & kOnly) {
        case FUTEX_WAKE:
        case FUTEX_WAKE_BITSET:
            return wake(call.word, static_cast<int>(call.value));
        case FUTEX_WAIT:
        case FUTEX_WAIT_BITSET: {
            if (__atomic_load_n(call.word, __ATOMIC_ACQUIRE) != call.value) {
                return failed<long>(EAGAIN);
            }
            std::int64_t until = kNever;
            if (call.time != nullptr) {
                until = (call.operation & kOnly) == FUTEX_WAIT
                            ? moment_after(in_ns(*call.time))
                            : moment_of(by_date ? CLOCK_REALTIME : CLOCK_MONOTONIC, *call.time);
            }
            return wait_until(until, false, call.word) == Woken::by_time ? failed<long>(ETIMEDOUT)
                                                                         : 0;
        }
        default:
            return failed<long>(ENOSYS);
    }
}

}  // namespace

ISOTICK_INTERPOSED long syscall(long number, ...) noexcept {
    static long (*next_syscall)(long, ...) = nullptr;
    if (next_syscall == nullptr) {
        next_syscall = next<long(long, ...)>("syscall");
    }
    std::va_list list;
    va_start(list, number);
    const long a = va_arg(list, long);
    const long b = va_arg(list, long);
    const long c = va_arg(list, long);
    const long d = va_arg(list, long);
    const long e = va_arg(list, long);
    const long f = va_arg(list, long);
    va_end(list);
    if (is_peer()) {
        switch (number) {
            case SYS_futex:
                return call_futex({reinterpret_cast<std::uint32_t*>(a), static_cast<int>(b),
                                   static_cast<std::uint32_t>(c),
                                   reinterpret_cast<const timespec*>(d)});
            case SYS_clock_gettime:
                return clock_gettime(static_cast<clockid_t>(a), reinterpret_cast<timespec*>(b));
            case SYS_socket:
                return socket(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
#if defined(SYS_io_uring_setup)
            case SYS_io_uring_setup:
                refuse(Refused::io_uring);
                return failed<long>(ENOSYS);
#endif
            default:
                break;
        }
    }
    return next_syscall(number, a, b, c, d, e, f);
}
