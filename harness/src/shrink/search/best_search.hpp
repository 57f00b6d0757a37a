#pragma once
// The best candidate so far: of schedules, of inputs.

#include "shrink_trials.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {

/// Tries candidates and keeps the best, which is the last that failed.
template <class Best, class Candidate>
class BestSearch {
  public:
    using Runner = std::function<core::Result<RanCandidate>(const Candidate&)>;

    BestSearch(const Runner& run, const ShrinkLimits& limits, Best best, core::Tick until)
        : best_(std::move(best)), until_(until), run_(run), trials_(limits) {}

    [[nodiscard]] bool over() const { return trials_.over(); }
    [[nodiscard]] const ShrinkEffort& effort() const { return trials_.effort(); }
    [[nodiscard]] const Best& best() const { return best_; }
    [[nodiscard]] core::Tick until() const { return until_; }

  protected:
    /// Whether the candidate fails; then `next`, which it stands for, is the best.
    bool fails(Candidate candidate, const core::Digest& digest, const Best& next) {
        if (next == best_) {
            return true;
        }
        auto& places = candidate.checkpoints;
        places.erase(std::unique(places.begin(), places.end()), places.end());
        const auto tick = trials_.run(digest, until_, [&] { return run_(candidate); });
        if (tick) {
            until_ = *tick;
            best_ = next;
        }
        return tick.has_value();
    }

    Best best_;
    core::Tick until_;

  private:
    const Runner& run_;
    ShrinkTrials trials_;
};

}  // namespace isotick::harness
