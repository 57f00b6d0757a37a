#pragma once
// A peer's course in place of loop and schedule: its steps, guesses, rollbacks and recording.

#include "call_pipeline.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/writer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// What players did lately: what a rollback game guesses that they do next.

/// Guesses inputs of ticks that are not final yet. Most often a player goes on as in the last final
/// tick; sometimes the guess is what he did in a tick before that, or is right.
class EarlierInputs {
  public:
    explicit EarlierInputs(std::uint64_t seed) : random_(seed) {}

    /// The inputs of the next final tick, one per player and the world's.
    void add(std::span<const isotick_input> inputs);

    /// Guesses for a tick whose inputs are `actual`. Valid until the next call of either.
    [[nodiscard]] std::span<const isotick_input> guess(std::span<const isotick_input> actual);

  private:
    static constexpr std::size_t kKept = 32;

    struct Inputs {
        std::vector<isotick_input> inputs;
        std::vector<std::uint8_t> bytes;  // what inputs points into
    };

    // How many ticks ago a player did what he is taken to do; 0: the guess is right.
    [[nodiscard]] std::uint64_t draw_age();

    core::Pcg32 random_;
    bool is_right_ = false;             // until the next final tick
    std::uint64_t count_ = 0;           // of final ticks
    std::array<Inputs, kKept> latest_;  // a ring
    std::vector<isotick_input> guessed_;
};

// The recording that a peer makes of its own run.

/// Writes the ticks that a peer has done for good. Where it is destroyed without close, the file
/// holds the full chunks.
class PeerRecording {
  public:
    /// Fills in the file at `path`, which must exist.
    [[nodiscard]] static core::Result<PeerRecording> create(const std::string& path,
                                                            const replay::RecordingHead& head,
                                                            const replay::TickHashes& initial);

    /// Whether append needs the hashes of the state after `tick`.
    [[nodiscard]] bool hash_due(core::Tick tick) const { return writer_.hash_due(tick); }

    /// The next tick; `hashes` of the state after it may be null where they are not due.
    [[nodiscard]] core::Result<void> append(std::span<const isotick_input> inputs,
                                            const replay::TickHashes* hashes,
                                            std::optional<core::TickDt> dt);

    /// Finishes the recording where the hashes of its last state are known; else leaves its full
    /// chunks.
    [[nodiscard]] core::Result<void> close();

  private:
    explicit PeerRecording(replay::Writer writer) : writer_(std::move(writer)) {}

    void keep(const replay::TickHashes& hashes);

    replay::Writer writer_;
    bool last_is_known_ = false;
    core::StateHash last_;
    std::vector<core::PartHash> last_parts_;
};

// The course of a trial, and what follows from it for each step.

/// Steps are counted as TrialStatistics::ticks does: step n is the one before which n were taken.
class CourseWalk {
  public:
    /// The course that `plan` asks for, in a file or by an axis, which then stands in plan.course;
    /// none: it asks for none. Fails with `usage` where it cannot be run with so many players, with
    /// what else is asked for, or with the simulation.
    [[nodiscard]] static core::Result<std::optional<CourseWalk>> open(
        TrialPlan& plan, const isotick_simulation_table& table, std::uint32_t players);

    [[nodiscard]] const Course& course() const { return course_; }
    [[nodiscard]] const CourseStep& step(std::uint64_t n) const { return course_.steps[n]; }

    /// Whether snapshots are taken.
    [[nodiscard]] bool saves() const { return sums_.saves > 0; }

    /// The first tick whose snapshot is needed behind frame `frame`; UINT64_MAX: of none.
    [[nodiscard]] std::uint64_t first_needed(std::uint64_t frame) const {
        return first_needed_.empty() ? UINT64_MAX : first_needed_[frame];
    }

    /// Whether the plan ends the trial, before the course ends, where `n` steps were taken.
    [[nodiscard]] bool ends_early_with(std::uint64_t n) const {
        return n >= planned_ && n < sums_.steps;
    }
    /// Whether nothing is stepped any more where `n` steps were taken.
    [[nodiscard]] bool is_over_with(std::uint64_t n) const { return n >= planned_; }
    /// Whether step `n` is the last final one that the trial takes.
    [[nodiscard]] bool is_last_final(std::uint64_t n) const { return n == last_final_; }

    /// The inputs of step `n`: `agreed`, which has one entry per player and the world's last, with
    /// this course's guesses. Steps are asked for in order. Valid until the next call, and as long
    /// as `agreed`.
    [[nodiscard]] std::span<const isotick_input> inputs(std::uint64_t n,
                                                        std::span<const isotick_input> agreed);

  private:
    [[nodiscard]] std::span<const isotick_input> drawn_inputs(
        std::uint64_t n, std::span<const isotick_input> agreed);

    CourseWalk(Course course, CourseSums sums);

    void plan_end(const TrialPlan& plan);

    Course course_;
    CourseSums sums_;
    std::vector<std::uint64_t> first_needed_;  // by frame; empty where none goes back
    std::uint64_t planned_ = 0;                // steps
    std::uint64_t last_final_ = UINT64_MAX;
    std::size_t next_guess_ = 0;
    std::vector<isotick_input> inputs_;
    std::optional<EarlierInputs> earlier_;  // where guesses are drawn
};

// What a peer leaves for others: its own recording, and snapshots to join by.

/// Takes each tick that is done for good, while the simulation stands on the state after it. What
/// it is made of must outlive it.
class CourseOutput {
  public:
    CourseOutput(const CourseRequest& request, const CourseWalk& course, CallPipeline& calls,
                 const TrialResult& result)
        : request_(request), course_(course), calls_(calls), result_(result) {}

    /// To be told of every hash that the trial takes, by how many steps it took to the state.
    void note_hash(std::uint64_t steps, core::StateHash hash) { noted_ = Noted{steps, hash}; }

    /// The simulation stands on the initial state of a session with this head.
    [[nodiscard]] core::Result<void> begin(const replay::RecordingHead& head);

    /// A final step of `tick` was taken, on `inputs`. Fails as the simulation does where it is
    /// asked for a hash or a snapshot, and with `io`.
    [[nodiscard]] core::Result<void> take(core::Tick tick, std::span<const isotick_input> inputs,
                                          std::optional<core::TickDt> dt);

    /// Nothing follows.
    [[nodiscard]] core::Result<void> close();

  private:
    struct Noted {
        std::uint64_t steps;
        core::StateHash hash;
    };

    [[nodiscard]] std::uint64_t steps() const { return result_.statistics.ticks; }
    [[nodiscard]] core::Result<replay::TickHashes> hashes();
    [[nodiscard]] core::Result<void> record(core::Tick tick, std::span<const isotick_input> inputs,
                                            std::optional<core::TickDt> dt);
    [[nodiscard]] core::Result<void> save(const SnapshotRequest& snapshot, core::Tick tick);

    const CourseRequest& request_;
    const CourseWalk& course_;
    CallPipeline& calls_;
    const TrialResult& result_;
    std::optional<Noted> noted_;  // the latest hash
    std::optional<PeerRecording> recording_;
    std::size_t next_snapshot_ = 0;
};

// How a peer comes to the state of a session that others have begun.

/// Loads the snapshot at `path`, which must be of the state that `first_tick` ticks made. Fails as
/// read_join_state and CallPipeline::load do, and with `usage` on another state.
[[nodiscard]] inline core::Result<void> load_join_state(const std::string& path,
                                                        std::uint64_t first_tick,
                                                        CallPipeline& calls) {
    ISOTICK_TRY_ASSIGN(const JoinState from, read_join_state(path));
    if (from.ticks_done != first_tick) {
        return core::fail(core::ErrorCode::usage,
                          "the course begins at tick " + std::to_string(first_tick) +
                              ", but the snapshot is of the state that " +
                              std::to_string(from.ticks_done) + " ticks made");
    }
    return calls.load(from.snapshot, first_tick);
}

}  // namespace isotick::harness
