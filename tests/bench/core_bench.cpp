// The loop, the hash, and a simulation to compare them with.

#include "process.hpp"
#include "suite.hpp"
#include "value_or_throw.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/simulation.hpp>

#include <array>
#include <stdexcept>

namespace isotick::bench {
namespace {

void advance_loop(benchmark::State& state) {
    constexpr std::size_t kFrames = 1024;
    std::array<core::FrameTime, kFrames> frame_times{};
    core::Pcg32 random(1);
    for (core::FrameTime& frame_time : frame_times) {
        frame_time.nanoseconds = random.between(1'000'000, 40'000'000);
    }
    auto loop = core::AccumulatorLoop::make(core::TickRate()).value();
    for ([[maybe_unused]] auto once : state) {
        for (const core::FrameTime frame_time : frame_times) {
            benchmark::DoNotOptimize(loop.advance(frame_time));
        }
    }
    state.counters["ns"] = nanoseconds_each(state, kFrames);
}

void hash_block(benchmark::State& state, std::size_t size) {
    const std::vector<std::byte> block(size, std::byte{0x5a});
    for ([[maybe_unused]] auto once : state) {
        benchmark::DoNotOptimize(core::hash_bytes(block));
    }
    const auto bytes = static_cast<double>(size) * static_cast<double>(state.iterations());
    state.counters["GB/s"] = {bytes * 1e-9, benchmark::Counter::kIsRate};
}

core::Simulation make_skirmish() {
    core::SimulationSetup setup;
    setup.players = 2;
    setup.seed = 1;
    if (!setup.config.set("units", "1000")) {
        throw std::runtime_error("skirmish takes no units");
    }
    return value_or_throw(
        core::Simulation::create(*core::find_reference_simulation("skirmish"), setup));
}

// Steps and hashes in turns of `kTurn`, so that what disturbs one disturbs the other.
void run_skirmish(benchmark::UserCounters& counters, std::uint64_t turns) {
    constexpr std::uint64_t kTurn = 100;
    core::Simulation skirmish = make_skirmish();
    const std::array<isotick_input, 3> inputs{
        {{0, 0, 0, nullptr}, {1, 0, 0, nullptr}, {ISOTICK_WORLD, 0, 0, nullptr}}};
    double stepping = 0;
    double hashing = 0;
    for (std::uint64_t tick = 0; tick < turns * kTurn;) {
        const double begin = own_cpu_seconds();
        for (std::uint64_t i = 0; i < kTurn; ++i) {
            if (!skirmish.step(core::Tick{tick++}, inputs)) {
                throw std::runtime_error("skirmish does not step");
            }
        }
        const double between = own_cpu_seconds();
        for (std::uint64_t i = 0; i < kTurn; ++i) {
            benchmark::DoNotOptimize(value_or_throw(skirmish.hash()));
        }
        stepping += between - begin;
        hashing += own_cpu_seconds() - between;
    }
    counters["ticks"] = static_cast<double>(turns * kTurn) / (stepping + hashing);
    counters["share"] = 100 * hashing / (stepping + hashing);
}

}  // namespace

void add_core_benchmarks(Suite& suite) {
    suite.add("loop", {{"ns", "AccumulatorLoop::advance, ns a frame", 1}}, advance_loop);
    for (const std::size_t kib : {std::size_t{4}, std::size_t{64}, std::size_t{1024}}) {
        const std::string size = std::to_string(kib) + " KiB";
        suite.add("hash/" + std::to_string(kib), {{"GB/s", "hash_bytes of " + size + ", GB/s", 1}},
                  [kib](benchmark::State& state) { hash_block(state, kib * 1024); });
    }
    suite.add_once("skirmish",
                   {{"ticks", "skirmish of 1,000 units, stepped and hashed, ticks per second", 0},
                    {"share", "of that, hashing, %", 1}},
                   [&suite](benchmark::UserCounters& counters) {
                       run_skirmish(counters, suite.sized(50, 1));
                   });
}

}  // namespace isotick::bench
