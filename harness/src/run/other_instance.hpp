#pragma once
// Instances of a trial's simulation besides the one that the trial is about.

#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace isotick::harness {

/// An instance for `plan`, whose recording has that head; by another seed where one is given. The
/// table must outlive it. Fails as core::Simulation::create does.
[[nodiscard]] core::Result<core::Simulation> create_instance(
    const TrialPlan& plan, const replay::RecordingHead& head, const isotick_simulation_table& table,
    std::optional<std::uint64_t> seed = {});

/// Runs tick after tick in nominal frames; its hashes are not looked at.
class OtherInstance {
  public:
    /// As create_instance.
    [[nodiscard]] static core::Result<OtherInstance> create(const TrialPlan& plan,
                                                            const replay::RecordingHead& head,
                                                            const isotick_simulation_table& table,
                                                            std::optional<std::uint64_t> seed = {});

    /// Runs its next tick, in a frame of its own. Fails as the simulation does.
    [[nodiscard]] core::Result<void> step(std::span<const isotick_input> inputs,
                                          std::optional<core::TickDt> dt);

    [[nodiscard]] std::uint64_t ticks_done() const { return ticks_done_; }

  private:
    OtherInstance(core::Simulation simulation, core::TickRate rate)
        : simulation_(std::move(simulation)), rate_(rate) {}

    core::Simulation simulation_;
    core::TickRate rate_;
    std::uint64_t ticks_done_ = 0;
};

/// Where the axes of `plan` want an instance in the process before the trial's: creates it, runs
/// its ticks and destroys it. Keeps `progress`. Fails as the simulation and the recording's reader
/// do.
[[nodiscard]] core::Result<void> run_instance_before(const TrialPlan& plan,
                                                     const isotick_simulation_table& table,
                                                     Progress& progress);

/// One after another in the process of a trial, while its own instance lives: the first is created
/// before that one, and each runs twice as many ticks as the one before it.
class InstancesBeside {
  public:
    /// Creates the first. `plan`, `head` and `table` must outlive it. Fails as create_instance
    /// does.
    [[nodiscard]] static core::Result<InstancesBeside> create(const TrialPlan& plan,
                                                              const replay::RecordingHead& head,
                                                              const isotick_simulation_table& table,
                                                              std::uint64_t seed);

    /// Runs the next tick of the one that there is, or of the next one. Fails as the simulation
    /// does.
    [[nodiscard]] core::Result<void> step(std::span<const isotick_input> inputs,
                                          std::optional<core::TickDt> dt);

  private:
    InstancesBeside(const TrialPlan& plan, const replay::RecordingHead& head,
                    const isotick_simulation_table& table, std::uint64_t seed)
        : plan_(&plan), head_(&head), table_(&table), seed_(seed) {}

    [[nodiscard]] core::Result<void> create_next();

    const TrialPlan* plan_;
    const replay::RecordingHead* head_;
    const isotick_simulation_table* table_;
    std::uint64_t seed_;
    std::uint64_t life_ = 8;  // in ticks
    std::optional<OtherInstance> instance_;
};

}  // namespace isotick::harness
