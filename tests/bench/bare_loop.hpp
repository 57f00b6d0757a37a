#pragma once
// The least that a replay under a schedule can cost: the calls into the simulation and nothing
// else. Inputs, hashes and frames are in memory before it starts.

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace isotick::bench {

/// One frame of a trial.
struct BareFrame {
    std::int64_t frame_time_ns = 0;
    std::uint64_t ticks = 0;
    double alpha = 0;
};

/// What a trial is made of: its frames up to the session's last tick.
struct BareTrial {
    std::vector<BareFrame> frames;
    bool without_inputs = false;
};

/// How much was done.
struct BareWork {
    std::uint64_t ticks = 0;
    std::uint64_t frames = 0;
};

/// A recording of a reference simulation, read into memory.
class BareLoop {
  public:
    /// Throws std::runtime_error if the recording cannot be read.
    explicit BareLoop(const std::string& recording);

    [[nodiscard]] const replay::RecordingHead& head() const { return head_; }
    [[nodiscard]] const core::Digest& session_digest() const { return session_digest_; }

    [[nodiscard]] BareTrial prepare(const harness::TrialPlan& plan) const;

    /// Makes the calls of one trial: create, hash, and in each frame begin_frame, step and hash for
    /// each tick, render. Stops behind the first hash that is not the recorded one, which throws
    /// std::runtime_error unless the trial is one without inputs.
    [[nodiscard]] BareWork run(const BareTrial& trial) const;

  private:
    replay::RecordingHead head_;
    core::Digest session_digest_;
    const isotick_simulation_table* table_ = nullptr;
    std::vector<std::vector<std::vector<std::uint8_t>>> bytes_;  // by tick and column
    std::vector<std::vector<isotick_input>> inputs_;             // by tick, into bytes_
    std::vector<isotick_input> blank_;                           // every input absent
    std::vector<core::StateHash> hashes_;                        // by ticks done
};

}  // namespace isotick::bench
