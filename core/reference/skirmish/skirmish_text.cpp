// The inputs of skirmish as people write them: [{"order":"move","groups":[0,3],"x":512,"y":40960}].

#include "skirmish.hpp"

#include <isotick/core/input_text.hpp>

#include <algorithm>
#include <stdexcept>

#include <cereal/types/vector.hpp>

namespace isotick::core::reference {
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
