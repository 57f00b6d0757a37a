#pragma once
// A pile: circles and boxes fall, collide, stack, come to rest and sleep.

#include "commands.hpp"
#include "solver/broad_phase.hpp"
#include "solver/islands.hpp"
#include "solver/solver.hpp"
#include "state.hpp"

#include <isotick/core/random.hpp>
#include <isotick/core/simulation_type.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cereal/types/vector.hpp>

namespace isotick::core::reference {

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
/// (faults.hpp).
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
