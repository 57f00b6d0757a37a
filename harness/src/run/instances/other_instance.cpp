#include "other_instance.hpp"

#include "../../axes/axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

namespace isotick::harness {

using core::Result;

Result<core::Simulation> create_instance(const TrialPlan& plan, const replay::RecordingHead& head,
                                         const isotick_simulation_table& table,
                                         std::optional<std::uint64_t> seed) {
    core::SimulationSetup setup = setup_of(head, plan.environment);
    ISOTICK_TRY(harness::apply(plan.drive.axes, setup));
    setup.seed = seed.value_or(setup.seed);
    return core::Simulation::create(table, setup);
}

Result<OtherInstance> OtherInstance::create(const TrialPlan& plan,
                                            const replay::RecordingHead& head,
                                            const isotick_simulation_table& table,
                                            std::optional<std::uint64_t> seed) {
    return create_instance(plan, head, table, seed).map([&head](core::Simulation&& simulation) {
        return OtherInstance(std::move(simulation), head.session.rate);
    });
}

Result<void> OtherInstance::step(std::span<const isotick_input> inputs,
                                 std::optional<core::TickDt> dt) {
    const core::Tick tick{ticks_done_++};
    const std::int64_t length = rate_.time_of(ticks_done_) - rate_.time_of(tick.value);
    ISOTICK_TRY(simulation_.begin_frame({length}));
    ISOTICK_TRY(simulation_.step(tick, inputs, dt));
    return simulation_.render(0);
}

Result<void> OtherInstance::run(replay::Reader& reader, std::uint64_t ticks, Progress& progress) {
    replay::RecordedTicks recorded(reader);
    while (ticks_done_ < ticks) {
        ISOTICK_TRY_ASSIGN(const bool more, recorded.advance());
        if (!more) {
            break;
        }
        progress.enter({Activity::stepping, recorded.tick(), ticks_done_ + 1});
        ISOTICK_TRY(step(recorded.inputs(), recorded.dt()));
    }
    return {};
}

}  // namespace isotick::harness
