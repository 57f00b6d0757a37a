#include "often_failing.hpp"

#include "../axes/axes.hpp"
#include "confirmation.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

class OftenFailing {
  public:
    OftenFailing(const TrialPlan& plan, const TrialRunner& run) : plan_(plan), run_(run) {}

    // None where it fails without any axis, too, or not often enough to tell.
    Result<std::vector<AxisValue>> needed_axes() {
        std::vector<AxisValue> axes = plan_.drive.axes;
        ISOTICK_TRY_ASSIGN(const std::size_t alone, failures_with({}));
        ISOTICK_TRY_ASSIGN(const std::size_t with_all, failures_with(axes));
        if (alone > 0 || with_all < kOften) {
            return std::vector<AxisValue>();
        }
        for (std::size_t i = axes.size(); i-- > 0 && axes.size() > 1;) {
            std::vector<AxisValue> fewer = axes;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            ISOTICK_TRY_ASSIGN(const std::size_t failures, failures_with(fewer));
            if (failures >= kOften) {
                axes = std::move(fewer);
            }
        }
        return more_basic_than(std::move(axes));
    }

  private:
    static constexpr std::size_t kOften = kConfirmations / 2;

    Result<std::vector<AxisValue>> more_basic_than(std::vector<AxisValue> axes) {
        std::vector<AxisValue> placebos;
        std::ranges::transform(axes, std::back_inserter(placebos), placebo_of);
        ISOTICK_TRY_ASSIGN(const std::size_t by_placebo, failures_with(placebos));
        for (const AxisValue& value : more_basic(axes, by_placebo > 0)) {
            ISOTICK_TRY_ASSIGN(const std::size_t once, failures_with({value}, 1));
            ISOTICK_TRY_ASSIGN(const std::size_t failures,
                               once == 0 ? Result<std::size_t>(0) : failures_with({value}));
            if (failures >= kOften) {
                return std::vector{value};
            }
        }
        return axes;
    }

    Result<std::size_t> failures_with(const std::vector<AxisValue>& axes,
                                      std::size_t runs = kConfirmations) {
        TrialPlan varied = plan_;
        varied.drive.axes = axes;
        ISOTICK_TRY_ASSIGN(const auto results,
                           run_(std::vector<TrialPlan>(runs, varied), Isolation::fresh));
        return static_cast<std::size_t>(
            std::ranges::count(results, Verdict::diverged, &TrialResult::verdict));
    }

    const TrialPlan& plan_;
    const TrialRunner& run_;
};

}  // namespace

Result<std::vector<AxisValue>> axes_of_often_failing(const TrialPlan& plan,
                                                     const TrialRunner& run) {
    return OftenFailing(plan, run).needed_axes();
}

}  // namespace isotick::harness
