// Hands states over between two threads as fast as they can, to be run under ThreadSanitizer. With
// an argument the reader takes without the exchange, which is a race: what is to be reported then.

#include <isotick/core/triple_buffer.hpp>

#include <array>
#include <cstdio>
#include <thread>

namespace {

using State = std::array<std::uint64_t, 64>;
constexpr std::uint64_t kTicks = 100'000;

State state_of(std::uint64_t tick) {
    State state;
    state.fill(tick);
    return state;
}

}  // namespace

int main(int argument_count, char**) {
    isotick::core::TripleBuffer<State> states(state_of(0));
    const auto& kept = states.latest();
    std::thread simulation([&states] {
        for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
            states.publish(state_of(tick));
        }
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t seen = 0; seen < kTicks;) {
        const auto& pair = states.latest();
        seen = pair.ticks_done;
        wrong += pair.current != state_of(seen);
        if (argument_count > 1) {
            wrong += kept.current != state_of(0);  // may have been handed back: the writer's now
        }
    }
    simulation.join();
    std::printf("%llu torn\n", static_cast<unsigned long long>(wrong));
    return wrong == 0 ? 0 : 1;
}
