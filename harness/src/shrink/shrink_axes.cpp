#include "shrink_axes.hpp"

#include "../axes/axes.hpp"
#include "search/failed_step.hpp"

#include <isotick/core/hash.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace isotick::harness {
namespace {

class AxisSearch {
  public:
    AxisSearch(const TrialPlan& failing, const TrialResult& result, const BranchRunner& run,
               const ShrinkLimits& limits)
        : plan_(failing), result_(result), run_(run), trials_(limits), clock_(failing) {}

    ShrunkAxes search() {
        if (!plan_.drive.has_nominal_frames() && !plan_.drive.axes.empty()) {
            try_axes({});
            try_alone();
        }
        leave_out();
        try_more_basic();
        make_plainer();
        return {std::move(plan_.drive), trials_.effort()};
    }

  private:
    // The nominal schedule with no axis at all is known not to fail.
    [[nodiscard]] bool is_last_suspect() const {
        return plan_.drive.has_nominal_frames() && plan_.drive.axes.size() == 1;
    }

    // Most often one axis is all that it takes.
    void try_alone() {
        const std::vector<AxisValue> axes = plan_.drive.axes;
        for (const AxisValue& axis : axes) {
            Drive alone;
            alone.axes = {axis};
            if (try_drive(std::move(alone))) {
                return;
            }
        }
    }

    void leave_out() {
        for (std::size_t i = plan_.drive.axes.size(); i-- > 0 && !is_last_suspect();) {
            std::vector<AxisValue> fewer = plan_.drive.axes;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            try_axes(std::move(fewer));
        }
    }

    // Two axes that fail only together, at these values, often are one with another value. And what
    // fails by something that an axis moves besides is not its own fault.
    void try_more_basic() {
        for (AxisValue& value : more_basic(plan_.drive.axes, fails_by_placebo())) {
            Drive alone;
            alone.axes = {std::move(value)};
            if (try_drive(std::move(alone))) {
                return;
            }
        }
    }

    [[nodiscard]] bool fails_by_placebo() {
        const Drive found = plan_.drive;
        const std::uint64_t most_frames = plan_.most_frames;
        const bool fails = found.axes.size() == 1 && found.axes.front().axis != kMovedByPlacebo &&
                           try_axes({placebo_of(found.axes.front())});
        plan_.drive = found;
        plan_.most_frames = most_frames;
        return fails;
    }

    void make_plainer() {
        for (std::size_t i = 0; i < plan_.drive.axes.size(); ++i) {
            while (try_plainer(i)) {
            }
        }
    }

    bool try_plainer(std::size_t i) {
        return std::ranges::any_of(plainer(plan_.drive.axes[i]), [&](AxisValue& plain) {
            std::vector<AxisValue> axes = plan_.drive.axes;
            axes[i] = std::move(plain);
            return try_axes(std::move(axes));
        });
    }

    bool try_axes(std::vector<AxisValue> axes) {
        Drive drive = plan_.drive;
        drive.axes = std::move(axes);
        return try_drive(std::move(drive));
    }

    bool try_drive(Drive drive) {
        TrialPlan candidate = plan_;
        candidate.most_frames = drive.schedule == plan_.drive.schedule ? plan_.most_frames : 0;
        candidate.drive = std::move(drive);
        const core::Tick until = *clock_.until(result_);
        if (clock_.counts_ticks()) {
            candidate.until = until;
        } else {
            candidate.most_steps = until.value + 1;
        }
        const std::string text = to_string(candidate.drive);
        const core::Digest digest{core::hash_bytes(std::as_bytes(std::span(text))), 0};
        const bool fails = trials_.run(digest, until, [&] { return run(candidate); }).has_value();
        if (fails) {
            plan_.drive = std::move(candidate.drive);
            plan_.most_frames = candidate.most_frames;
        }
        return fails;
    }

    core::Result<RanCandidate> run(const TrialPlan& candidate) {
        return run_(candidate, {}).map([this](const BranchedTrial& trial) {
            return RanCandidate{
                fails_alike(trial.result, result_) ? clock_.when(trial.result) : std::nullopt,
                trial.ticks_run};
        });
    }

    TrialPlan plan_;
    const TrialResult& result_;
    const BranchRunner& run_;
    ShrinkTrials trials_;
    FailureClock clock_;
};

}  // namespace

ShrunkAxes shrink_axes(const TrialPlan& failing, const TrialResult& result, const BranchRunner& run,
                       const ShrinkLimits& limits) {
    return AxisSearch(failing, result, run, limits).search();
}

}  // namespace isotick::harness
