// The bot of skirmish: plausible orders now and then, from nothing but entropy and the state.

#include "skirmish.hpp"

#include <algorithm>

namespace isotick::core::reference {
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

}  // namespace isotick::core::reference
