#pragma once
// What every engine's world needs around it to be a simulation.

#include "pile_plan.hpp"

#include <isotick/core/adapter.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <cereal/types/vector.hpp>

namespace isotick::engines {

/// A world alone, and one that asks how long frames take, as it should not.
template <class World>
class UnframedWorld {
  public:
    explicit UnframedWorld(const core::SimulationSetup& setup) : world_(setup) {}

  protected:
    World world_;
};

template <class World>
class FramedWorld : public UnframedWorld<World> {
  public:
    using UnframedWorld<World>::UnframedWorld;
    void begin_frame(core::FrameTime frame_time) { this->world_.begin_frame(frame_time); }
};

template <class World>
using HeldWorld =
    std::conditional_t<core::detail::BeginsFrames<World>, FramedWorld<World>, UnframedWorld<World>>;

/// A World has
/// - a static kInfo, and kRestores: whether restore() brings back all that decides the future;
/// - a constructor from the setup;
/// - `bodies()`, `push(const Push&)` and `advance(double dt_seconds)`;
/// - a State with one `serialize`, whose members are the parts of the hash, `State state() const`,
///   and `restore(const State&)`, which throws where the state does not fit.
///
/// With ISOTICK_NAIVE_SNAPSHOTS defined it claims that restore() suffices, as many a game does.
template <class World>
class EngineSimulation : public HeldWorld<World> {
  public:
    static constexpr core::SimulationInfo kInfo = World::kInfo;
#if defined(ISOTICK_NAIVE_SNAPSHOTS)
    static constexpr bool kCanSave = true;
#else
    static constexpr bool kCanSave = World::kRestores;
#endif
    static constexpr bool kHasMemory = false;  // it is the engine's, behind pointers

    explicit EngineSimulation(const core::SimulationSetup& setup) : HeldWorld<World>(setup) {}

    /// Pushes what the players push (read_push), in their order, then advances the world.
    void step(const core::Step& step) {
        for (std::size_t player = 0; player < step.inputs.players(); ++player) {
            const auto input = step.inputs.of(player);
            if (const auto push = input ? read_push(*input, world_.bodies()) : std::nullopt) {
                world_.push(*push);
            }
        }
        world_.advance(step.dt_seconds);
    }

    [[nodiscard]] bool propose_input(const core::Proposal& proposal,
                                     std::vector<std::uint8_t>& bytes) const {
        return propose_push(proposal, bytes);
    }

    template <class Archive>
    void save(Archive& archive) const {
        typename World::State state = world_.state();
        state.serialize(archive);
    }

    template <class Archive>
    void load(Archive& archive) {
        typename World::State state;
        state.serialize(archive);
        if (state.bodies.size() != world_.bodies()) {
            throw std::runtime_error("another number of bodies");
        }
        world_.restore(state);
    }

  private:
    using HeldWorld<World>::world_;
};

}  // namespace isotick::engines
