// Frames that are kept hold the same ticks at the same alpha, whatever becomes of the others.

#include "frame_model.hpp"
#include "study/frame_runs.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::FrameTime;
using core::Tick;
using Frames = std::vector<FrameTime>;

constexpr std::uint64_t kLastTick = 400;

Frames frames_up_to(std::uint64_t tick, const core::Schedule& schedule, const ShrinkLoop& loop) {
    core::FrameSource source = schedule.frames(loop.rate);
    auto made = core::AccumulatorLoop::make(loop.rate, loop.options).value();
    Frames frames;
    for (std::uint64_t ticks = 0; ticks <= tick;) {
        frames.push_back(source.next());
        ticks += made.advance(frames.back()).ticks;
    }
    return frames;
}

/// What the simulation sees of a frame: which ticks fell in it, and alpha.
using Seen = std::pair<std::pair<std::uint64_t, std::uint64_t>, double>;

std::vector<Seen> seen_in(const Frames& frames, const ShrinkLoop& loop) {
    auto made = core::AccumulatorLoop::make(loop.rate, loop.options).value();
    std::vector<Seen> seen;
    std::uint64_t ticks = 0;
    for (const FrameTime time : frames) {
        const core::FramePlan plan = made.advance(time);
        seen.push_back({{ticks, plan.ticks}, plan.alpha});
        ticks += plan.ticks;
    }
    return seen;
}

std::vector<ShrinkLoop> loops() {
    std::vector<ShrinkLoop> loops(4);
    loops[1].rate = core::TickRate::make(60'000, 1001).value();
    loops[1].options.start_phase = {1, 3};
    loops[2].options.longest_frame.reset();
    loops[2].options.most_ticks = 4;
    loops[3].options.time_scale = {1, 4};
    return loops;
}

TEST(OriginalFrames, StayAsTheyWereWhereAllAreKept) {
    for (const ShrinkLoop& loop : loops()) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            const auto schedule = core::random_schedule(seed, loop.rate);
            const Frames frames = frames_up_to(kLastTick, schedule, loop);
            const auto original = OriginalFrames::make(frames, Tick{kLastTick}, loop).value();
            const PlacedFrames placed =
                original.place(KeptFrames(original.size(), true), Tick{kLastTick});
            ASSERT_EQ(tests::frames_in(placed.runs, loop.rate), frames) << schedule.to_string();
            EXPECT_EQ(placed.reached, frames.size());
        }
    }
}

KeptFrames some_of(std::size_t frames, std::uint64_t seed) {
    core::Pcg32 random(seed);
    KeptFrames kept(frames, false);
    for (std::size_t i = 0; i < frames; ++i) {
        kept[i] = i > 0 && kept[i - 1] ? random.chance(3, 4) : random.chance(1, 20);
    }
    return kept;
}

// Not all: where a long frame was cut or ticks were given up, a nominal frame in its place leaves
// the loop ahead, and there may be none to shorten.
TEST(OriginalFrames, HoldTheSameTicksWhereOthersAreNominal) {
    for (const ShrinkLoop& loop : loops()) {
        std::size_t same = 0;
        std::size_t all = 0;
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            const auto schedule = core::random_schedule(seed, loop.rate);
            const Frames frames = frames_up_to(kLastTick, schedule, loop);
            const auto original = OriginalFrames::make(frames, Tick{kLastTick}, loop).value();
            const KeptFrames kept = some_of(original.size(), seed);
            const FrameRuns placed = original.place(kept, Tick{kLastTick}).runs;
            const std::vector<Seen> before = seen_in(frames, loop);
            const std::vector<Seen> after = seen_in(tests::frames_in(placed, loop.rate), loop);
            const std::set<Seen> there(after.begin(), after.end());
            for (std::size_t i = 0; i < kept.size(); ++i) {
                all += kept[i] ? 1U : 0U;
                same += kept[i] && there.contains(before[i]) ? 1U : 0U;
            }
        }
        EXPECT_GT(all, 1000U);
        EXPECT_GE(1000 * same, (loop.options.most_ticks ? 900 : 998) * all) << same << "/" << all;
    }
}

TEST(OriginalFrames, EndWithTheFrameOfTheTick) {
    for (const ShrinkLoop& loop : loops()) {
        const auto schedule = core::Schedule::parse("mix(seed=3)").value();
        const Frames frames = frames_up_to(kLastTick, schedule, loop);
        const auto original = OriginalFrames::make(frames, Tick{kLastTick}, loop).value();
        for (const std::uint64_t until : {0U, 1U, 77U, 300U, 400U}) {
            for (const bool keep : {false, true}) {
                const KeptFrames kept(original.size(), keep);
                const FrameRuns runs = original.place(kept, Tick{until}).runs;
                const auto seen = seen_in(tests::frames_in(runs, loop.rate), loop);
                EXPECT_LE(seen.back().first.first, until);
                EXPECT_GT(seen.back().first.first + seen.back().first.second, until);
            }
        }
    }
}

// A checkpoint in front of a frame holds for all candidates that differ from there on.
TEST(OriginalFrames, AreSharedUpToTheFirstThatDiffers) {
    const ShrinkLoop loop;
    const Frames frames =
        frames_up_to(kLastTick, core::Schedule::parse("mix(seed=5)").value(), loop);
    const auto original = OriginalFrames::make(frames, Tick{kLastTick}, loop).value();
    KeptFrames kept(original.size(), true);
    for (std::size_t first = 0; first < original.size(); first += 7) {
        std::fill(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first), false);
        const PlacedFrames one = original.place(kept, Tick{kLastTick});
        KeptFrames none(original.size(), false);
        const Frames shared = tests::frames_in(one.runs, loop.rate);
        const Frames nominal =
            tests::frames_in(original.place(none, Tick{kLastTick}).runs, loop.rate);
        const auto end = static_cast<std::ptrdiff_t>(one.before[first]);
        ASSERT_TRUE(std::equal(shared.begin(), shared.begin() + end, nominal.begin())) << first;
    }
}

}  // namespace
}  // namespace isotick::harness
