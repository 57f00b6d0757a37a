#pragma once
// Vectors as states show them, whatever the engine's own are called.

#include <cereal/cereal.hpp>

namespace isotick::engines {

template <class Number>
struct Vector2 {
    Number x{}, y{};

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
};

template <class Number>
struct Vector3 {
    Number x{}, y{}, z{};

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(z));
    }
};

template <class Number>
struct Quaternion {
    Number w{}, x{}, y{}, z{};

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(w), CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(z));
    }
};

}  // namespace isotick::engines
