#pragma once
// A peer's course: what it does in each frame; as a file; as a request to a trial.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

// What one peer of a lockstep session does, frame by frame: a pure function of inputs, network and
// frame times, so that it is known before any simulation runs.

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
    /// Where it saves: the snapshot is loaded at once, with nothing in between.
    bool reloads = false;
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

// Courses, and the snapshots that peers join by, on their way between the processes of a run.

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

// A trial that is one peer of a lockstep session.

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
