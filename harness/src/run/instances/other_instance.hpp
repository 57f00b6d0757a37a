#pragma once
// An instance of a trial's simulation besides the one that the trial is about.

#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/worker/progress.hpp>
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

    /// Runs so many ticks of the recording that `reader` stands at the beginning of, or as many as
    /// it has. Keeps `progress`. Fails as step and the reader do.
    [[nodiscard]] core::Result<void> run(replay::Reader& reader, std::uint64_t ticks,
                                         Progress& progress);

    [[nodiscard]] core::Simulation& simulation() { return simulation_; }
    [[nodiscard]] std::uint64_t ticks_done() const { return ticks_done_; }

  private:
    OtherInstance(core::Simulation simulation, core::TickRate rate)
        : simulation_(std::move(simulation)), rate_(rate) {}

    core::Simulation simulation_;
    core::TickRate rate_;
    std::uint64_t ticks_done_ = 0;
};

}  // namespace isotick::harness
