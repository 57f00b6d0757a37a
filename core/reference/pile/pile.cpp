#include "pile.hpp"

#include "../config_keys.hpp"
#include "layout.hpp"
#include "solver/contact_cache.hpp"

#include <algorithm>

namespace isotick::core::reference {

using namespace pile;

namespace {

constexpr std::uint64_t kUsualBodies = 60;
constexpr std::uint64_t kMostBodies = 2000;
constexpr float kGravity = 10.0F;            // metres per second squared
constexpr float kFastest = 30.0F;            // metres per second to each side; radians per second
constexpr float kDrag = 0.05F;               // of the velocity, per second
constexpr float kTurningDrag = 1.0F;         // of the spin, per second
constexpr float kLongestTick = 1.0F;         // seconds
constexpr std::uint32_t kDropCooldown = 60;  // ticks
constexpr int kPasses = 8;
constexpr int kRelaxingPasses = 3;

// Cut to -most … most; what is not a number becomes -most.
float within(float most, float value) {
    return value < most ? (value > -most ? value : -most) : (value >= most ? most : -most);
}

// Cut to 0 … most.
float in_room(float most, float coordinate) {
    const float positive = coordinate > 0.0F ? coordinate : 0.0F;
    return positive < most ? positive : most;
}

}  // namespace

Pile::Pile(const SimulationSetup& setup) : random_(setup.seed, 0) {
    require_known_keys(setup.config, {"bodies"});
    const auto count = static_cast<std::uint32_t>(
        take_setting(setup.config.number("bodies", kUsualBodies, 1, kMostBodies)));
    players_.resize(setup.players);
    world_ = make_world(count);
    bodies_ = make_bodies(world_, count, random_);
    island_builder_.rebuild(bodies_, {}, islands_);
}

void Pile::step(const Step& step) {
    begin_tick(step);
    advance(static_cast<float>(step.dt_seconds));
}

void Pile::render(double alpha) {
    const auto blend = static_cast<float>(alpha);
    const std::size_t count = std::min(bodies_.size(), previous_.size());
    drawn_.resize(count);
    for (std::size_t body = 0; body < count; ++body) {
        drawn_[body] = previous_[body] + (bodies_[body].position - previous_[body]) * blend;
    }
}

void Pile::begin_tick(const Step& step) {
    ++world_.ticks;
    drops_ = 0;
    previous_.clear();
    for (const Body& body : bodies_) {
        previous_.push_back(body.position);
    }
    for (std::size_t player = 0; player < players_.size(); ++player) {
        if (const auto input = step.inputs.of(player)) {
            take_input(player, *input);
        }
        if (players_[player].cooldown > 0) {
            --players_[player].cooldown;
        }
    }
}

void Pile::take_input(std::size_t player, std::span<const std::uint8_t> bytes) {
    ++players_[player].inputs;
    CommandReader reader(bytes);
    while (const auto command = reader.next()) {
        obey(players_[player], *command);
    }
}

void Pile::obey(Player& player, const Command& command) {
    const bool can_obey = command.kind == CommandKind::push || player.cooldown == 0;
    if (bodies_.size() <= kWalls || !can_obey) {
        return;
    }
    ++player.commands;
    Body& body = bodies_[kWalls + command.body % (bodies_.size() - kWalls)];
    wake(body, bodies_, islands_);
    if (command.kind == CommandKind::push) {
        body.velocity.x += static_cast<float>(command.right) * (1.0F / 16.0F);
        body.velocity.y += static_cast<float>(command.up) * (1.0F / 16.0F);
        return;
    }
    player.cooldown = kDropCooldown;
    drop(body, command.x);
}

void Pile::drop(Body& body, std::uint8_t x) {
    constexpr float kFastestTurn = 2.0F;  // radians per second
    ++drops_;
    const float tilt = random_.unit_float() * 2.0F - 1.0F;
    const float turn = random_.unit_float() * 2.0F - 1.0F;
    const float room = world_.width - 2.0F * kDropMargin;
    body.position.x = kDropMargin + room * (static_cast<float>(x) * (1.0F / 256.0F));
    body.position.y = world_.height - kDropMargin;
    body.rotation = normalised(1.0F, tilt);
    body.velocity = {};
    body.spin = turn * kFastestTurn;
}

void Pile::advance(float seconds) {
    if (!(seconds > 0.0F)) {
        return;
    }
    seconds = std::min(seconds, kLongestTick);
    const float per_second = 1.0F / seconds;
    find_contacts(seconds);
    take_impulses(contacts_, constraints_);
    accelerate(seconds);
    warm_start(bodies_, constraints_);
    for (int pass = 0; pass < kPasses; ++pass) {
        solve(bodies_, constraints_, per_second, Overlap::push_apart);
    }
    move(seconds);
    for (int pass = 0; pass < kRelaxingPasses; ++pass) {
        solve(bodies_, constraints_, per_second, Overlap::leave);
    }
    keep_impulses(constraints_, bodies_, islands_, contacts_, kept_contacts_);
    island_builder_.rebuild(bodies_, constraints_, islands_);
}

// Whatever touches a sleeper wakes its whole island, whose contacts then count too.
void Pile::find_contacts(float seconds) {
    const std::span<const Pair> pairs = broad_phase_.find(bodies_, seconds);
    while (collide_pairs(pairs, seconds)) {
    }
}

// Makes the constraints of all pairs that can move; true if one of them was woken by that.
bool Pile::collide_pairs(std::span<const Pair> pairs, float seconds) {
    bool woke = false;
    constraints_.clear();
    for (const auto [a, b] : pairs) {
        const Body& one = bodies_[a];
        const Body& other = bodies_[b];
        if (!is_awake(one, islands_) && !is_awake(other, islands_)) {
            continue;
        }
        const Manifold manifold = collide(one, other, touching_margin(one, other, seconds));
        for (std::uint32_t point = 0; point < manifold.count; ++point) {
            constraints_.push_back(
                make_constraint(bodies_, a, b, manifold, manifold.points[point]));
        }
        for (const Body* body : {&one, &other}) {
            if (manifold.count != 0 && is_asleep(*body, islands_)) {
                wake(*body, bodies_, islands_);
                woke = true;
            }
        }
    }
    return woke;
}

void Pile::accelerate(float seconds) {
    const float kept = 1.0F / (1.0F + seconds * kDrag);
    const float kept_spin = 1.0F / (1.0F + seconds * kTurningDrag);
    for (Body& body : bodies_) {
        if (is_awake(body, islands_)) {
            body.velocity.y -= kGravity * seconds;
            body.velocity = body.velocity * kept;
            body.spin *= kept_spin;
        }
    }
}

void Pile::move(float seconds) {
    for (Body& body : bodies_) {
        if (!is_awake(body, islands_)) {
            continue;
        }
        body.velocity = {within(kFastest, body.velocity.x), within(kFastest, body.velocity.y)};
        body.spin = within(kFastest, body.spin);
        const Vector moved = body.position + body.velocity * seconds;
        body.position = {in_room(world_.width, moved.x), in_room(world_.height, moved.y)};
        body.rotation = turned(body.rotation, body.spin * seconds);
    }
}

}  // namespace isotick::core::reference
