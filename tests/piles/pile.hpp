#pragma once
// A pile: circles and boxes fall, collide, stack, come to rest and sleep.

#include "pile_solver.hpp"
#include "pile_state.hpp"

#include <isotick/core/random.hpp>
#include <isotick/core/simulation_type.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cereal/types/vector.hpp>

namespace isotick::core::reference::pile {

// How a pile begins: walls, and bodies hanging in rows above one another.

/// Where a dropped body's centre starts, below the ceiling and away from the walls: metres.
inline constexpr float kDropMargin = 1.0F;

/// A body of density 1 kg/m²; `half` as in Shape. `shape` must not be wall.
[[nodiscard]] Body make_body(Shape shape, Vector half, Vector position);

/// A world with room for `count` bodies, and room to drop them from.
[[nodiscard]] World make_world(std::uint32_t count);

/// The walls of `world` and `count` bodies, shapes and sizes drawn from `random`, none touching.
[[nodiscard]] std::vector<Body> make_bodies(const World& world, std::uint32_t count, Pcg32& random);

// A player's input to a pile: a list of commands, and how it is written as bytes.
//
//     command  = push | drop
//     push     = 0 body right up    changes the body's velocity; right and up are one signed byte
//                                   each, in 1/16 m/s
//     drop     = 1 body x           takes the body up under the ceiling and lets go of it there; x
//                                   is one byte, in 1/256 of the width
//     body     = two bytes, little-endian, modulo the number of bodies

enum class CommandKind : std::uint8_t { push = 0, drop = 1 };

struct Command {
    CommandKind kind = CommandKind::push;
    std::uint16_t body = 0;
    std::int8_t right = 0;
    std::int8_t up = 0;
    std::uint8_t x = 0;
};

/// Takes commands off an input, which may be any bytes at all. What cannot be a command, and
/// everything after it, is ignored; so is everything after kMostCommands commands.
class CommandReader {
  public:
    static constexpr std::uint32_t kMostCommands = 16;

    /// `bytes` must stay valid while the reader is in use.
    explicit CommandReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    /// The next command; none at the end.
    [[nodiscard]] std::optional<Command> next();

  private:
    std::span<const std::uint8_t> rest_;
    std::uint32_t taken_ = 0;
};

/// Appends `command` to `bytes` as CommandReader reads it.
void append_command(const Command& command, std::vector<std::uint8_t>& bytes);

}  // namespace isotick::core::reference::pile

namespace isotick::core::reference {

// A pile: circles and boxes fall, collide, stack, come to rest and sleep.

/// The facts that pile and all its variants share.
constexpr SimulationInfo pile_info(const char* name, const char* summary) {
    return {.name = name,
            .summary = summary,
            .config_help = "bodies=1…2000 (60): circles and boxes",
            .least_players = 0,
            .most_players = 8,
            .usual_players = 2,
            .capabilities = ISOTICK_MANY_INSTANCES | ISOTICK_CHANGING_DT};
}

/// A tick: inputs become pushes and drops (begin_tick); then contacts are found, wake sleepers and
/// are solved, beginning with the impulses of the tick before; bodies move; islands of touching
/// bodies that rest fall asleep (advance).
/// Single IEEE operations on float, sqrt among them, and integers only. Variants derive from it
/// (reference.cpp).
class Pile {
  public:
    static constexpr SimulationInfo kInfo =
        pile_info("pile", "circles and boxes fall, stack and come to rest; players push them");

    /// Throws BadSettings for unknown config keys and a bad number of bodies.
    explicit Pile(const SimulationSetup& setup);

    void step(const Step& step);
    void render(double alpha);
    bool propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const;

    static std::string describe_input(std::uint32_t player, std::span<const std::uint8_t> bytes);
    static std::vector<std::uint8_t> compose_input(std::uint32_t player, std::string_view json);

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("world", world_), cereal::make_nvp("players", players_),
                cereal::make_nvp("bodies", bodies_), cereal::make_nvp("contacts", contacts_),
                cereal::make_nvp("islands", islands_), cereal::make_nvp("random", random_));
    }

  protected:
    /// Counts the tick, takes its inputs, remembers where all bodies were.
    void begin_tick(const Step& step);
    /// Simulates `seconds`, but at most one; nothing unless that is above zero.
    void advance(float seconds);

    [[nodiscard]] std::vector<pile::Body>& bodies() { return bodies_; }
    [[nodiscard]] const std::vector<pile::Body>& bodies() const { return bodies_; }
    [[nodiscard]] std::vector<pile::Contact>& contacts() { return contacts_; }
    [[nodiscard]] const std::vector<pile::Island>& islands() const { return islands_; }
    [[nodiscard]] const pile::World& world() const { return world_; }
    /// How many bodies were dropped in this tick.
    [[nodiscard]] std::uint32_t drops() const { return drops_; }

  private:
    void take_input(std::size_t player, std::span<const std::uint8_t> bytes);
    void obey(pile::Player& player, const pile::Command& command);
    void drop(pile::Body& body, std::uint8_t x);
    void find_contacts(float seconds);
    [[nodiscard]] bool collide_pairs(std::span<const pile::Pair> pairs, float seconds);
    void accelerate(float seconds);
    void move(float seconds);

    pile::World world_;
    std::vector<pile::Player> players_;
    std::vector<pile::Body> bodies_;
    std::vector<pile::Contact> contacts_;
    std::vector<pile::Island> islands_;
    Pcg32 random_;

    // Scratch space of one tick.
    std::uint32_t drops_ = 0;
    pile::BroadPhase broad_phase_;
    pile::IslandBuilder island_builder_;
    std::vector<pile::Constraint> constraints_;
    std::vector<pile::Contact> kept_contacts_;

    // The renderer's own, which no tick reads.
    std::vector<pile::Vector> previous_;
    std::vector<pile::Vector> drawn_;
};

}  // namespace isotick::core::reference
