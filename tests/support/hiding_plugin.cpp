// A plug-in whose state has a member that nobody sees: `forgotten_`, behind `seen_`.

#include <isotick/core/adapter.hpp>

#include <cstdint>

namespace {

class Hiding {
  public:
    static constexpr isotick::core::SimulationInfo kInfo{.name = "hiding"};

    void step(const isotick::core::Step&) { forgotten_ += ++seen_; }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("seen", seen_));
    }

  private:
    std::uint64_t seen_ = 0;
    std::uint64_t forgotten_ = 0;
};

}  // namespace

ISOTICK_SIMULATION(Hiding)
