#pragma once
// A simulation with a leak that only some schedules provoke, the nominal one not.

#include <isotick/core/adapter.hpp>

#include <cstdint>

namespace isotick::tests {

/// Does not count in frames that are longer than 100 ms.
struct SkipsInLongFrames {
    static constexpr core::SimulationInfo kInfo{.name = "skips"};
    void begin_frame(core::FrameTime time) { long_ = time.nanoseconds > 100'000'000; }
    void step(const core::Step& step) { counter += long_ ? 0 : 1 + step.tick.value; }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter), CEREAL_NVP(other));
    }
    std::uint64_t counter = 0;
    std::uint64_t other = 0;
    bool long_ = false;
};

}  // namespace isotick::tests
