// A game whose loop waits in the middle of a frame, as INTEGRATING.md shows it under Playback.

#include "lander.cpp"

#include <isotick/replay/playback.hpp>
#include <isotick/replay/state_hashes.hpp>

#include <algorithm>
#include <cstdio>

namespace core = isotick::core;
namespace replay = isotick::replay;

static replay::Playback* playback;

static std::int64_t tics() {  // playback->clock_ns() was: the system's clock
    return playback->clock_ns() * 60 / 1'000'000'000;
}

static bool wait() {  // was: a sleep of a millisecond. False: quit
    return playback->next_frame().has_value();
}

static bool step(Lander& lander, replay::StateHashes& hashes, core::Tick tick) {
    const auto inputs = playback->inputs(tick);
    if (!inputs) {
        return false;
    }
    lander.step({tick, 1.0 / 60, 1, 60, core::Inputs(*inputs)});
    return playback->check(tick, [&] { return hashes(lander); });
}

static void fly(Lander lander) {
    replay::StateHashes hashes;
    core::Tick tick;
    std::int64_t last = tics();
    while (true) {
        while (tics() <= last) {  // no tic is due: wait for one, within the frame
            if (!wait()) {
                return;
            }
        }
        const std::int64_t due = std::min<std::int64_t>(tics() - last, 5);
        last = tics();  // at most five, the rest is dropped
        for (std::int64_t i = 0; i < due; ++i, ++tick.value) {
            if (!step(lander, hashes, tick)) {
                return;
            }
        }
    }
}

int main(int, char** arguments) {
    const core::LoopOptions rule{
        .longest_frame = {}, .most_ticks = 5, .negative = core::NegativeTime::repaid};
    auto opened = replay::Playback::open(
        arguments[1], {.schedule = core::Schedule::parse(arguments[2]).value(), .loop = rule});
    if (!opened) {
        std::puts(core::describe(opened.error()).c_str());
        return 1;
    }
    playback = &*opened;
    core::SimulationSetup setup;
    setup.seed = playback->head().session.seed;
    fly(Lander(setup));
    const replay::PlaybackReport report = playback->report();
    std::puts(describe(report).c_str());
    return report.verdict == replay::PlaybackVerdict::identical ? 0 : 1;
}
