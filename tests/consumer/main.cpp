// A simulation of its own, recorded through the installed library and read back: a second run must
// give the hashes of the recording.

#include "bounce.hpp"

#include <isotick/core/simulation.hpp>
#include <isotick/replay/reader.hpp>
#include <isotick/replay/writer.hpp>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace core = isotick::core;
namespace replay = isotick::replay;

constexpr std::uint64_t kTicks = 600;
constexpr isotick_input kNoInput{ISOTICK_WORLD, 0, 0, nullptr};

// The value, or the end of this program with the error's text.
template <class T>
T take(core::Result<T> result) {
    if (!result) {
        throw std::runtime_error(core::describe(result.error()));
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

static void record(const std::string& path) {
    auto bounce = take(core::Simulation::create(core::simulation_table<Bounce>(), {}));
    core::StateHash hash = take(bounce.hash());
    replay::RecordingHead head;
    head.session.simulation = bounce.info().name;
    head.part_names = bounce.part_names();
    auto writer = take(replay::Writer::create(path, head, {hash, bounce.parts()}));
    for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
        take(bounce.step(core::Tick{tick}, {&kNoInput, 1}));
        hash = take(bounce.hash());
        const replay::TickHashes hashes{hash, bounce.parts()};
        take(writer.append({&kNoInput, 1}, &hashes));
    }
    take(writer.finish({hash, bounce.parts()}));
}

// Runs the recorded ticks again; how many there are before the first whose hash differs.
static std::uint64_t identical_ticks(const std::string& path) {
    auto reader = take(replay::Reader::open(path));
    auto bounce = take(core::Simulation::create(core::simulation_table<Bounce>(), {}));
    std::uint64_t tick = 0;
    while (const replay::TickChunk* chunk = take(reader.next())) {
        for (std::uint32_t i = 0; i < chunk->ticks(); ++i, ++tick) {
            take(bounce.step(core::Tick{tick}, chunk->inputs(i)));
            if (chunk->state_hash(i) != take(bounce.hash())) {
                return tick;
            }
        }
    }
    return tick;
}

int main() {
    const std::string path = "bounce.isotick";
    try {
        std::filesystem::remove(path);
        record(path);
        const std::uint64_t identical = identical_ticks(path);
        std::cout << path << ": " << identical << " of " << kTicks << " ticks identical\n";
        return identical == kTicks ? 0 : 1;
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 1;
    }
}
