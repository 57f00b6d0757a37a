#pragma once
// A simulation called as the axes say: another stack, moved inputs, another folder or locale.

#include "../axes/axis.hpp"
#include "../axes/elsewhere.hpp"
#include "../system/posix.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/drive.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace isotick::harness {

// What a simulation finds of the process that it is called in, and that its host chose.

/// As long as it lives, this process is another host, as far as a CallSetup asks for it.
struct VariedHost {
    std::vector<FileDescriptor> descriptors;
    std::unique_ptr<OtherLocale> locale;  ///< null: as it was
    std::unique_ptr<OtherFolder> folder;  ///< null: as it was
};

/// Fails where this process cannot be that.
[[nodiscard]] core::Result<VariedHost> vary_host(const CallSetup& setup);

// Calls of a simulation that are made in an unusual way.

/// A table with a simulation's own behind it: what is created from it is called as a CallSetup
/// says. A simulation that is called as usual needs none, and its calls cost nothing more.
class VariedCalls : public isotick_simulation_table {
  public:
    /// `inner` must outlive it. Fails where this process cannot be made what `setup` asks for.
    [[nodiscard]] static core::Result<std::unique_ptr<VariedCalls>> make(
        const isotick_simulation_table& inner, const CallSetup& setup);

    /// From the next call on. What of a setup is not for each call stays as it was.
    void change(const CallSetup& setup);

    VariedCalls(const VariedCalls&) = delete;
    VariedCalls& operator=(const VariedCalls&) = delete;

  private:
    struct Instance;
    enum class Kind : std::uint8_t { computes, looks };  // at a state that is there
    template <auto Member>
    struct Varied;
    template <auto Member>
    struct PassedOn;

    explicit VariedCalls(const isotick_simulation_table& inner);
    template <Kind kKind, auto... Members>
    void vary();
    template <auto Member>
    void pass_on();
    template <class Call>
    std::int32_t made(Kind kind, const Call& call) const;
    static std::int32_t create_varied(const isotick_simulation_table* table,
                                      const isotick_setup* setup, isotick_simulation** out,
                                      isotick_message* message);
    static std::int32_t step_varied(isotick_simulation* simulation, const isotick_step* step,
                                    isotick_message* message);

    const isotick_simulation_table& inner_;
    CallSetup setup_;
    std::optional<FloatControl> float_control_;
    VariedHost host_;
};

// What a trial creates its simulation with, and from: as its axes say, of which some may begin only
// on the way.

class TrialSimulation {
  public:
    /// `may_go_on`: whether go_on_with may follow. A simulation that is called as usual at all
    /// times is called without anything in between. `usual_place`: see TrialPlan. Fails on what the
    /// axes or the simulation refuse.
    [[nodiscard]] core::Result<core::Simulation> create(const isotick_simulation_table& table,
                                                        const std::vector<AxisValue>& axes,
                                                        core::SimulationSetup setup,
                                                        bool may_go_on = false,
                                                        std::uint64_t usual_place = 0);

    /// The trial becomes another one, with the same axes up to here.
    void go_on_with(const std::vector<AxisValue>& axes);

    /// To be called before each frame: some axes may begin. Fails with `usage` where they do, but
    /// not all that `simulation` does is done in this process.
    [[nodiscard]] core::Result<void> before_frame(std::uint64_t frame,
                                                  const core::Simulation& simulation);

  private:
    [[nodiscard]] preload::Settings settings(const std::vector<AxisValue>& values) const;

    std::vector<AxisValue> axes_;
    std::uint64_t usual_place_ = 0;
    std::vector<std::uint64_t> beginnings_;  // on the way: frames
    std::unique_ptr<VariedCalls> varied_;
};

}  // namespace isotick::harness
