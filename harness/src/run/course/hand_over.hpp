#pragma once
// What a peer leaves for others: its own recording, and snapshots to join by.

#include "../calls/call_pipeline.hpp"
#include "course_walk.hpp"
#include "peer_recording.hpp"

#include <isotick/core/simulation.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

/// Takes each tick that is done for good, while the simulation stands on the state after it. What
/// it is made of must outlive it.
class HandOver {
  public:
    HandOver(const CourseRequest& request, const CourseWalk& course, core::Simulation& simulation,
             CallPipeline& calls, Progress& progress, const TrialResult& result)
        : request_(request),
          course_(course),
          simulation_(simulation),
          calls_(calls),
          progress_(progress),
          result_(result) {}

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
    [[nodiscard]] core::Result<replay::TickHashes> hashes(core::Tick tick);
    [[nodiscard]] core::Result<void> record(core::Tick tick, std::span<const isotick_input> inputs,
                                            std::optional<core::TickDt> dt);
    [[nodiscard]] core::Result<void> save(const SnapshotRequest& snapshot, core::Tick tick);

    const CourseRequest& request_;
    const CourseWalk& course_;
    core::Simulation& simulation_;
    CallPipeline& calls_;
    Progress& progress_;
    const TrialResult& result_;
    std::optional<Noted> noted_;  // the latest hash
    std::optional<PeerRecording> recording_;
    std::size_t next_snapshot_ = 0;
};

}  // namespace isotick::harness
