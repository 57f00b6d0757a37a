#include "cpu_time.hpp"

#include <sys/resource.h>

namespace isotick::harness {
namespace {

std::chrono::nanoseconds cpu_time_of(int who) {
    rusage usage{};
    getrusage(who, &usage);
    const auto duration = [](const timeval& time) {
        return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
    };
    return duration(usage.ru_utime) + duration(usage.ru_stime);
}

}  // namespace

std::chrono::nanoseconds cpu_time_so_far() {
    return cpu_time_of(RUSAGE_SELF) + cpu_time_of(RUSAGE_CHILDREN);
}

}  // namespace isotick::harness
