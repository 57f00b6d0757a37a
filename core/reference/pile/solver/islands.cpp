#include "islands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isotick::core::reference::pile {
namespace {

bool rests(const Body& body) {
    return dot(body.velocity, body.velocity) < kRestingSpeed * kRestingSpeed &&
           std::abs(body.spin) < kRestingSpin;
}

void count_rest(std::span<Body> bodies, std::span<const Island> islands) {
    for (Body& body : bodies) {
        if (is_awake(body, islands)) {
            body.rest_ticks = rests(body) ? std::min(body.rest_ticks + 1, kTicksToSleep) : 0;
        }
    }
}

}  // namespace

void wake(const Body& body, std::span<Body> bodies, std::span<Island> islands) {
    const std::uint32_t island = body.island;
    if (island >= islands.size()) {
        return;
    }
    islands[island].asleep = 0;
    for (Body& each : bodies) {
        if (each.island == island) {
            each.rest_ticks = 0;
        }
    }
}

void IslandBuilder::rebuild(std::span<Body> bodies, std::span<const Constraint> constraints,
                            std::vector<Island>& islands) {
    const auto count = static_cast<std::uint32_t>(bodies.size());
    count_rest(bodies, islands);
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (std::uint32_t body = kWalls; body < count; ++body) {
        if (is_asleep(bodies[body], islands)) {
            join(std::min(islands[bodies[body].island].first, body), body);
        }
    }
    for (const Constraint& each : constraints) {
        if (each.contact.a >= kWalls) {
            join(each.contact.a, each.contact.b);
        }
    }
    islands.clear();
    for (std::uint32_t body = kWalls; body < count; ++body) {
        const std::uint32_t root = root_of(body);
        if (root == body) {
            bodies[body].island = static_cast<std::uint32_t>(islands.size());
            islands.push_back({.first = body, .bodies = 0, .asleep = 1});
        }
        bodies[body].island = bodies[root].island;
        Island& island = islands[bodies[root].island];
        ++island.bodies;
        if (bodies[body].rest_ticks < kTicksToSleep) {
            island.asleep = 0;
        }
    }
    for (Body& body : bodies) {
        if (is_asleep(body, islands)) {
            body.velocity = {};
            body.spin = 0.0F;
        }
    }
}

std::uint32_t IslandBuilder::root_of(std::uint32_t body) {
    while (parent_[body] != body) {
        parent_[body] = parent_[parent_[body]];
        body = parent_[body];
    }
    return body;
}

void IslandBuilder::join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = root_of(a);
    const std::uint32_t root_b = root_of(b);
    parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

}  // namespace isotick::core::reference::pile
