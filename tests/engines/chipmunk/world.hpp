#pragma once
// A pile of boxes and circles between walls in Chipmunk 7.

#include "../support/pile_plan.hpp"
#include "../support/pile_state.hpp"
#include "../support/vectors.hpp"

#include <isotick/core/simulation_type.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include <cereal/cereal.hpp>
#include <chipmunk/chipmunk.h>

namespace isotick::engines::chipmunk {

struct Body {
    Vector2<double> position, velocity;
    double angle, spin;
    bool asleep;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(angle), CEREAL_NVP(spin),
                CEREAL_NVP(asleep));
    }
};

// What one body touches, by number; the walls come last.
struct Contact {
    std::uint32_t body, other, points;
    Vector2<double> impulse;  // of the last tick; the next one begins with it

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(body), CEREAL_NVP(other), CEREAL_NVP(points), CEREAL_NVP(impulse));
    }
};

/// What Chipmunk shows of its state. It keeps more: contacts that ended a tick or two ago, how long
/// a body has been at rest.
using State = PileState<Body, Contact>;

/// Its bits hold for one build of Chipmunk and one libm: Chipmunk calls sin and cos.
class World {
  public:
    using State = chipmunk::State;

    static constexpr core::SimulationInfo kInfo{
        .name = "chipmunk",
        .summary = "a pile of boxes and circles in Chipmunk 7, pushed by players",
        .config_help = "bodies=1..2000 (default 60)",
        .build_id = "Chipmunk 7",
        .most_players = 8,
        .usual_players = 1,
        .capabilities = 0};
    static constexpr bool kRestores = false;  // the impulses contacts begin with

    explicit World(const core::SimulationSetup& setup);

    [[nodiscard]] std::uint32_t bodies() const {
        return static_cast<std::uint32_t>(bodies_.size());
    }
    void push(const Push& push);
    void advance(double dt_seconds);
    [[nodiscard]] State state() const;
    void restore(const State& state);

  private:
    struct Free {
        void operator()(cpBody* body) const { cpBodyFree(body); }
        void operator()(cpShape* shape) const { cpShapeFree(shape); }
        void operator()(cpSpace* space) const { cpSpaceFree(space); }
    };

    void build_walls();
    void add_body(const BodyPlan& plan);
    void add_shape(cpShape* shape, double restitution);

    std::vector<std::unique_ptr<cpBody, Free>> bodies_;
    std::vector<std::unique_ptr<cpShape, Free>> shapes_;
    std::unique_ptr<cpSpace, Free> space_;  // goes first: it looks at its bodies once more
};

}  // namespace isotick::engines::chipmunk
