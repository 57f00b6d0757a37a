// Timers that are files.

#include "files.hpp"

#include <sys/timerfd.h>

namespace isotick::harness::netplay {
namespace {

File* timer_of(int descriptor) {
    File* const file = file_of(descriptor);
    return file != nullptr && file->type == Type::timer ? file : nullptr;
}

itimerspec shown(const File& file) {
    return {in_timespec(file.period), in_timespec(file.due == kNever ? 0
                                                  : file.due > now() ? file.due - now()
                                                                     : 1)};
}

}  // namespace
}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int timerfd_create(clockid_t clock, int flags) noexcept {
    ISOTICK_NEXT(timerfd_create)
    if (!become_peer()) {
        return next_timerfd_create(clock, flags);
    }
    File* file = nullptr;
    const int descriptor =
        open_file(Type::timer, (flags & TFD_NONBLOCK) != 0, (flags & TFD_CLOEXEC) != 0, file);
    if (descriptor >= 0) {
        file->clock = clock;
    }
    return descriptor;
}

ISOTICK_INTERPOSED int timerfd_settime(int descriptor, int flags, const itimerspec* value,
                                       itimerspec* before) noexcept {
    ISOTICK_NEXT(timerfd_settime)
    File* const file = timer_of(descriptor);
    if (file == nullptr) {
        return next_timerfd_settime(descriptor, flags, value, before);
    }
    if (before != nullptr) {
        *before = shown(*file);
    }
    const std::int64_t first = in_ns(value->it_value);
    file->period = in_ns(value->it_interval);
    file->due = first == 0                         ? kNever
                : (flags & TFD_TIMER_ABSTIME) != 0 ? moment_of(file->clock, value->it_value)
                                                   : moment_after(first);
    return 0;
}

ISOTICK_INTERPOSED int timerfd_gettime(int descriptor, itimerspec* value) noexcept {
    ISOTICK_NEXT(timerfd_gettime)
    const File* const file = timer_of(descriptor);
    if (file == nullptr) {
        return next_timerfd_gettime(descriptor, value);
    }
    *value = shown(*file);
    return 0;
}
