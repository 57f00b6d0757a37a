#include "skirmish.hpp"

#include "../config_keys.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace isotick::core::reference {
namespace {

constexpr std::uint64_t kUsualUnits = 1000;
constexpr std::uint64_t kMostUnits = 100'000;
constexpr std::uint32_t kUnitCost = 1200;       // an army is replaced in so many ticks
constexpr std::uint32_t kSuppliesPerByte = 64;  // of the world's input
constexpr float kReinforcementSpread = 6.0F;    // metres around the base

// The side of a square of at least `area` fields.
std::uint32_t side_of(std::uint64_t area) {
    std::uint32_t side = 1;
    while (std::uint64_t{side} * side < area) {
        ++side;
    }
    return side;
}

float spread_of_army(const World& world, std::uint32_t bases_per_row) {
    return world.side * 0.3F / static_cast<float>(bases_per_row);
}

}  // namespace

Skirmish::Skirmish(const SimulationSetup& setup) : random_(setup.seed, 0) {
    require_known_keys(setup.config, {"units"});
    const auto total = static_cast<std::uint32_t>(
        take_setting(setup.config.number("units", kUsualUnits, 2, kMostUnits)));
    if (total < setup.players) {
        throw BadSettings("config units=" + std::to_string(total) + " is too few for " +
                          std::to_string(setup.players) + " players");
    }
    world_.columns = side_of(2 * std::uint64_t{total}) + 8;
    world_.side = static_cast<float>(world_.columns) * UnitGrid::kCellSide;
    players_.resize(setup.players);
    const std::size_t groups = players_.size() * kGroups;
    orders_.kind.resize(groups);
    orders_.goal_x.resize(groups);
    orders_.goal_y.resize(groups);
    const std::uint32_t bases_per_row = side_of(setup.players);
    const float between = world_.side / static_cast<float>(bases_per_row);
    for (std::uint32_t player = 0; player < setup.players; ++player) {
        Player& self = players_[player];
        const std::uint32_t row = player / bases_per_row;
        const std::uint32_t column = player % bases_per_row;
        self.base_x = between * (static_cast<float>(column) + 0.5F);
        self.base_y = between * (static_cast<float>(row) + 0.5F);
        self.most_alive = total / setup.players + (player < total % setup.players ? 1 : 0);
        self.formation = side_of(self.most_alive / kGroups + 1);
        while (self.alive < self.most_alive) {
            spawn(player, spread_of_army(world_, bases_per_row));
        }
    }
}

void Skirmish::begin_frame(FrameTime frame_time) {
    longest_frame_ = std::max(longest_frame_, frame_time);
}

void Skirmish::step(const Step& step) {
    begin_tick(step);
    update_units(step, static_cast<float>(step.dt_seconds));
}

void Skirmish::render(double alpha) {
    const auto blend = static_cast<float>(alpha);
    const std::size_t count = std::min(units_.size(), previous_x_.size());
    drawn_x_.resize(count);
    drawn_y_.resize(count);
    for (std::size_t unit = 0; unit < count; ++unit) {
        drawn_x_[unit] = previous_x_[unit] + (units_.position_x[unit] - previous_x_[unit]) * blend;
        drawn_y_[unit] = previous_y_[unit] + (units_.position_y[unit] - previous_y_[unit]) * blend;
    }
}

void Skirmish::begin_tick(const Step& step) {
    ++world_.ticks;
    for (std::size_t player = 0; player < players_.size(); ++player) {
        if (const auto input = step.inputs.of(player)) {
            take_input(player, *input);
        }
    }
    if (const auto input = step.inputs.world(); input && !input->empty()) {
        for (Player& player : players_) {
            player.supplies += kSuppliesPerByte * input->front();
        }
    }
    step.checkpoint("orders");
    bury_the_dead();
    for (std::size_t player = 0; player < players_.size(); ++player) {
        produce(player);
    }
    step.checkpoint("production");
    previous_x_ = units_.position_x;
    previous_y_ = units_.position_y;
}

void Skirmish::take_input(std::size_t player, std::span<const std::uint8_t> bytes) {
    ++players_[player].inputs;
    OrderReader reader(bytes);
    while (const auto order = reader.next()) {
        obey(player, *order);
    }
}

void Skirmish::obey(std::size_t player, const Order& order) {
    ++players_[player].orders;
    for (std::size_t group = 0; group < kGroups; ++group) {
        if ((order.groups >> group & 1) != 0) {
            const std::size_t place = player * kGroups + group;
            orders_.kind[place] = static_cast<std::uint8_t>(order.kind);
            orders_.goal_x[place] = static_cast<float>(order.x) * (world_.side / 65536.0F);
            orders_.goal_y[place] = static_cast<float>(order.y) * (world_.side / 65536.0F);
        }
    }
}

void Skirmish::bury_the_dead() {
    const auto dead = [](std::int16_t health) { return health <= 0; };
    const auto first = static_cast<std::size_t>(
        std::find_if(units_.health.begin(), units_.health.end(), dead) - units_.health.begin());
    survivors_.clear();
    for (std::size_t unit = first; unit < units_.size(); ++unit) {
        if (dead(units_.health[unit])) {
            --players_[units_.owner[unit]].alive;
        } else {
            survivors_.push_back(static_cast<std::uint32_t>(unit));
        }
    }
    units_.for_each_column([&](auto& column) {
        for (std::size_t place = 0; place < survivors_.size(); ++place) {
            column[first + place] = column[survivors_[place]];
        }
        column.resize(first + survivors_.size());
    });
}

void Skirmish::produce(std::size_t player) {
    Player& self = players_[player];
    const std::uint32_t most_supplies = self.most_alive + kUnitCost;
    self.supplies = std::min(self.supplies + self.most_alive, most_supplies);
    while (self.supplies >= kUnitCost && self.alive < self.most_alive) {
        self.supplies -= kUnitCost;
        spawn(player, kReinforcementSpread);
    }
}

void Skirmish::spawn(std::size_t player, float spread) {
    constexpr std::int16_t kFullHealth = 100;
    constexpr std::uint32_t kLongestFirstWait = 4;
    Player& self = players_[player];
    const float right = (random_.unit_float() * 2.0F - 1.0F) * spread;
    const float down = (random_.unit_float() * 2.0F - 1.0F) * spread;
    units_.id.push_back(world_.next_id);
    units_.owner.push_back(static_cast<std::uint8_t>(player));
    units_.health.push_back(kFullHealth);
    units_.cooldown.push_back(static_cast<std::uint8_t>(world_.next_id % kLongestFirstWait));
    units_.position_x.push_back(std::clamp(self.base_x + right, 0.0F, world_.side));
    units_.position_y.push_back(std::clamp(self.base_y + down, 0.0F, world_.side));
    units_.velocity_x.push_back(0.0F);
    units_.velocity_y.push_back(0.0F);
    ++self.alive;
    ++world_.next_id;
}

}  // namespace isotick::core::reference
