// Calls of the system without a function of their own. The C++ library waits for futures so, and
// some programs ask for time or random bytes so.

#include "chance.hpp"
#include "clock.hpp"
#include "library.hpp"

#include <cstdarg>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

using namespace isotick::harness::preload;

namespace {

using SystemCall = long(long, ...);

struct Arguments {
    long given[6];
};

long call(SystemCall* next_syscall, long number, const Arguments& with) {
    const auto& given = with.given;
    return next_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

long wait_for_word(SystemCall* next_syscall, Arguments with) {
    const bool date = (with.given[1] & FUTEX_CLOCK_REALTIME) != 0;
    const clockid_t clock = date ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    const auto* shown_as = reinterpret_cast<const timespec*>(with.given[3]);
    timespec real{};
    if (shown_as != nullptr && clocks_are_changed()) {
        real = real_deadline(clock, *shown_as);
        with.given[3] = reinterpret_cast<long>(&real);
    }
    return call(next_syscall, SYS_futex, with);
}

}  // namespace

ISOTICK_INTERPOSED long syscall(long number, ...) noexcept {
    Arguments with{};
    va_list list;
    va_start(list, number);
    for (long& one : with.given) {
        one = va_arg(list, long);
    }
    va_end(list);
    static SystemCall* next_syscall = nullptr;
    if (next_syscall == nullptr) {
        next_syscall = next<SystemCall>("syscall");
    }
    switch (number) {
        case SYS_futex:
            return (with.given[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET
                       ? wait_for_word(next_syscall, with)
                       : call(next_syscall, number, with);
        case SYS_clock_gettime:
            return clock_gettime(static_cast<clockid_t>(with.given[0]),
                                 reinterpret_cast<timespec*>(with.given[1]));
        case SYS_getrandom:
            note(Source::chance, "getrandom");
            return fill_by_chance(reinterpret_cast<void*>(with.given[0]),
                                  static_cast<std::size_t>(with.given[1]))
                       ? with.given[1]
                       : call(next_syscall, number, with);
        default:
            return call(next_syscall, number, with);
    }
}
