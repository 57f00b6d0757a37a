#pragma once
// Runs programs and says what they cost.

#include <functional>
#include <string>
#include <vector>

namespace isotick::bench {

/// What a process and all its descendants took.
struct Cost {
    double cpu_seconds = 0;   ///< user and system
    double wall_seconds = 0;  ///< from start to end
    /// The most resident memory of any one of them; never less than the parent's own peak, which
    /// Linux counts from before exec.
    double most_resident_mib = 0;
};

/// Runs `command` (path first) with its output thrown away and waits for it. Throws
/// std::runtime_error unless it ends with `wanted`.
Cost run(const std::vector<std::string>& command, int wanted = 0);

/// Runs both in processes of their own at the same time; the seconds until both have ended. Throws
/// std::runtime_error unless both return. Must be called while this process has one thread.
double wall_of_both(const std::function<void()>& one, const std::function<void()>& other);

/// `arguments` to the program `isotick`.
std::vector<std::string> isotick_command(const std::vector<std::string>& arguments);

/// The CPU time of this process so far.
[[nodiscard]] double own_cpu_seconds();

/// Seconds on a clock that never goes back.
[[nodiscard]] double wall_seconds();

}  // namespace isotick::bench
