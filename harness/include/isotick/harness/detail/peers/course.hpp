#pragma once
// What one peer of a lockstep session does, frame by frame: a pure function of inputs, network and
// frame times, so that it is known before any simulation runs.

#include <isotick/core/time.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

/// One frame of a peer: begin_frame(frame_time), then `back` ticks are undone by a snapshot, then
/// `steps` are run, then render(alpha).
struct CourseFrame {
    core::FrameTime frame_time;
    std::uint32_t back = 0;
    std::uint32_t steps = 0;
    double alpha = 0;
    friend bool operator==(const CourseFrame&, const CourseFrame&) = default;
};

/// One step of a peer. Which tick it is follows from the frames: the next one, or, after a frame
/// went back, the one that it went back to.
struct CourseStep {
    bool saves = false;  ///< a snapshot of the state before it is kept: it runs on a guess
    /// This is the last time that the tick is run, on inputs that all peers agree on: the state
    /// after it is what every peer must have. False where a later frame undoes it.
    bool final = true;
    friend bool operator==(const CourseStep&, const CourseStep&) = default;
};

/// An input that a step is run with in the place of the session's: a peer's wrong guess.
struct GuessedInput {
    std::uint64_t step = 0;  ///< index in Course::steps
    std::uint32_t player = 0;
    std::optional<std::vector<std::uint8_t>> bytes;  ///< none: absent
    friend bool operator==(const GuessedInput&, const GuessedInput&) = default;
};

/// All that one peer does, from the state that `first_tick` ticks made: the initial one, or a
/// snapshot that it joins by.
struct Course {
    std::uint64_t first_tick = 0;
    std::vector<CourseFrame> frames;
    std::vector<CourseStep> steps;      ///< of all frames, in order
    std::vector<GuessedInput> guesses;  ///< by step, then player
    friend bool operator==(const Course&, const Course&) = default;
};

}  // namespace isotick::harness
