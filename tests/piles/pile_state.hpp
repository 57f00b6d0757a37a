#pragma once
// The state of a pile, and its vectors.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <cereal/cereal.hpp>

namespace isotick::core::reference::pile {

// Plane vectors and rotations of a pile. Only + − × ÷ and sqrt: no bit depends on a libm.

struct Vector {
    float x = 0.0F;
    float y = 0.0F;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
};

inline Vector operator+(Vector a, Vector b) {
    return {a.x + b.x, a.y + b.y};
}
inline Vector operator-(Vector a, Vector b) {
    return {a.x - b.x, a.y - b.y};
}
inline Vector operator-(Vector a) {
    return {-a.x, -a.y};
}
inline Vector operator*(Vector a, float factor) {
    return {a.x * factor, a.y * factor};
}
inline float dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y;
}
inline float cross(Vector a, Vector b) {
    return a.x * b.y - a.y * b.x;
}
/// The velocity of a point at `arm` from an axis that turns at `spin`.
inline Vector cross(float spin, Vector arm) {
    return {-spin * arm.y, spin * arm.x};
}

/// An angle as the unit complex number cosine + i sine.
struct Rotation {
    float cosine = 1.0F;
    float sine = 0.0F;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(cosine), CEREAL_NVP(sine));
    }
};

inline Vector rotate(Rotation by, Vector a) {
    return {by.cosine * a.x - by.sine * a.y, by.sine * a.x + by.cosine * a.y};
}
inline Vector rotate_back(Rotation by, Vector a) {
    return {by.cosine * a.x + by.sine * a.y, by.cosine * a.y - by.sine * a.x};
}

/// The rotation towards (cosine, sine), which need not have length one; none if it has no length.
inline Rotation normalised(float cosine, float sine) {
    const float length = std::sqrt(cosine * cosine + sine * sine);
    if (!(length > 0.0F)) {
        return {};
    }
    return {cosine / length, sine / length};
}

/// `rotation` turned on by the small `angle` (radians), to first order.
/// Source: Catto, Box2D v3, b2IntegrateRotation.
inline Rotation turned(Rotation rotation, float angle) {
    return normalised(rotation.cosine - angle * rotation.sine,
                      rotation.sine + angle * rotation.cosine);
}

// The state of a pile: everything that influences its future, and nothing else. Structs without
// padding, in arrays; distances in metres, masses in kilograms.

/// What a body is.
enum class Shape : std::uint32_t {
    wall = 0,    ///< everything behind the line through `position`; `rotation` is its normal
    circle = 1,  ///< `half.x` is the radius
    box = 2,     ///< `half` are half the width and the height
};

/// The first bodies are the walls: floor, left, right, ceiling.
inline constexpr std::uint32_t kWalls = 4;
inline constexpr std::uint32_t kNoIsland = 0xffffffff;

struct Body {
    Vector position;
    Rotation rotation;
    Vector velocity;    ///< metres per second
    float spin = 0.0F;  ///< radians per second
    Vector half;        ///< see Shape
    float inverse_mass = 0.0F;
    float inverse_inertia = 0.0F;
    Shape shape = Shape::wall;
    std::uint32_t island = kNoIsland;  ///< index into the islands; walls have none
    std::uint32_t rest_ticks = 0;      ///< for so long it has hardly moved

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(rotation), CEREAL_NVP(velocity), CEREAL_NVP(spin),
                CEREAL_NVP(half), CEREAL_NVP(inverse_mass), CEREAL_NVP(inverse_inertia),
                CEREAL_NVP(shape), CEREAL_NVP(island), CEREAL_NVP(rest_ticks));
    }
};

/// What is remembered of a point where two bodies touch: the impulses (newton seconds) that held
/// them apart in the last tick, with which the next begins. Sorted by a, b, feature.
struct Contact {
    std::uint32_t a = 0;        ///< the lower index
    std::uint32_t b = 0;        ///< the higher index
    std::uint32_t feature = 0;  ///< which corner against which face: tells points of a pair apart
    float normal_impulse = 0.0F;
    float tangent_impulse = 0.0F;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b), CEREAL_NVP(feature), CEREAL_NVP(normal_impulse),
                CEREAL_NVP(tangent_impulse));
    }
};

/// Bodies that touch one another, directly or through others but not through walls. They fall
/// asleep together and wake together. Sorted by first.
struct Island {
    std::uint32_t first = 0;   ///< the lowest index among its bodies
    std::uint32_t bodies = 0;  ///< how many
    std::uint32_t asleep = 0;  ///< 1: they are not simulated until something wakes them

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(first), CEREAL_NVP(bodies), CEREAL_NVP(asleep));
    }
};

struct Player {
    std::uint32_t inputs = 0;    ///< inputs that were present, empty ones included
    std::uint32_t commands = 0;  ///< commands that were obeyed
    std::uint32_t cooldown = 0;  ///< ticks until the player may drop a body again

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(inputs), CEREAL_NVP(commands), CEREAL_NVP(cooldown));
    }
};

struct World {
    std::uint64_t ticks = 0;  ///< ticks done
    float width = 0.0F;       ///< between the walls, whose left one is at 0
    float height = 0.0F;      ///< between floor (0) and ceiling

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ticks), CEREAL_NVP(width), CEREAL_NVP(height));
    }
};

/// Whether `body` is not simulated because its island sleeps.
inline bool is_asleep(const Body& body, std::span<const Island> islands) {
    return body.island < islands.size() && islands[body.island].asleep != 0;
}

/// Whether `body` can move in this tick.
inline bool is_awake(const Body& body, std::span<const Island> islands) {
    return body.shape != Shape::wall && !is_asleep(body, islands);
}

}  // namespace isotick::core::reference::pile
