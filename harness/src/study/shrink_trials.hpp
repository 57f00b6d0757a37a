#pragma once
// The trials that shrinking runs, and what counts as the same failure.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>

namespace isotick::harness {

// At which of its steps a trial failed.

/// The number, from 0, of the first step that a divergence or a crash shows in or after; where no
/// loop goes back in time, its tick. A divergence of the initial state counts for the first step, a
/// crash between two steps for the one to come. None where a trial did neither, or crashed before
/// its first frame or when it was over.
[[nodiscard]] std::optional<core::Tick> failed_step(const TrialResult& result);

/// When trials fail, and until when what is to fail as one of them must. In steps; but trials whose
/// axes give them a course go back in different ways, so that only ticks compare, and what is run
/// together with a tick and undone counts as that tick.
class FailureClock {
  public:
    explicit FailureClock(const TrialPlan& failing);
    [[nodiscard]] bool counts_ticks() const { return counts_ticks_; }
    [[nodiscard]] std::optional<core::Tick> when(const TrialResult& result) const;
    [[nodiscard]] std::optional<core::Tick> until(const TrialResult& original) const;

  private:
    bool counts_ticks_;
};

/// Whether `result` fails as `original` does: both diverged, or both crashed in the same call.
[[nodiscard]] bool fails_alike(const TrialResult& result, const TrialResult& original);

// How much work shrinking may be, and how much it was.

/// What running a candidate came to.
struct RanCandidate {
    /// The first tick that diverged; none where none did or where that could not be told.
    std::optional<core::Tick> diverged_at;
    std::uint64_t ticks_spent = 0;  ///< all that were run for it, those of checkpoints included
};

struct ShrinkLimits {
    std::uint64_t most_trials = 1000;
    std::uint64_t most_ticks = std::numeric_limits<std::uint64_t>::max();
    std::function<bool()> stop{};  ///< asked before each trial; may be empty
};

/// Why shrinking ended. What was found until then is the best so far, whatever the reason.
enum class ShrinkEnd : std::uint8_t {
    complete,       ///< nothing was left to try
    out_of_budget,  ///< ShrinkLimits
    stopped,        ///< ShrinkLimits::stop
    runner_failed,  ///< ShrinkEffort::error
};

struct ShrinkEffort {
    std::uint64_t trials = 0;
    std::uint64_t ticks = 0;
    ShrinkEnd end = ShrinkEnd::complete;
    std::optional<core::Error> error{};
};

/// Counts trials against the limits, and remembers what was tried in vain.
class ShrinkTrials {
  public:
    explicit ShrinkTrials(const ShrinkLimits& limits) : limits_(limits) {}

    /// No further trial may be run: whoever searches, ends.
    [[nodiscard]] bool over() const { return effort_.end != ShrinkEnd::complete; }
    [[nodiscard]] const ShrinkEffort& effort() const { return effort_; }

    /// Calls `run` for the candidate of this digest, if another trial may be run and this one was
    /// not yet. The tick of its divergence, if that is no later than `until`.
    [[nodiscard]] std::optional<core::Tick> run(
        const core::Digest& candidate, core::Tick until,
        const std::function<core::Result<RanCandidate>()>& run);

  private:
    [[nodiscard]] bool may_go_on();

    const ShrinkLimits& limits_;
    ShrinkEffort effort_;
    std::set<core::Digest> in_vain_;
};

}  // namespace isotick::harness
