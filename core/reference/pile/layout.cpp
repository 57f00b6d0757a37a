#include "layout.hpp"

namespace isotick::core::reference::pile {
namespace {

constexpr float kSpacing = 1.3F;    // metres; more than any body's diameter
constexpr float kLeastHalf = 0.2F;  // metres
constexpr float kMostHalf = 0.45F;  // metres
constexpr std::uint32_t kLeastColumns = 5;
constexpr float kHeadroom = 4.0F;  // metres

// A little wider than high.
std::uint32_t columns_for(std::uint32_t count) {
    std::uint32_t columns = kLeastColumns;
    while (columns * columns < 2 * count) {
        ++columns;
    }
    return columns;
}

float between(float least, float most, Pcg32& random) {
    return least + (most - least) * random.unit_float();
}

Body make_wall(Vector position, Rotation normal) {
    Body wall;
    wall.position = position;
    wall.rotation = normal;
    return wall;
}

}  // namespace

Body make_body(Shape shape, Vector half, Vector position) {
    constexpr float kPi = 3.14159265F;
    const bool is_circle = shape == Shape::circle;
    const float mass = is_circle ? kPi * half.x * half.x : 4.0F * half.x * half.y;
    const float squared = half.x * half.x + half.y * half.y;
    const float inertia = is_circle ? 0.5F * mass * half.x * half.x : mass * squared / 3.0F;
    Body body;
    body.position = position;
    body.half = half;
    body.inverse_mass = 1.0F / mass;
    body.inverse_inertia = 1.0F / inertia;
    body.shape = shape;
    return body;
}

World make_world(std::uint32_t count) {
    const std::uint32_t columns = columns_for(count);
    const std::uint32_t rows = (count + columns - 1) / columns;
    return {.ticks = 0,
            .width = static_cast<float>(columns) * kSpacing,
            .height = static_cast<float>(rows) * kSpacing + kHeadroom};
}

std::vector<Body> make_bodies(const World& world, std::uint32_t count, Pcg32& random) {
    std::vector<Body> bodies{make_wall({0.0F, 0.0F}, {0.0F, 1.0F}),
                             make_wall({0.0F, 0.0F}, {1.0F, 0.0F}),
                             make_wall({world.width, 0.0F}, {-1.0F, 0.0F}),
                             make_wall({0.0F, world.height}, {0.0F, -1.0F})};
    const std::uint32_t columns = columns_for(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        const Vector position{(static_cast<float>(index % columns) + 0.5F) * kSpacing,
                              (static_cast<float>(index / columns) + 0.5F) * kSpacing};
        const Shape shape = random.chance(1, 2) ? Shape::circle : Shape::box;
        const float half = between(kLeastHalf, kMostHalf, random);
        const float other = between(kLeastHalf, kMostHalf, random);
        Body body = make_body(shape, {half, shape == Shape::circle ? half : other}, position);
        body.rotation = normalised(1.0F, between(-1.0F, 1.0F, random));
        body.velocity.x = between(-1.0F, 1.0F, random);
        bodies.push_back(body);
    }
    return bodies;
}

}  // namespace isotick::core::reference::pile
