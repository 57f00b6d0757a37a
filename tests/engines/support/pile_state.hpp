#pragma once
// What engines that keep contacts show of a pile.

#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::engines {

/// Two bodies by their numbers, which touch where there are points.
template <class Number, class Point>
struct PileContact {
    Number a, b;
    std::vector<Point> points;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b), CEREAL_NVP(points));
    }
};

/// The contacts are in the order in which the engine goes through them.
template <class Body, class Contact>
struct PileState {
    std::vector<Body> bodies;
    std::vector<Contact> contacts;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(bodies), CEREAL_NVP(contacts));
    }
};

}  // namespace isotick::engines
