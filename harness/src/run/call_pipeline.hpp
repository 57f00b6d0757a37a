#pragma once
// A run's simulation, and the calls on their way into it: one at a time, or many in flight.

#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/trial.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace isotick::harness {

/// A state that is to be hashed, and what is known of it at that time.
struct AwaitedHash {
    std::uint64_t ticks_done = 0;
    FrameContext context;
    std::optional<core::StateHash> recorded;  ///< none: the hash is kept, not compared
    std::span<const core::PartHash> recorded_parts;
    std::uint64_t steps = 0;
    std::optional<Rerun> rerun{};
};

/// Owns the simulation of a run, makes its calls, knows which tick comes next and keeps the
/// progress. Unless `one_at_a_time`, a simulation that queues calls is sent calls ahead of its
/// answers; how far ahead depends on how fast it answers, so that answers keep coming. What is
/// found is the same: hashes arrive in order, and if one ends the trial, the statistics are again
/// those of its tick. Everything passed in must outlive this.
class CallPipeline {
  public:
    /// Takes the hash of a state; parts() of the simulation are its part hashes. Returns whether
    /// the trial goes on.
    using Taker = std::function<bool(const AwaitedHash&, core::StateHash)>;

    /// `next`: the tick that is stepped first.
    CallPipeline(core::Simulation simulation, Progress& progress, TrialStatistics& statistics,
                 Taker take, bool one_at_a_time, core::Tick next = {})
        : simulation_(std::move(simulation)),
          progress_(progress),
          statistics_(statistics),
          take_(std::move(take)),
          next_(next),
          ahead_(simulation_.queues_calls() && !one_at_a_time) {
        queued_.resize(ahead_ ? kLargestWindow : 0);
        progress.ahead = ahead_ ? 1 : 0;
    }

    /// For asking what it can do, and what its last calls returned.
    [[nodiscard]] core::Simulation& simulation() { return simulation_; }

    [[nodiscard]] core::Result<void> begin_frame(core::FrameTime frame_time);
    /// Steps by `dt`, if that is not the constant one.
    [[nodiscard]] core::Result<void> step(core::Tick tick, std::span<const isotick_input> inputs,
                                          std::optional<core::TickDt> dt);
    [[nodiscard]] core::Result<void> render(double alpha);

    /// Hashes the state, and hands the hash to the taker: now or later.
    [[nodiscard]] core::Result<void> hash(const AwaitedHash& awaited);

    /// For a call that is made at once, on the state after the latest tick, and shown as
    /// `activity`. No call may be in flight.
    core::Simulation& during(Activity activity) {
        enter(activity, last_tick());
        return simulation_;
    }

    [[nodiscard]] const Progress& progress() const { return progress_; }

    /// Continues from the state that `ticks_done` ticks made. No call may be in flight.
    [[nodiscard]] core::Result<void> load(std::span<const std::byte> snapshot,
                                          std::uint64_t ticks_done);

    /// Waits until no call is in flight.
    [[nodiscard]] core::Result<void> settle_all() { return settle_down_to(0); }

    /// Whether the taker has ended the trial during one of these calls, of which the hash was
    /// queued before: the current frame is not part of the trial, and all further calls do nothing.
    [[nodiscard]] bool over() const { return over_; }

  private:
    struct Queued {
        core::QueuedCall call = core::QueuedCall::step;
        core::Tick tick;
        TrialStatistics statistics;  // when the call was made
        AwaitedHash awaited;
        std::vector<core::PartHash> recorded_parts;  // what awaited points into
    };

    static constexpr std::size_t kLargestWindow = 4096;

    [[nodiscard]] core::Tick last_tick() const;
    void enter(Activity activity, core::Tick tick) {
        progress_.enter({activity, tick, statistics_.ticks});
    }
    [[nodiscard]] core::Result<void> enqueue(core::QueuedCall call, core::Tick tick,
                                             const AwaitedHash* awaited);
    [[nodiscard]] core::Result<void> settle_down_to(std::size_t most);
    [[nodiscard]] core::Result<void> settle_oldest();

    core::Simulation simulation_;
    Progress& progress_;
    TrialStatistics& statistics_;
    Taker take_;
    std::vector<Queued> queued_;  // a ring, whose memory is reused
    std::size_t oldest_ = 0;
    std::size_t count_ = 0;
    std::size_t window_ = 16;  // how many may be in flight
    core::Tick next_;          // the tick to be stepped next
    bool ahead_;
    bool over_ = false;
};

}  // namespace isotick::harness
