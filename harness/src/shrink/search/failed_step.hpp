#pragma once
// At which of its steps a trial failed.

#include <isotick/core/time.hpp>
#include <isotick/harness/trial.hpp>

#include <optional>

namespace isotick::harness {

/// The number, from 0, of the first step that a divergence or a crash shows in or after; where no
/// loop goes back in time, its tick. A crash between two steps counts for the one to come. None
/// where a trial did neither, or before its first frame, or when it was over.
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

}  // namespace isotick::harness
