// A simulation with a state of as many MiB as its config says, to see what keeps copies of it.
//
//   mib=1..4096   default 100

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <vector>

#include <cereal/types/vector.hpp>

namespace {

class Bulky {
  public:
    static constexpr isotick::core::SimulationInfo kInfo{.name = "bulky",
                                                         .summary = "a large state",
                                                         .config_help = "mib=1..4096",
                                                         .most_players = 1,
                                                         .usual_players = 1};

    explicit Bulky(const isotick::core::SimulationSetup& setup)
        : bulk(isotick::core::take_setting(setup.config.number("mib", 100, 1, 4096)) << 17U) {}

    void step(const isotick::core::Step& step) {
        const auto input = step.inputs.of(0);
        bulk[step.tick.value % bulk.size()] += 1 + (input ? input->size() : 0);
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(bulk));
    }

  private:
    std::vector<std::uint64_t> bulk;
};

}  // namespace

ISOTICK_SIMULATION(Bulky)
