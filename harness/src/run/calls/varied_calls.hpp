#pragma once
// Calls of a simulation that are made in an unusual way.

#include "../../axes/call_setup.hpp"
#include "../host/varied_host.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <memory>

namespace isotick::harness {

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

}  // namespace isotick::harness
