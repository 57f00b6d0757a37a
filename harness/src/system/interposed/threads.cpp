// How many processors are seen, and threads that wait a little where they meet others: other
// interleavings than those of an idle machine.

#include "library.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <sys/sysinfo.h>

using namespace isotick::harness::preload;

namespace {

thread_local std::uint64_t met = 0;
thread_local std::uint64_t own = 0;  // which thread this is, in a way

// Mostly nothing; at times others come first.
void meet() {
    const std::uint64_t seed = settings().yields;
    if (seed == 0) {
        return;
    }
    if (own == 0) {
        static std::atomic<std::uint64_t> threads{0};
        own = ++threads;
    }
    constexpr std::uint64_t kYieldsOneIn = 4;
    constexpr std::uint64_t kSleepsOneIn = 256;
    const std::uint64_t random = mixed(seed ^ (own << 32U), met++);
    if (random % kSleepsOneIn == 0) {
        const timespec moment{0, 50'000};
        nanosleep(&moment, nullptr);
    } else if (random % kYieldsOneIn == 0) {
        sched_yield();
    }
}

}  // namespace

ISOTICK_INTERPOSED long sysconf(int name) noexcept {
    ISOTICK_NEXT(sysconf)
    const bool asks = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
    if (asks) {
        note(Source::cores, "sysconf");
    }
    return asks && settings().cores != 0 ? static_cast<long>(settings().cores) : next_sysconf(name);
}

ISOTICK_INTERPOSED int get_nprocs() noexcept {
    note(Source::cores, "get_nprocs");
    ISOTICK_NEXT(get_nprocs)
    return settings().cores != 0 ? static_cast<int>(settings().cores) : next_get_nprocs();
}

ISOTICK_INTERPOSED int get_nprocs_conf() noexcept {
    note(Source::cores, "get_nprocs_conf");
    ISOTICK_NEXT(get_nprocs_conf)
    return settings().cores != 0 ? static_cast<int>(settings().cores) : next_get_nprocs_conf();
}

ISOTICK_INTERPOSED int sched_getaffinity(pid_t process, size_t size, cpu_set_t* set) noexcept {
    note(Source::cores, "sched_getaffinity");
    ISOTICK_NEXT(sched_getaffinity)
    const int result = next_sched_getaffinity(process, size, set);
    if (result == 0 && settings().cores != 0) {
        CPU_ZERO_S(size, set);
        for (std::uint64_t core = 0; core < settings().cores && core < size * 8; ++core) {
            CPU_SET_S(core, size, set);
        }
    }
    return result;
}

ISOTICK_INTERPOSED int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    ISOTICK_NEXT(pthread_mutex_lock)
    meet();
    return next_pthread_mutex_lock(mutex);
}

ISOTICK_INTERPOSED int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    ISOTICK_NEXT(pthread_mutex_unlock)
    const int result = next_pthread_mutex_unlock(mutex);
    meet();
    return result;
}

ISOTICK_INTERPOSED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    ISOTICK_NEXT(pthread_cond_signal)
    const int result = next_pthread_cond_signal(condition);
    meet();
    return result;
}

ISOTICK_INTERPOSED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    ISOTICK_NEXT(pthread_cond_broadcast)
    const int result = next_pthread_cond_broadcast(condition);
    meet();
    return result;
}
