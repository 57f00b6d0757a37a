#include "skirmish.hpp"

#include "../config_keys.hpp"

#include <isotick/core/input_text.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <cereal/types/vector.hpp>

namespace isotick::core::reference {
namespace {

constexpr std::size_t kShortOrder = 2;
constexpr std::size_t kOrderWithGoal = 6;

std::uint16_t read_u16(std::span<const std::uint8_t> bytes) {
    return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

void append_u16(std::uint16_t value, std::vector<std::uint8_t>& bytes) {
    bytes.push_back(static_cast<std::uint8_t>(value & 0xff));
    bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

}  // namespace

bool has_goal(OrderKind kind) {
    return kind == OrderKind::move || kind == OrderKind::attack;
}

std::optional<Order> OrderReader::next() {
    const bool readable = rest_.size() >= kShortOrder && taken_ < kMostOrders &&
                          rest_[0] <= static_cast<std::uint8_t>(OrderKind::hold);
    if (!readable) {
        return std::nullopt;
    }
    Order order{.kind = static_cast<OrderKind>(rest_[0]), .groups = rest_[1]};
    const std::size_t length = has_goal(order.kind) ? kOrderWithGoal : kShortOrder;
    if (rest_.size() < length) {
        return std::nullopt;
    }
    if (has_goal(order.kind)) {
        order.x = read_u16(rest_.subspan(2));
        order.y = read_u16(rest_.subspan(4));
    }
    rest_ = rest_.subspan(length);
    ++taken_;
    return order;
}

void append_order(const Order& order, std::vector<std::uint8_t>& bytes) {
    bytes.push_back(static_cast<std::uint8_t>(order.kind));
    bytes.push_back(order.groups);
    if (has_goal(order.kind)) {
        append_u16(order.x, bytes);
        append_u16(order.y, bytes);
    }
}

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

// The bot of skirmish: plausible orders now and then, from nothing but entropy and the state.

namespace {

constexpr std::uint32_t kTicksPerInput = 40;        // on average
constexpr std::uint32_t kTicksPerWorldInput = 300;  // on average
constexpr std::uint32_t kMostOrders = 4;
constexpr std::uint32_t kInputsPerEmptyOne = 16;

// A coordinate as orders write it.
std::uint16_t unit_as_order(float coordinate, float side) {
    const float scaled = coordinate / side * 65536.0F;
    return static_cast<std::uint16_t>(std::clamp(scaled, 0.0F, 65535.0F));
}

}  // namespace

bool Skirmish::propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
    Pcg32 chance(proposal.entropy, proposal.player);
    if (proposal.player == ISOTICK_WORLD) {
        bytes.push_back(static_cast<std::uint8_t>(chance.below(16)));
        return chance.below(kTicksPerWorldInput) == 0;
    }
    if (chance.below(kTicksPerInput) != 0) {
        return false;
    }
    if (chance.below(kInputsPerEmptyOne) != 0) {
        bytes = bot_orders(chance, proposal.player);
    }
    return true;
}

std::vector<std::uint8_t> Skirmish::bot_orders(Pcg32& chance, std::uint32_t player) const {
    std::vector<std::uint8_t> bytes;
    const std::uint32_t count = 1 + chance.below(kMostOrders);
    for (std::uint32_t i = 0; i < count; ++i) {
        // Half of all orders are attacks.
        const std::uint32_t kind = chance.below(6);
        Order order{.kind = kind < 4 ? static_cast<OrderKind>(kind) : OrderKind::attack,
                    .groups = static_cast<std::uint8_t>(1 + chance.below(255))};
        const auto players = static_cast<std::uint32_t>(players_.size());
        const Player& other = players_[(player + 1 + chance.below(players - 1)) % players];
        float x = other.base_x;
        float y = other.base_y;
        if (!units_.id.empty() && chance.below(2) == 0) {
            const std::size_t unit = chance.below(static_cast<std::uint32_t>(units_.size()));
            x = units_.position_x[unit];
            y = units_.position_y[unit];
        }
        order.x = unit_as_order(x, world_.side);
        order.y = unit_as_order(y, world_.side);
        append_order(order, bytes);
    }
    return bytes;
}

// The inputs of skirmish as people write them: [{"order":"move","groups":[0,3],"x":512,"y":40960}].

namespace {

enum class Verb : std::uint8_t { missing = 0xff };

const char* isotick_enum_name(Verb verb) {
    switch (static_cast<OrderKind>(verb)) {
        case OrderKind::scatter:
            return "scatter";
        case OrderKind::move:
            return "move";
        case OrderKind::attack:
            return "attack";
        case OrderKind::hold:
            return "hold";
    }
    return "";
}

struct OrderText {
    Verb order = Verb::missing;
    std::vector<std::uint8_t> groups;
    std::uint16_t x = 0;
    std::uint16_t y = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(order), CEREAL_NVP(groups));
        if (has_goal(static_cast<OrderKind>(order))) {
            archive(CEREAL_NVP(x), CEREAL_NVP(y));
        }
    }
};

struct SuppliesText {
    std::uint8_t supplies = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(supplies));
    }
};

OrderText as_text(const Order& order) {
    OrderText text{static_cast<Verb>(order.kind), {}, order.x, order.y};
    for (std::uint8_t group = 0; group < kGroups; ++group) {
        if ((order.groups >> group & 1U) != 0) {
            text.groups.push_back(group);
        }
    }
    return text;
}

Order as_order(const OrderText& text) {
    Order order{static_cast<OrderKind>(text.order), 0, text.x, text.y};
    if (order.kind > OrderKind::hold) {
        throw std::invalid_argument("order: there are scatter, move, attack and hold");
    }
    for (const std::uint8_t group : text.groups) {
        if (group >= kGroups) {
            throw std::invalid_argument("groups: there are groups 0 to 7, not " +
                                        std::to_string(group));
        }
        order.groups = static_cast<std::uint8_t>(order.groups | 1U << group);
    }
    return order;
}

std::vector<std::uint8_t> as_bytes(const std::vector<OrderText>& orders) {
    if (orders.size() > OrderReader::kMostOrders) {
        throw std::invalid_argument("at most 64 orders are obeyed at a time");
    }
    std::vector<std::uint8_t> bytes;
    for (const OrderText& order : orders) {
        append_order(as_order(order), bytes);
    }
    return bytes;
}

}  // namespace

std::string Skirmish::describe_input(std::uint32_t player, std::span<const std::uint8_t> bytes) {
    if (player == ISOTICK_WORLD) {
        if (bytes.size() != 1) {
            throw std::invalid_argument("supplies are one byte");
        }
        return to_json(SuppliesText{bytes.front()});
    }
    std::vector<OrderText> orders;
    OrderReader reader(bytes);
    while (const auto order = reader.next()) {
        orders.push_back(as_text(*order));
    }
    if (!std::ranges::equal(as_bytes(orders), bytes)) {
        throw std::invalid_argument("not all of these bytes are orders");
    }
    return to_json(orders);
}

std::vector<std::uint8_t> Skirmish::compose_input(std::uint32_t player, std::string_view json) {
    if (player == ISOTICK_WORLD) {
        return {from_json<SuppliesText>(json).supplies};
    }
    return as_bytes(from_json<std::vector<OrderText>>(json));
}

}  // namespace isotick::core::reference
