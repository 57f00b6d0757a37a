#include "other_instance.hpp"

#include "../axes/axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
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

Result<void> run_instance_before(const TrialPlan& plan, const isotick_simulation_table& table,
                                 Progress& progress) {
    const auto ticks = other_instances(plan.drive.axes).ticks_before;
    if (!ticks || plan.course) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan.recording));
    const replay::RecordingHead head = reader.head();
    progress.enter(Activity::creating);
    ISOTICK_TRY_ASSIGN(auto instance, OtherInstance::create(plan, head, table));
    replay::RecordedTicks recorded(reader);
    while (instance.ticks_done() < *ticks) {
        ISOTICK_TRY_ASSIGN(const bool more, recorded.advance());
        if (!more) {
            break;
        }
        progress.enter({Activity::stepping, recorded.tick(), instance.ticks_done() + 1});
        ISOTICK_TRY(instance.step(recorded.inputs(), recorded.dt()));
    }
    progress.enter(Activity::destroying);
    return {};
}

Result<InstancesBeside> InstancesBeside::create(const TrialPlan& plan,
                                                const replay::RecordingHead& head,
                                                const isotick_simulation_table& table,
                                                std::uint64_t seed) {
    InstancesBeside beside(plan, head, table, seed);
    return beside.create_next().map([&beside] { return std::move(beside); });
}

Result<void> InstancesBeside::create_next() {
    instance_.reset();  // some own what is there only once
    ISOTICK_TRY_ASSIGN(instance_, OtherInstance::create(*plan_, *head_, *table_, seed_));
    life_ *= 2;
    return {};
}

Result<void> InstancesBeside::step(std::span<const isotick_input> inputs,
                                   std::optional<core::TickDt> dt) {
    ISOTICK_TRY(instance_->ticks_done() == life_ ? create_next() : Result<void>());
    return instance_->step(inputs, dt);
}

}  // namespace isotick::harness
