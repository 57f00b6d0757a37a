#include "skirmish_orders.hpp"

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

}  // namespace isotick::core::reference
