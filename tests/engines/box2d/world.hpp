#pragma once
// A pile of boxes and circles between walls in Box2D 2.4.

#include "../support/pile_plan.hpp"
#include "../support/pile_state.hpp"
#include "../support/vectors.hpp"

#include <isotick/core/simulation_type.hpp>

#include <cstdint>
#include <vector>

#include <box2d/box2d.h>
#include <cereal/cereal.hpp>

namespace isotick::engines::box2d {

struct Body {
    Vector2<float> position;
    Vector2<float> centre;  // of mass
    Vector2<float> velocity;
    float sine, cosine, angle, spin;
    bool awake;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(centre), CEREAL_NVP(velocity), CEREAL_NVP(sine),
                CEREAL_NVP(cosine), CEREAL_NVP(angle), CEREAL_NVP(spin), CEREAL_NVP(awake));
    }
};

struct Point {
    std::uint32_t id;
    float normal_impulse, tangent_impulse;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id), CEREAL_NVP(normal_impulse), CEREAL_NVP(tangent_impulse));
    }
};

// Two bodies by their numbers, which touch where there are points; the walls come last.
using Contact = PileContact<std::uint32_t, Point>;

/// Everything Box2D shows of its state; how long a body has been at rest, it does not.
using State = PileState<Body, Contact>;

/// Its bits hold for one build of Box2D and one libm: Box2D calls sinf and cosf.
class World {
  public:
    using State = box2d::State;

    // Not ISOTICK_MANY_INSTANCES: Box2D counts its calls in plain globals.
    static constexpr core::SimulationInfo kInfo{
        .name = "box2d",
        .summary = "a pile of boxes and circles in Box2D 2.4, pushed by players",
        .config_help = "bodies=1..2000 (default 60)",
        .build_id = "Box2D 2.4",
        .most_players = 8,
        .usual_players = 1,
        .capabilities = 0};
    static constexpr bool kRestores = false;  // the impulses contacts begin with, and their order

    explicit World(const core::SimulationSetup& setup);

    [[nodiscard]] std::uint32_t bodies() const {
        return static_cast<std::uint32_t>(bodies_.size());
    }
    void push(const Push& push);
    void advance(double dt_seconds);
    [[nodiscard]] State state() const;
    void restore(const State& state);

  private:
    void build_walls(std::uint32_t number);
    void add_body(const BodyPlan& plan);

    b2World world_;
    std::vector<b2Body*> bodies_;  // owned by world_
};

}  // namespace isotick::engines::box2d
