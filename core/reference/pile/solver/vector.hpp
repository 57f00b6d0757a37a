#pragma once
// Plane vectors and rotations of a pile. Only + − × ÷ and sqrt: no bit depends on a libm.

#include <cmath>

#include <cereal/cereal.hpp>

namespace isotick::core::reference::pile {

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

}  // namespace isotick::core::reference::pile
