#pragma once
// A strategy game: units take orders, move, fight, die and are replaced.

#include "skirmish_state.hpp"
#include "skirmish_units.hpp"

#include <isotick/core/random.hpp>
#include <isotick/core/simulation_type.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core::reference {

// A player's input to a skirmish: a list of orders, and how it is written as bytes.
//
//     order    = kind groups [x y]
//     kind     = one byte, an OrderKind
//     groups   = one byte, bit g set: group g obeys
//     x, y     = two bytes each, little-endian, in 1/65536 of the world's side; move and attack
//     only

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

// A small real-time strategy game: players send groups of units about, units push each other
// aside, shoot at enemies in range, die and are replaced.

/// The facts that skirmish and all its variants share.
constexpr SimulationInfo skirmish_info(const char* name, const char* summary) {
    return {.name = name,
            .summary = summary,
            .config_help = "units=2…100000 (1000): the most units alive, shared by the players",
            .least_players = 2,
            .most_players = 64,
            .usual_players = 2,
            .capabilities = ISOTICK_MANY_INSTANCES | ISOTICK_CHANGING_DT};
}

/// A tick: inputs become orders, the dead are buried, new units produced (begin_tick); then every
/// unit moves, and in every second tick a quarter decide anew where to go and whom to shoot
/// (update_units). Checkpoints: "orders", "production", "movement".
/// Integers and single IEEE operations on float only. Variants derive from it (reference.cpp) and
/// put the building blocks together differently.
class Skirmish {
  public:
    static constexpr SimulationInfo kInfo =
        skirmish_info("skirmish", "a strategy game: units take orders, fight, die, are replaced");

    /// Throws BadSettings for unknown config keys, a bad number of units, fewer units than players.
    explicit Skirmish(const SimulationSetup& setup);

    void begin_frame(FrameTime frame_time);
    void step(const Step& step);
    void render(double alpha);
    bool propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const;

    static std::string describe_input(std::uint32_t player, std::span<const std::uint8_t> bytes);
    static std::vector<std::uint8_t> compose_input(std::uint32_t player, std::string_view json);

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("world", world_), cereal::make_nvp("players", players_),
                cereal::make_nvp("orders", orders_), cereal::make_nvp("units", units_),
                cereal::make_nvp("random", random_));
    }

  protected:
    /// Counts the tick, takes its inputs, buries and produces units, remembers where all were.
    void begin_tick(const Step& step);
    /// Moves all units by `seconds` at their velocities and in every second tick lets a quarter
    /// decide.
    void update_units(const Step& step, float seconds);

    [[nodiscard]] Units& units() { return units_; }
    [[nodiscard]] Pcg32& random() { return random_; }

  private:
    void spawn(std::size_t player, float spread);
    void take_input(std::size_t player, std::span<const std::uint8_t> bytes);
    void obey(std::size_t player, const Order& order);
    void bury_the_dead();
    void produce(std::size_t player);
    void move_units(float seconds);
    void decide(std::size_t unit);
    void steer(std::size_t unit);
    void fight(std::size_t unit);
    [[nodiscard]] std::optional<std::size_t> nearest_enemy(std::size_t unit) const;
    [[nodiscard]] std::size_t group_of(std::size_t unit) const;
    [[nodiscard]] std::vector<std::uint8_t> bot_orders(Pcg32& chance, std::uint32_t player) const;

    World world_;
    std::vector<Player> players_;
    Orders orders_;
    Units units_;
    Pcg32 random_;

    // Scratch space of one tick.
    UnitGrid grid_;
    std::vector<std::uint32_t> survivors_;

    // The renderer's own, which no tick reads.
    std::vector<float> previous_x_;
    std::vector<float> previous_y_;
    std::vector<float> drawn_x_;
    std::vector<float> drawn_y_;
    FrameTime longest_frame_;
};

}  // namespace isotick::core::reference
