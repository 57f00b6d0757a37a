#pragma once
// Courses, and the snapshots that peers join by, on their way between the processes of a run.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/peers/course.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace isotick::harness {

/// Writes a new file, or over what is at `path`: 26 bytes a tick, more where there are guesses.
/// Fails with `io`.
[[nodiscard]] core::Result<void> write_course(const std::string& path, const Course& course);

/// Reads what write_course of the same build wrote, whatever is there. Fails with `io`, or with
/// `damaged` where it is no course, before it takes more memory than a multiple of the file's size.
/// Whether the course can be run is not looked at: see sum_up.
[[nodiscard]] core::Result<Course> read_course(const std::string& path);

/// A state that a peer saved for others, which run the same session.
struct JoinState {
    std::uint64_t ticks_done = 0;
    std::vector<std::byte> snapshot;  ///< for core::Simulation::load
    friend bool operator==(const JoinState&, const JoinState&) = default;
};

/// As write_course.
[[nodiscard]] core::Result<void> write_join_state(const std::string& path, const JoinState& state);
/// As read_course.
[[nodiscard]] core::Result<JoinState> read_join_state(const std::string& path);

}  // namespace isotick::harness
