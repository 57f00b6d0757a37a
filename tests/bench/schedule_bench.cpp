// What drawing frame times costs, for each kind of schedule.

#include "suite.hpp"

#include <isotick/core/schedule.hpp>

#include <array>
#include <stdexcept>

namespace isotick::bench {
namespace {

constexpr std::array kSchedules = {
    "3x16ms, 17ms",
    "nominal",
    "jitter(60hz, 3ms, seed=7)",
    "vsync(60hz, miss=10%, seed=4)",
    "bimodal(4ms, 30ms, 25%, seed=3)",
    "hitches(60hz, 2s, every=200, seed=5)",
    "quantised(75hz)",
    "stuck(60hz, 12.5%, seed=2)",
    "backwards(60hz, 5%, 3ms, seed=6)",
    "burst(60hz, 100x1ns, every=100, seed=8)",
    "edges(60hz, seed=9)",
    "mix(seed=10)",
};

void draw(benchmark::State& state, const char* text) {
    constexpr int kFrames = 1000;
    const auto schedule = core::Schedule::parse(text);
    if (!schedule) {
        throw std::runtime_error(describe(schedule.error()));
    }
    auto frames = schedule->frames(core::TickRate());
    for ([[maybe_unused]] auto once : state) {
        for (int i = 0; i < kFrames; ++i) {
            benchmark::DoNotOptimize(frames.next());
        }
    }
    state.counters["ns"] = nanoseconds_each(state, kFrames);
}

}  // namespace

void add_schedule_benchmarks(Suite& suite) {
    for (const char* text : kSchedules) {
        suite.add(std::string("schedule/") + text,
                  {{"ns", std::string("frame of ") + text + ", ns", 1}},
                  [text](benchmark::State& state) { draw(state, text); });
    }
}

}  // namespace isotick::bench
