#pragma once
// A pile of boxes and balls between walls in Bullet 3.

#include "../support/pile_plan.hpp"
#include "../support/pile_state.hpp"
#include "../support/vectors.hpp"

#include <isotick/core/simulation_type.hpp>

#include <array>
#include <btBulletDynamicsCommon.h>
#include <cstdint>
#include <memory>
#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>

namespace isotick::engines::bullet {

struct Body {
    Vector3<float> position, velocity, spin;
    std::array<Vector3<float>, 3> axes;  // the rows of its rotation
    std::int32_t activation;             // Bullet's number: 1 active, 2 asleep, 3 about to sleep
    float at_rest;                       // seconds

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(spin), CEREAL_NVP(axes),
                CEREAL_NVP(activation), CEREAL_NVP(at_rest));
    }
};

struct Point {
    float distance, impulse, impulse_sideways, impulse_along;
    std::int32_t age;  // ticks

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(distance), CEREAL_NVP(impulse), CEREAL_NVP(impulse_sideways),
                CEREAL_NVP(impulse_along), CEREAL_NVP(age));
    }
};

// Two bodies by their numbers, which touch where there are points; -1 is a wall.
using Contact = PileContact<std::int32_t, Point>;

/// What Bullet shows of its state; of its broad phase (a tree that grows with its history),
/// nothing.
using State = PileState<Body, Contact>;

/// Its bits hold for one build of Bullet and one libm: Bullet calls sinf and cosf.
class World {
  public:
    using State = bullet::State;

    // Not ISOTICK_MANY_INSTANCES: Bullet counts its calls in plain globals.
    static constexpr core::SimulationInfo kInfo{
        .name = "bullet",
        .summary = "a pile of boxes and balls in Bullet 3, pushed by players",
        .config_help =
            "bodies=1..2000 (default 60), clock=tick|frame (default tick; "
            "frame is a planted leak)",
        .build_id = "Bullet 3",
        .most_players = 8,
        .usual_players = 1,
        .capabilities = 0};
    static constexpr bool kRestores = false;  // contacts with their impulses, the broad phase

    explicit World(const core::SimulationSetup& setup);

    [[nodiscard]] std::uint32_t bodies() const {
        return static_cast<std::uint32_t>(bodies_.size());
    }
    void begin_frame(core::FrameTime frame_time);
    void push(const Push& push);
    void advance(double dt_seconds);
    [[nodiscard]] State state() const;
    void restore(const State& state);

  private:
    void build_walls();
    void add_body(const BodyPlan& plan);

    bool frames_are_clock_;  // Bullet gets frame times and makes ticks of its own

    // In the order in which Bullet wants them made; the world goes first.
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> walls_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    btDefaultCollisionConfiguration configuration_;
    mutable btCollisionDispatcher dispatcher_{&configuration_};  // not const, even to look at
    btDbvtBroadphase broad_phase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
};

}  // namespace isotick::engines::bullet
