#include "trial_simulation.hpp"

#include "../../axes/axes.hpp"
#include "../../preload/preload.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

using core::Result;

std::vector<std::uint64_t> beginnings_of(const std::vector<AxisValue>& axes) {
    std::vector<std::uint64_t> frames;
    for (const AxisValue& value : axes) {
        if (const std::uint64_t frame = first_frame(value); frame > 0) {
            frames.push_back(frame);
        }
    }
    return frames;
}

}  // namespace

Result<core::Simulation> TrialSimulation::create(const isotick_simulation_table& table,
                                                 const std::vector<AxisValue>& axes,
                                                 core::SimulationSetup setup, bool may_go_on) {
    axes_ = axes;
    beginnings_ = beginnings_of(axes);
    const std::vector<AxisValue> first = applied_in(axes, 0);
    ISOTICK_TRY(apply(first, setup));
    ISOTICK_TRY(preload::begin(system_settings(first)));
    const CallSetup calls = call_setup(first);
    if (may_go_on || !beginnings_.empty() || !calls.is_usual()) {
        ISOTICK_TRY_ASSIGN(varied_, VariedCalls::make(table, calls));
    }
    return core::Simulation::create(varied_ ? *varied_ : table, setup);
}

void TrialSimulation::go_on_with(const std::vector<AxisValue>& axes) {
    axes_ = axes;
    beginnings_ = beginnings_of(axes);
}

Result<void> TrialSimulation::before_frame(std::uint64_t frame,
                                           const core::Simulation& simulation) {
    if (std::ranges::find(beginnings_, frame) == beginnings_.end()) {
        return {};
    }
    if (simulation.queues_calls()) {
        return core::fail(core::ErrorCode::usage,
                          "an axis can begin partway through a trial only where the simulation "
                          "runs in the trial's own process");
    }
    const std::vector<AxisValue> now = applied_in(axes_, frame);
    preload::change(system_settings(now));
    varied_->change(call_setup(now));
    return {};
}

}  // namespace isotick::harness
