#pragma once
// What one peer of a lockstep session does, frame by frame: a pure function of inputs, network and
// frame times, so that it is known before any simulation runs.

#include <isotick/core/result.hpp>
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
    /// A snapshot of the state before it is kept, for as long as a frame goes back to it: it runs
    /// on a guess. Where a tick is run again without, none is kept of it any more.
    bool saves = false;
    /// This is the last time that the tick is run, on inputs that all peers agree on: the state
    /// after it is what every peer must have. False where a later frame undoes it, and behind the
    /// last tick that is agreed on.
    bool final = true;
    friend bool operator==(const CourseStep&, const CourseStep&) = default;
};

/// An input that a step is run with in the place of the session's: a peer's wrong guess. In a final
/// step it is an input that this peer takes for agreed.
struct GuessedInput {
    std::uint64_t step = 0;                          ///< index in Course::steps
    std::uint32_t player = 0;                        ///< ISOTICK_WORLD: the world
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
    /// A seed: steps that are undone run on guesses drawn from it, as well as on those in
    /// `guesses`. Each is what the player did in an earlier tick.
    std::optional<std::uint64_t> guess_seed{};
    friend bool operator==(const Course&, const Course&) = default;
};

/// Runs the ticks of a session from `first_tick` to before `end`, one a frame, each of its length.
[[nodiscard]] Course nominal_course(core::TickRate rate, std::uint64_t first_tick,
                                    std::uint64_t end);

/// What a course comes to. `steps` are its final ones, those that are undone, and the `open` ones
/// at its end, which are neither.
struct CourseSums {
    std::uint64_t ticks_done = 0;  ///< by its end
    std::uint64_t steps = 0;
    std::uint64_t final_steps = 0;
    std::uint64_t undone = 0;
    std::uint64_t open = 0;
    std::uint64_t saves = 0;
    std::uint64_t loads = 0;
    friend bool operator==(const CourseSums&, const CourseSums&) = default;
};

inline constexpr std::uint64_t kMostCourseFrames = 100'000'000;
inline constexpr std::uint64_t kMostCourseSteps = 100'000'000;

/// Sums up a course for a session with so many players. Fails with `usage`, and what and where,
/// unless it can be run: frames and steps add up, no frame goes back behind its beginning or to a
/// tick of which no snapshot is kept, no final step is undone or comes behind one that is neither
/// final nor undone, and guesses are in order, of steps and players that there are.
[[nodiscard]] core::Result<CourseSums> sum_up(const Course& course, std::uint32_t players);

}  // namespace isotick::harness
