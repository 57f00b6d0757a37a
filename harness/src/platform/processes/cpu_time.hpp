#pragma once
// What processor time was spent.

#include <chrono>

namespace isotick::harness {

/// By this process, and by those that it has waited for, with those that they have waited for.
[[nodiscard]] std::chrono::nanoseconds cpu_time_so_far();

}  // namespace isotick::harness
