#pragma once
// The damped spring of the literature: the smallest simulation worth stepping.

#include <isotick/core/integrate.hpp>
#include <isotick/core/simulation_type.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core::reference {

/// A unit mass on a spring (stiffness 15 N/m, damping 0.1 Ns/m) that a player may push by up to
/// 128 N. An input is one signed byte, newtons: the push from now on, kept while inputs are
/// absent. An empty input lets go; an input of any other length is ignored.
/// Source: Fiedler, "Integration Basics"; "Cross-platform SDL 2 game loop time steps, RK4
/// integration".
class Spring {
  public:
    static constexpr SimulationInfo kInfo{
        .name = "spring",
        .summary = "a damped spring that a player may push",
        .config_help =
            "integrator=euler|semi-implicit-euler|velocity-verlet|rk2|rk4 (rk4); "
            "position=0…1000 (drawn from the seed, 50…150): metres, at the start",
        .least_players = 0,
        .most_players = 1,
        .usual_players = 1,
        .capabilities = ISOTICK_MANY_INSTANCES | ISOTICK_CHANGING_DT};

    /// A player's input; an empty one pushes no more.
    struct Input {
        std::int8_t push = 0;  // newtons

        template <class Archive>
        void serialize(Archive& archive) {
            archive(CEREAL_NVP(push));
        }
    };

    /// Throws BadSettings for unknown config keys and bad values.
    explicit Spring(const SimulationSetup& setup);

    void step(const Step& step);
    void render(double alpha);
    bool propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("body", body_), cereal::make_nvp("push", push_));
    }

  private:
    struct Body : Motion<double> {
        template <class Archive>
        void serialize(Archive& archive) {
            archive(cereal::make_nvp("position", position), cereal::make_nvp("velocity", velocity));
        }
    };

    void take_input(std::span<const std::uint8_t> bytes);

    Body body_;
    std::int8_t push_ = 0;   // newtons
    Integrator integrator_;  // from the config, never changes

    // The renderer's own, which no tick reads.
    double previous_position_;
    double drawn_position_;
};

}  // namespace isotick::core::reference
