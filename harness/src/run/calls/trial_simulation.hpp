#pragma once
// What a trial creates its simulation with, and from: as its axes say, of which some may begin only
// on the way.

#include "varied_calls.hpp"

#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/drive.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace isotick::harness {

class TrialSimulation {
  public:
    /// `may_go_on`: whether go_on_with may follow. A simulation that is called as usual at all
    /// times is called without anything in between. Fails on what the axes or the simulation
    /// refuse.
    [[nodiscard]] core::Result<core::Simulation> create(const isotick_simulation_table& table,
                                                        const std::vector<AxisValue>& axes,
                                                        core::SimulationSetup setup,
                                                        bool may_go_on = false);

    /// The trial becomes another one, with the same axes up to here.
    void go_on_with(const std::vector<AxisValue>& axes);

    /// To be called before each frame: some axes may begin. Fails with `usage` where they do, but
    /// not all that `simulation` does is done in this process.
    [[nodiscard]] core::Result<void> before_frame(std::uint64_t frame,
                                                  const core::Simulation& simulation);

  private:
    std::vector<AxisValue> axes_;
    std::vector<std::uint64_t> beginnings_;  // on the way: frames
    std::unique_ptr<VariedCalls> varied_;
};

}  // namespace isotick::harness
