#pragma once
#include <isotick/core/adapter.hpp>

// A ball that falls and bounces; a player may kick it.
struct Bounce {
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "bounce", .most_players = 1, .usual_players = 1};

    void step(const isotick::core::Step& step) {
        velocity -= 9.81 * step.dt_seconds;
        if (const auto kick = step.inputs.of(0); kick && !kick->empty()) {
            velocity += kick->front();
        }
        height += velocity * step.dt_seconds;
        if (height < 0.0) {
            height = -height;
            velocity = -velocity;
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(height), CEREAL_NVP(velocity));  // each is a part with a hash of its own
    }

    double height = 2.0;
    double velocity = 0.0;
};
