#include "broad_phase.hpp"

#include <algorithm>
#include <cmath>

namespace isotick::core::reference::pile {
namespace {

// How far the body reaches to each side of its centre.
Vector extent_of(const Body& body) {
    if (body.shape == Shape::circle) {
        return {body.half.x, body.half.x};
    }
    const float cosine = std::abs(body.rotation.cosine);
    const float sine = std::abs(body.rotation.sine);
    return {cosine * body.half.x + sine * body.half.y, sine * body.half.x + cosine * body.half.y};
}

float way_in(float seconds, Vector velocity) {
    return (std::abs(velocity.x) + std::abs(velocity.y)) * seconds;
}

}  // namespace

float touching_margin(const Body& a, const Body& b, float seconds) {
    return kTouch + way_in(seconds, b.velocity - a.velocity);
}

std::span<const Pair> BroadPhase::find(std::span<const Body> bodies, float seconds) {
    const auto count = static_cast<std::uint32_t>(bodies.size());
    bounds_.clear();
    pairs_.clear();
    for (std::uint32_t wall = 0; wall < std::min(kWalls, count); ++wall) {
        for (std::uint32_t body = kWalls; body < count; ++body) {
            pairs_.push_back({wall, body});
        }
    }
    for (std::uint32_t index = kWalls; index < count; ++index) {
        const Body& body = bodies[index];
        const Vector extent = extent_of(body);
        const float margin = kTouch + way_in(seconds, body.velocity);
        bounds_.push_back({body.position.x - extent.x - margin, body.position.x + extent.x + margin,
                           body.position.y - extent.y - margin, body.position.y + extent.y + margin,
                           index});
    }
    std::sort(bounds_.begin(), bounds_.end(), [](const Bounds& one, const Bounds& other) {
        return one.left < other.left || (one.left == other.left && one.body < other.body);
    });
    const auto walls_end = static_cast<std::ptrdiff_t>(pairs_.size());
    for (auto one = bounds_.begin(); one != bounds_.end(); ++one) {
        for (auto other = one + 1; other != bounds_.end() && other->left <= one->right; ++other) {
            if (other->bottom <= one->top && one->bottom <= other->top) {
                pairs_.push_back(
                    {std::min(one->body, other->body), std::max(one->body, other->body)});
            }
        }
    }
    std::sort(pairs_.begin() + walls_end, pairs_.end());
    return pairs_;
}

}  // namespace isotick::core::reference::pile
