#pragma once
// A player's input to a skirmish: a list of orders, and how it is written as bytes.
//
//     order    = kind groups [x y]
//     kind     = one byte, an OrderKind
//     groups   = one byte, bit g set: group g obeys
//     x, y     = two bytes each, little-endian, in 1/65536 of the world's side; move and attack
//     only

#include "skirmish_state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::core::reference {

struct Order {
    OrderKind kind = OrderKind::scatter;
    std::uint8_t groups = 0;
    std::uint16_t x = 0;
    std::uint16_t y = 0;
};

/// Whether orders of this kind have x and y.
[[nodiscard]] bool has_goal(OrderKind kind);

/// Takes orders off an input, which may be any bytes at all. What cannot be an order, and
/// everything after it, is ignored; so is everything after kMostOrders orders.
class OrderReader {
  public:
    static constexpr std::uint32_t kMostOrders = 64;

    /// `bytes` must stay valid while the reader is in use.
    explicit OrderReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    /// The next order; none at the end.
    [[nodiscard]] std::optional<Order> next();

  private:
    std::span<const std::uint8_t> rest_;
    std::uint32_t taken_ = 0;
};

/// Appends `order` to `bytes` as OrderReader reads it.
void append_order(const Order& order, std::vector<std::uint8_t>& bytes);

}  // namespace isotick::core::reference
