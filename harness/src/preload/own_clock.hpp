#pragma once
// A clock that no axis changes: for what a worker does itself while a simulation sees another one.

#include <chrono>

namespace isotick::harness {

struct OwnClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<OwnClock>;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now();
};

}  // namespace isotick::harness
