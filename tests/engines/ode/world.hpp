#pragma once
// A pile of boxes and balls between walls in ODE 0.16.

#include "../support/pile_plan.hpp"
#include "../support/vectors.hpp"

#include <isotick/core/simulation_type.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>
#include <ode/ode.h>

namespace isotick::engines::ode {

struct Body {
    Vector3<double> position, velocity, spin;
    Quaternion<double> rotation;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(spin), CEREAL_NVP(rotation));
    }
};

/// All that decides the future: ODE makes its contacts anew in every tick.
struct State {
    std::vector<Body> bodies;
    std::vector<std::uint32_t> order;  // in which the space goes through what collides
    std::uint64_t random = 0;          // ODE's, by which it shuffles constraints

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(bodies), CEREAL_NVP(order), CEREAL_NVP(random));
    }
};

/// Its bits hold for one build of ODE and one libm: ODE calls sin and cos to place bodies.
class World {
  public:
    using State = ode::State;

    // Not ISOTICK_MANY_INSTANCES: ODE's random numbers are one sequence per process. By default
    // each world has a place in it of its own; with random=process worlds draw from it by turns.
    static constexpr core::SimulationInfo kInfo{
        .name = "ode",
        .summary = "a pile of boxes and balls in ODE 0.16, pushed by players",
        .config_help = "bodies=1..2000 (default 60), random=world|process (default world)",
        .build_id = "ODE 0.16",
        .most_players = 8,
        .usual_players = 1,
        .capabilities = 0};
    static constexpr bool kRestores = true;

    explicit World(const core::SimulationSetup& setup);

    [[nodiscard]] std::uint32_t bodies() const {
        return static_cast<std::uint32_t>(bodies_.size());
    }
    void push(const Push& push);
    void advance(double dt_seconds);
    [[nodiscard]] State state() const;
    void restore(const State& state);

  private:
    struct Destroy {
        void operator()(dWorldID world) const { dWorldDestroy(world); }
        void operator()(dSpaceID space) const { dSpaceDestroy(space); }
        void operator()(dJointGroupID group) const { dJointGroupDestroy(group); }
    };
    template <class Id>
    using Owned = std::unique_ptr<std::remove_pointer_t<Id>, Destroy>;

    void build_walls();
    void add_body(const BodyPlan& plan);
    void add_collider(dGeomID geom);
    void restore_order(const std::vector<std::uint32_t>& order);
    static void add_contacts(void* world, dGeomID a, dGeomID b);

    Owned<dWorldID> world_;
    Owned<dSpaceID> space_;
    Owned<dJointGroupID> contacts_;
    std::vector<dBodyID> bodies_;     // owned by world_
    std::vector<dGeomID> colliders_;  // owned by space_; walls first
    std::vector<double> restitutions_;
    bool own_random_;
    unsigned long random_;
};

}  // namespace isotick::engines::ode
