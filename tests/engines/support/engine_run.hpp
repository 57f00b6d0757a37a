#pragma once
// Engines' plug-ins, driven side by side in one process.

#include <isotick/core/simulation.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::engines {

/// Loads a plug-in, which then stays loaded. Null, and a reason on stderr, where that fails.
[[nodiscard]] const isotick_simulation_table* load_table(const std::string& path);

/// One player's input at one tick.
struct InputAt {
    std::uint64_t tick;
    std::array<std::uint8_t, 4> bytes;
};

/// One simulation of one player, and how far it has come. Ends the process where a call fails.
class EngineRun {
  public:
    EngineRun(const isotick_simulation_table& table, std::uint64_t seed,
              const core::Settings& config = {});

    /// One tick in which nobody pushes, but for `push` if its time has come.
    void step(const std::optional<InputAt>& push = {});

    /// One tick, played by the simulation's bot: the same at the same tick in every run.
    void step_with_bot();

    /// To `tick`, played by the bot.
    void run_to(std::uint64_t tick);

    [[nodiscard]] core::StateHash hash() { return simulation_.hash().value(); }

    /// The hash of the first part: the bodies, without what else the engine keeps.
    [[nodiscard]] core::PartHash bodies_hash();

    /// Goes on from where `other` was when it made `snapshot`.
    void load(const std::vector<std::byte>& snapshot, std::uint64_t tick);

    [[nodiscard]] core::Simulation& simulation() { return simulation_; }
    [[nodiscard]] std::uint64_t tick() const { return tick_; }

  private:
    void step_with(const isotick_input& input);

    core::Simulation simulation_;
    std::uint64_t tick_ = 0;
};

}  // namespace isotick::engines
