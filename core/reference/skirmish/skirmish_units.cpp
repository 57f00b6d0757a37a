#include "skirmish_units.hpp"

#include "skirmish.hpp"

#include <algorithm>
#include <cmath>

namespace isotick::core::reference {

void UnitGrid::build(const Units& units, std::uint32_t columns) {
    columns_ = columns;
    const std::size_t cells = std::size_t{columns} * columns;
    // Counting into the entry after next turns, by summing and scattering, into each cell's first.
    first_.assign(cells + 2, 0);
    cell_.resize(units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        cell_[unit] = cell_of(units.position_y[unit]) * columns + cell_of(units.position_x[unit]);
        ++first_[cell_[unit] + 2];
    }
    for (std::size_t cell = 2; cell < first_.size(); ++cell) {
        first_[cell] += first_[cell - 1];
    }
    sorted_.resize(units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        sorted_[first_[cell_[unit] + 1]++] = {units.position_x[unit], units.position_y[unit],
                                              static_cast<std::uint32_t>(unit), units.owner[unit]};
    }
}

// What units do in a tick: move, steer, fight.

namespace {

constexpr std::uint64_t kTurns = 4;     // a unit decides in every fourth turn, every 8 ticks
constexpr float kSpeed = 8.0F;          // metres per second
constexpr float kSlowingDown = 2.0F;    // of the distance to the goal per second, when near
constexpr float kWandering = 3.0F;      // metres per second, the most a decision adds
constexpr float kPersonalSpace = 2.0F;  // metres
constexpr float kPushing = 1.5F;
constexpr float kRange = 4.0F;  // metres
constexpr std::uint32_t kLeastDamage = 12;
constexpr std::uint32_t kMostDamage = 24;
constexpr std::uint8_t kReloading = 4;   // decisions
constexpr std::uint8_t kLookingOut = 2;  // decisions

struct Vector {
    float x = 0.0F;
    float y = 0.0F;
};

float length_of(Vector vector) {
    return std::sqrt(vector.x * vector.x + vector.y * vector.y);
}

// Cut to 0 … side.
float within(float side, float coordinate) {
    const float positive = coordinate > 0.0F ? coordinate : 0.0F;
    return positive < side ? positive : side;
}

Vector towards(Vector way) {
    const float distance = length_of(way);
    const float speed = std::min(kSpeed, distance * kSlowingDown);
    if (!(distance > 0.0F)) {
        return {};
    }
    const float scale = speed / distance;
    return {way.x * scale, way.y * scale};
}

Vector no_faster_than(float most, Vector velocity) {
    const float speed = length_of(velocity);
    if (!(speed > most)) {
        return velocity;
    }
    const float scale = most / speed;
    return {velocity.x * scale, velocity.y * scale};
}

// Where a unit stands in the square of `columns` that its group forms around the goal.
Vector place_in_formation(std::uint32_t id, std::uint32_t columns) {
    const std::uint32_t row = id / kGroups / columns % columns;
    const std::uint32_t column = id / kGroups % columns;
    const float middle = static_cast<float>(columns - 1) * 0.5F;
    return {(static_cast<float>(column) - middle) * kPersonalSpace,
            (static_cast<float>(row) - middle) * kPersonalSpace};
}

// Away from everybody too near, more so the nearer.
Vector separation(const UnitGrid& grid, Vector self) {
    constexpr float kReachSquared = kPersonalSpace * kPersonalSpace;
    Vector push;
    grid.visit_near(self.x, self.y, kPersonalSpace, [&](const UnitGrid::Entry& other) {
        const Vector away{self.x - other.x, self.y - other.y};
        const float gap = kReachSquared - (away.x * away.x + away.y * away.y);
        // Twice the gap, or 0 where there is none: exact, and without an unpredictable branch.
        const float nearness = gap + std::abs(gap);
        push.x += away.x * nearness;
        push.y += away.y * nearness;
    });
    return {push.x * kPushing, push.y * kPushing};
}

}  // namespace

void Skirmish::update_units(const Step& step, float seconds) {
    move_units(seconds);
    step.checkpoint("movement");
    if (world_.ticks % 2 != 0) {
        return;
    }
    const std::uint64_t turn = world_.ticks / 2;
    grid_.build(units_, world_.columns);
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        if ((units_.id[unit] + turn) % kTurns == 0 && units_.health[unit] > 0) {
            decide(unit);
        }
    }
}

void Skirmish::move_units(float seconds) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        const float x = units_.position_x[unit] + units_.velocity_x[unit] * seconds;
        const float y = units_.position_y[unit] + units_.velocity_y[unit] * seconds;
        units_.position_x[unit] = within(world_.side, x);
        units_.position_y[unit] = within(world_.side, y);
    }
}

void Skirmish::decide(std::size_t unit) {
    steer(unit);
    if (units_.cooldown[unit] > 0) {
        --units_.cooldown[unit];
    } else if (orders_.kind[group_of(unit)] != static_cast<std::uint8_t>(OrderKind::move)) {
        fight(unit);
    }
}

std::size_t Skirmish::group_of(std::size_t unit) const {
    return units_.owner[unit] * std::size_t{kGroups} + units_.id[unit] % kGroups;
}

void Skirmish::steer(std::size_t unit) {
    const Vector self{units_.position_x[unit], units_.position_y[unit]};
    const std::size_t group = group_of(unit);
    const Vector place =
        place_in_formation(units_.id[unit], players_[units_.owner[unit]].formation);
    Vector wish;
    switch (static_cast<OrderKind>(orders_.kind[group])) {
        case OrderKind::scatter:
            wish.x = units_.velocity_x[unit] + (random_.unit_float() * 2.0F - 1.0F) * kWandering;
            wish.y = units_.velocity_y[unit] + (random_.unit_float() * 2.0F - 1.0F) * kWandering;
            break;
        case OrderKind::move:
        case OrderKind::attack:
            wish = towards({orders_.goal_x[group] + place.x - self.x,
                            orders_.goal_y[group] + place.y - self.y});
            break;
        case OrderKind::hold:
            break;
    }
    const Vector push = separation(grid_, self);
    const Vector velocity = no_faster_than(kSpeed, {wish.x + push.x, wish.y + push.y});
    units_.velocity_x[unit] = velocity.x;
    units_.velocity_y[unit] = velocity.y;
}

void Skirmish::fight(std::size_t unit) {
    const auto enemy = nearest_enemy(unit);
    if (!enemy) {
        units_.cooldown[unit] = kLookingOut;
        return;
    }
    units_.cooldown[unit] = kReloading;
    const auto damage =
        static_cast<std::int16_t>(kLeastDamage + random_.below(kMostDamage - kLeastDamage + 1));
    units_.health[*enemy] = static_cast<std::int16_t>(units_.health[*enemy] - damage);
    if (units_.health[*enemy] <= 0) {
        ++players_[units_.owner[unit]].kills;
    }
}

std::optional<std::size_t> Skirmish::nearest_enemy(std::size_t unit) const {
    const Vector self{units_.position_x[unit], units_.position_y[unit]};
    const std::uint32_t owner = units_.owner[unit];
    float nearest = kRange * kRange;
    std::optional<std::size_t> found;
    grid_.visit_near(self.x, self.y, kRange, [&](const UnitGrid::Entry& other) {
        const Vector way{other.x - self.x, other.y - self.y};
        const float distance = way.x * way.x + way.y * way.y;
        if (other.owner != owner && distance < nearest && units_.health[other.unit] > 0) {
            nearest = distance;
            found = other.unit;
        }
    });
    return found;
}

}  // namespace isotick::core::reference
