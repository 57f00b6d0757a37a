#include "bounce.hpp"

#include <isotick/replay/playback.hpp>
#include <isotick/replay/recorder.hpp>
#include <isotick/replay/state_hashes.hpp>

#include <algorithm>
#include <cstdio>

namespace core = isotick::core;
namespace replay = isotick::replay;

// A game with a main loop of its own: 60 ticks a second, however long a frame takes.
struct Game {
    Bounce ball;
    core::Tick tick;
    std::int64_t waiting_ns = 0;
    replay::StateHashes hashes;

    void step(std::span<const isotick_input> inputs) {
        ball.step({tick, 1.0 / 60, 1, 60, core::Inputs(inputs)});
        ++tick.value;
    }

    template <class RunTick>
    void frame(std::int64_t frame_time_ns, const RunTick& run_tick) {
        constexpr std::int64_t kTick = 16'666'667;
        waiting_ns += std::clamp<std::int64_t>(frame_time_ns, 0, 250'000'000);
        for (; waiting_ns >= kTick && run_tick(tick); waiting_ns -= kTick) {
        }
    }
};

// The match is played and recorded: one call per tick; another thread writes the file.
static core::Result<void> record(const char* path) {
    Game game;
    replay::RecordingHead head{.session = {.simulation = "bounce", .players = 1}};
    const replay::TickHashes initial = game.hashes(game.ball);
    head.part_names = game.hashes.part_names();
    auto recorder = replay::Recorder::create(path, head, initial);
    if (!recorder) {
        return tl::unexpected(recorder.error());
    }
    for (int frame = 0; frame < 1000; ++frame) {  // your main loop, your clock, your gamepad
        game.frame(7'000'000, [&](core::Tick tick) {
            const auto kick = static_cast<std::uint8_t>(frame % 100 < 2 ? 3 : 0);
            const isotick_input inputs[] = {{0, kick != 0, kick != 0, &kick},
                                            {ISOTICK_WORLD, 0, 0, nullptr}};
            game.step(inputs);
            const auto recorded =
                recorder->record(tick, inputs, [&] { return game.hashes(game.ball); });
            if (!recorded) {  // said once; the match goes on without a recording
                std::fprintf(stderr, "%s\n", core::describe(recorded.error()).c_str());
            }
            return true;
        });
    }
    return recorder->finish(game.hashes(game.ball));
}

// The same loop, with frame times that no player would have patience for.
static core::Result<replay::PlaybackReport> play(const char* path, const char* schedule) {
    Game game;
    auto playback =
        replay::Playback::open(path, {.schedule = core::Schedule::parse(schedule).value()});
    if (!playback) {
        return tl::unexpected(playback.error());
    }
    return playback->run([&](core::FrameTime frame_time) {
        game.frame(frame_time.nanoseconds, [&](core::Tick tick) {
            const auto inputs = playback->inputs(tick);
            if (!inputs) {
                return false;  // it is over
            }
            game.step(*inputs);
            return playback->check(tick, [&] { return game.hashes(game.ball); });
        });
    });
}

int main(int, char** arguments) {
    const auto recorded = record(arguments[1]);
    const auto report = recorded.and_then([&] { return play(arguments[1], "mix(seed=7)"); });
    std::puts(report ? describe(*report).c_str() : core::describe(report.error()).c_str());
    return report && report->verdict == replay::PlaybackVerdict::identical ? 0 : 1;
}
