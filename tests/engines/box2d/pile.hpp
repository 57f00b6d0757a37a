#pragma once
// A pile of boxes and circles between walls, simulated by Box2D and pushed by players.

#include <isotick/core/simulation_type.hpp>
#include <isotick/core/step.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include <box2d/box2d.h>
#include <cereal/cereal.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::engines {

/// Its bits hold for one build of Box2D and one libm: Box2D calls sinf and cosf.
class Pile {
  public:
    // Not ISOTICK_MANY_INSTANCES: Box2D counts its calls in plain globals.
    static constexpr core::SimulationInfo kInfo{
        .name = "box2d",
        .summary = "a pile of boxes and circles in Box2D 2.4, pushed by players",
        .config_help = "bodies=1..2000 (default 60)",
        .build_id = "Box2D 2.4",
        .most_players = 8,
        .usual_players = 1,
        .capabilities = 0};

    /// Throws core::BadSettings for a number of bodies out of range.
    explicit Pile(const core::SimulationSetup& setup);

    /// An input is a push of four bytes: body (16 bits, little-endian, modulo the number of
    /// bodies), then the change of its speed to the right and up, signed, in 1/8 m/s. Anything
    /// else is no push.
    void step(const core::Step& step);

    /// A player pushes about every eighth tick; the world never does.
    [[nodiscard]] bool propose_input(const core::Proposal& proposal,
                                     std::vector<std::uint8_t>& bytes) const;

    /// Everything Box2D shows of its state; how long a body has been at rest, it does not.
    template <class Archive>
    void save(Archive& archive) const {
        archive(cereal::make_nvp("bodies", body_words()));
        archive(cereal::make_nvp("contacts", contact_words()));
    }

  private:
    void build_walls(std::uint32_t index);
    void add_body(std::uint32_t index, std::uint64_t chance);
    void push(std::span<const std::uint8_t> bytes);
    // Floats by their bits.
    [[nodiscard]] std::vector<std::uint32_t> body_words() const;
    [[nodiscard]] std::vector<std::uint32_t> contact_words() const;

    b2World world_;
    std::vector<b2Body*> bodies_;  // owned by world_
};

}  // namespace isotick::engines
