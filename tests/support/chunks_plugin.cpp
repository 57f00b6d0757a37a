// A solver that must not care how many workers it has: each adds up a chunk of forces, then the
// chunks are added up. From tick 40 on the first force is so large that the others, added one by
// one, leave no trace in the float; a chunk of them does.
//
//   workers=1..64         config, or where that is not set, environment
//   reduction=chunks|fixed   config: as above, or in an order of its own (the clean twin)

#include <isotick/core/adapter.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <cereal/types/array.hpp>

namespace {

namespace core = isotick::core;

constexpr std::uint64_t kLargeFrom = 40;
constexpr float kLarge = 16777216.0F;  // and 1 is the same, in a float
constexpr std::uint64_t kMostWorkers = 64;

std::uint64_t workers_of(const core::SimulationSetup& setup) {
    for (const auto& [key, value] : setup.config.entries()) {
        if (key != "workers" && key != "reduction") {
            throw core::BadSettings("there is no setting '" + key + "'");
        }
    }
    const core::Settings& where = setup.config.find("workers") ? setup.config : setup.environment;
    return core::take_setting(where.number("workers", 1, 1, kMostWorkers));
}

class Chunks {
  public:
    static constexpr core::SimulationInfo kInfo{
        .name = "chunks",
        .summary = "adds up floats in as many chunks as there are workers",
        .config_help = "workers=1..64 reduction=chunks|fixed",
        .most_players = 1,
        .usual_players = 1};

    explicit Chunks(const core::SimulationSetup& setup)
        : workers_(workers_of(setup)),
          fixed_(setup.config.find("reduction").value_or("chunks") == "fixed") {}

    void step(const core::Step& step) {
        const auto input = step.inputs.of(0);
        const std::uint64_t push = input && !input->empty() ? input->front() : 0;
        pushes += 1 + push;
        forces.front() = step.tick.value < kLargeFrom ? 1.0F : kLarge;
        momentum = sum(fixed_ ? 1 : workers_);
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(pushes), CEREAL_NVP(momentum), CEREAL_NVP(forces));
    }

    std::uint64_t pushes = 0;
    float momentum = 0;
    std::array<float, 100> forces = of_one();

  private:
    static std::array<float, 100> of_one() {
        std::array<float, 100> forces{};
        forces.fill(1.0F);
        return forces;
    }

    [[nodiscard]] float sum(std::size_t chunks) const {
        const std::size_t size = (forces.size() + chunks - 1) / chunks;
        float total = 0;
        for (std::size_t begin = 0; begin < forces.size(); begin += size) {
            float part = 0;
            for (std::size_t i = begin; i < std::min(begin + size, forces.size()); ++i) {
                part += forces[i];
            }
            total += part;
        }
        return total;
    }

    std::size_t workers_;
    bool fixed_;
};

}  // namespace

ISOTICK_SIMULATION(Chunks)
