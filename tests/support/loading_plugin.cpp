// Plug-ins whose loading does something: ISOTICK_LOADING_ABORT ends the process,
// ISOTICK_LOADING_THREAD starts a thread that every step needs. A process forked after loading has
// no such thread, so there the first step would wait for ever.

#include <isotick/core/adapter.hpp>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

#if defined(ISOTICK_LOADING_ABORT)
[[maybe_unused]] const bool kLoaded = [] {
    std::abort();
    return true;
}();
void ask_helper() {}
#else
std::atomic<std::uint64_t> asked{0};
std::atomic<std::uint64_t> answered{0};

void help() {
    for (std::uint64_t seen = 0;;) {
        asked.wait(seen);
        seen = asked;
        answered = seen;
        answered.notify_one();
    }
}

[[maybe_unused]] const bool kLoaded = [] {
    std::thread(help).detach();
    return true;
}();

void ask_helper() {
    const std::uint64_t question = ++asked;
    asked.notify_one();
    for (std::uint64_t seen = answered; seen < question; seen = answered) {
        answered.wait(seen);
    }
}
#endif

// Counts, with the help of what loading left behind.
struct Counter {
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "loading", .most_players = 1, .usual_players = 1};
    void step(const isotick::core::Step& step) {
        ask_helper();
        counter += 1 + (step.inputs.of(0) ? step.inputs.of(0)->size() : 0);
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter));
    }
    std::uint64_t counter = 0;
};

}  // namespace

ISOTICK_SIMULATION(Counter)
