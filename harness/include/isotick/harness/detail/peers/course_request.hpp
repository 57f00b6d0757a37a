#pragma once
// A trial that is one peer of a lockstep session.

#include <cstdint>
#include <string>
#include <vector>

namespace isotick::harness {

/// Asks for the state that `ticks_done` ticks made to be written as somebody who joins begins from
/// it: after the final step of tick `ticks_done` − 1, which the course must have.
struct SnapshotRequest {
    std::string path;  ///< of a file that exists; its content is replaced
    std::uint64_t ticks_done = 0;
    friend bool operator==(const SnapshotRequest&, const SnapshotRequest&) = default;
};

/// Asks for the frames of a course (course.hpp) in the place of those that a loop and a schedule
/// make. Steps run on the recording's inputs with the plan's edits, but for the course's guesses.
/// States are hashed after final steps only; those that a trace asks for, dumps and watched fields
/// are of any step.
struct CourseRequest {
    std::string path;                      ///< of a course file
    std::vector<SnapshotRequest> save_at;  ///< by ticks
    /// The snapshot file that a course with a first tick begins from; empty: none.
    std::string begin_from;
    /// A file that exists: its content is replaced by the peer's own recording, with the session
    /// and notes of the trial's, the inputs that its final steps ran on and the hashes that it
    /// computed after them. Empty: none is written. A peer that joins has none, since it knows
    /// nothing of the ticks before.
    std::string recording;
    friend bool operator==(const CourseRequest&, const CourseRequest&) = default;
};

}  // namespace isotick::harness
