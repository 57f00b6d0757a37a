// The least that has every call of a tick: what remains is the cost of making them. The same as
// tests/process/trivial_sim.py.

#include <isotick/core/adapter.hpp>

#include <cstdint>

namespace {

struct Trivial {
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "trivial", .most_players = 1, .usual_players = 1};

    void begin_frame(isotick::core::FrameTime) {}
    void step(const isotick::core::Step&) { ++counter; }
    void render(double) {}

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter));
    }

    std::uint32_t counter = 0;
};

}  // namespace

ISOTICK_SIMULATION(Trivial)
