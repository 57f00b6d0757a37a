// Counts in `unsigned long`, which has 32 bits on Windows: the total starts over there in tick 7.

#include <isotick/core/adapter.hpp>

#include <cstdint>

namespace {

struct Narrow {
    static constexpr isotick::core::SimulationInfo kInfo{.name = "narrow"};

    explicit Narrow(const isotick::core::SimulationSetup&) {}

    void step(const isotick::core::Step&) {
        total_ += 37;
        total = total_;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(total));
    }

    std::uint64_t total = 0;

  private:
    unsigned long total_ = 4'294'967'000;  // 8 times 37 below 2^32
};

}  // namespace

ISOTICK_SIMULATION(Narrow)
