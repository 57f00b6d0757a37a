// Each planted fault is left with the frames that it needs, in few trials.

#include "frame_model.hpp"

#include <isotick/core/schedule.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::FrameTime;
using core::Tick;
using tests::Fault;
using tests::FrameFacts;
using Frames = std::vector<FrameTime>;

constexpr std::size_t kFrames = 36'000;
const ShrinkLoop kLoop;

/// Jittered frames, some of them longer.
Frames jitter_and_hitches() {
    Frames frames = tests::frames_of("jitter(60hz, 3ms, seed=7)", kFrames);
    const Frames hitches = tests::frames_of("hitches(60hz, 120ms, every=100, seed=3)", kFrames);
    const Frames nominal = tests::frames_of("60hz", kFrames);
    for (std::size_t i = 0; i < kFrames; ++i) {
        frames[i].nanoseconds += hitches[i].nanoseconds - nominal[i].nanoseconds;
    }
    return frames;
}

ShrunkSchedule shrink(const Frames& frames, const Fault& fault, const ShrinkLimits& limits = {},
                      bool shares = true) {
    const auto tick = tests::divergence_of(frames, kLoop, fault);
    EXPECT_TRUE(tick) << "the fault does not show";
    const ScheduleToShrink original{frames, tick.value_or(Tick{}), kLoop};
    auto shrunk =
        shrink_schedule(original, tests::ModelRunner(kLoop, fault, shares), limits).value();
    EXPECT_LE(shrunk.diverged_at, original.diverged_at);
    testing::Test::RecordProperty("from", std::to_string(original.diverged_at.value));
    testing::Test::RecordProperty("to", std::to_string(shrunk.diverged_at.value));
    testing::Test::RecordProperty("trials", std::to_string(shrunk.effort.trials));
    testing::Test::RecordProperty("ticks", std::to_string(shrunk.effort.ticks));
    testing::Test::RecordProperty("schedule", shrunk.schedule.to_string().substr(0, 100));
    return shrunk;
}

struct Planted {
    const char* name;
    Frames (*frames)();
    Fault fault;
    const char* left;  // by which schedule it is shown in the end
    std::uint64_t most_trials;
    std::uint64_t most_ticks;
};

void PrintTo(const Planted& planted, std::ostream* out) {
    *out << planted.name;
}

class PlantedInFrames : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedInFrames, IsLeftWithWhatItNeeds) {
    const Planted& planted = GetParam();
    const ShrunkSchedule shrunk = shrink(planted.frames(), planted.fault);
    EXPECT_EQ(shrunk.schedule.to_string(), planted.left);
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::complete);
    EXPECT_LE(shrunk.effort.trials, planted.most_trials);
    EXPECT_LE(shrunk.effort.ticks, planted.most_ticks);
}

// The shrunk frames are not only what some candidate was: run by themselves they fail.
TEST_P(PlantedInFrames, ShowsInTheScheduleThatIsLeft) {
    const Planted& planted = GetParam();
    const ShrunkSchedule shrunk = shrink(planted.frames(), planted.fault);
    core::FrameSource source = shrunk.schedule.frames(kLoop.rate);
    Frames frames;
    for (std::uint64_t i = 0; i < frames_of(shrunk.runs); ++i) {
        frames.push_back(source.next());
    }
    EXPECT_EQ(tests::divergence_of(frames, kLoop, planted.fault), shrunk.diverged_at);
    frames.pop_back();
    EXPECT_EQ(tests::divergence_of(frames, kLoop, planted.fault), std::nullopt);
}

Frames bursts() {
    return tests::frames_of("burst(60hz, 40x1ns, every=900, seed=8)", kFrames);
}
Frames three_thousand_hz() {
    return tests::frames_of("jitter(3000hz, 300us, seed=8)", kFrames);
}

bool four_ticks_early(const FrameFacts& f) {
    return f.tick_in_frame >= 3 && f.tick >= 2000;
}
bool four_ticks_late(const FrameFacts& f) {
    return f.tick_in_frame >= 3 && f.tick >= 33'000;
}
bool shows_late(const FrameFacts& f) {
    return f.tick >= 20'000 && f.hitched && *f.hitched < 2200 && *f.hitched > 10;
}
bool two_hitches(const FrameFacts& f) {
    return f.longest_gap >= 100 && f.tick > 3000;
}
bool far_hitches(const FrameFacts& f) {
    return f.hitches > 2 && f.longest_gap >= 10'000 && f.tick > 30'000;
}
bool idle_frames(const FrameFacts& f) {
    return f.idle_frames >= 30 && f.tick > 500;
}
bool frame_count(const FrameFacts& f) {
    return f.frames > 2500 && f.frames != f.tick + 1;
}
bool slow_frames(const FrameFacts& f) {
    return f.frames + 150 < f.tick;
}
bool sum_of_times(const FrameFacts& f) {
    return f.tick > 1000 && f.sum_ns % 1000 > 700;
}
bool nominal_too(const FrameFacts& f) {
    return f.tick == 7000;
}
bool last_frame(const FrameFacts& f) {
    return f.tick > 5000 && f.ticks_in_frame == 2;
}
bool odd_frames(const FrameFacts& f) {
    return f.tick > 5000 && f.odd_frames * 3 > f.frames;
}

Frames long_hitch() {
    return tests::frames_of("1200xnominal, 1.234567s, nominal", 2000);
}
bool longer_than_the_loop_takes(const FrameFacts& f) {
    return f.tick >= 500 && f.time.nanoseconds > 1'210'000'000;
}

INSTANTIATE_TEST_SUITE_P(
    Fault, PlantedInFrames,
    ::testing::Values(
        Planted{"FourTicksInAFrame", jitter_and_hitches, four_ticks_early, "1997xnominal, 67ms", 60,
                kFrames},
        Planted{"FourTicksInAFrameLate", jitter_and_hitches, four_ticks_late, "32997xnominal, 67ms",
                60, 3 * kFrames},
        Planted{"ShowsLate", jitter_and_hitches, shows_late, "2171xnominal, 67ms, 17826xnominal",
                60, 15 * kFrames},
        Planted{"TwoHitches", jitter_and_hitches, two_hitches,
                "2705xnominal, 67ms, 99xnominal, 67ms, 190xnominal", 60, kFrames},
        Planted{"ThreeHitches", jitter_and_hitches, far_hitches,
                "19219xnominal, 67ms, 9808xnominal, 67ms, 190xnominal, 67ms, 773xnominal", 120,
                20 * kFrames},
        Planted{"ThirtyIdleFramesOfABurst", bursts, idle_frames, "670xnominal, 29x0ms, 2xnominal",
                60, kFrames},
        Planted{"ThirtyIdleFrames", three_thousand_hz, idle_frames,
                "501xnominal, 30x0ms, 1xnominal", 60, kFrames},
        Planted{"NumberOfFrames", jitter_and_hitches, frame_count, "2498xnominal, 0ms, 2xnominal",
                60, kFrames},
        Planted{"FewerFramesThanTicks", jitter_and_hitches, slow_frames, "1900x18ms", 60,
                3 * kFrames},
        Planted{"SumOfFrameTimes", jitter_and_hitches, sum_of_times, "1002xnominal, 28.407807ms",
                60, kFrames},
        Planted{"NominalToo", jitter_and_hitches, nominal_too, "nominal", 1, 7001},
        Planted{"LongerThanTheLoopTakes", long_hitch, longer_than_the_loop_takes,
                "486xnominal, 1.3s", 60, kFrames},
        Planted{"LastFrame", jitter_and_hitches, last_frame, "5000xnominal, 34ms", 60, kFrames},
        Planted{"ManyOddFrames", jitter_and_hitches, odd_frames,
                "2958xnominal, 1762x14ms, 564xnominal", 60, 3 * kFrames}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(ShrinkSchedule, NeedsNoCheckpoints) {
    const Frames frames = jitter_and_hitches();
    const ShrunkSchedule shared = shrink(frames, four_ticks_late);
    const ShrunkSchedule alone = shrink(frames, four_ticks_late, {}, false);
    EXPECT_EQ(alone.runs, shared.runs);
    EXPECT_EQ(alone.effort.trials, shared.effort.trials);
    EXPECT_GT(alone.effort.ticks, 5 * shared.effort.ticks);
}

/// Fails only where every frame time up to the tick is the original one.
Fault every_frame_counts(const Frames& frames) {
    std::uint64_t chain = 0;
    const Fault last = [&chain](const FrameFacts& facts) {
        chain = facts.chain;
        return facts.tick == 5000;
    };
    EXPECT_TRUE(tests::divergence_of(frames, kLoop, last));
    return [chain](const FrameFacts& facts) { return facts.chain == chain; };
}

TEST(ShrinkSchedule, EndsWhereEveryFrameIsNeeded) {
    const Frames frames = jitter_and_hitches();
    const ShrunkSchedule shrunk = shrink(frames, every_frame_counts(frames));
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::complete);
    EXPECT_LE(shrunk.effort.trials, 150U);
    const std::uint64_t left = frames_of(shrunk.runs);
    EXPECT_EQ(tests::frames_in(shrunk.runs, kLoop.rate),
              Frames(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(left)));
}

/// Six frames in a row as they were and one that comes 25 later.
TEST(ShrinkSchedule, LeavesNoFrameThatWasKeptUnasked) {
    const Frames frames = jitter_and_hitches();
    const ScheduleRunner run = [&](const ScheduleCandidate& candidate) {
        std::size_t seen = 0;
        for (const FrameTime time : tests::frames_in(candidate.runs, kLoop.rate)) {
            const bool next = seen < 7 && time == frames[seen < 6 ? 101 + seen : 131];
            seen += next ? 1U : 0U;
        }
        return core::Result<RanCandidate>(
            RanCandidate{seen == 7 ? std::optional(candidate.until) : std::nullopt, 1});
    };
    const ShrunkSchedule shrunk = shrink_schedule({frames, Tick{400}, kLoop}, run, {}).value();
    std::uint64_t odd = 0;
    for (const FrameRun& frame_run : shrunk.runs) {
        odd += frame_run.time ? frame_run.count : 0;
    }
    EXPECT_LE(odd, 9U) << shrunk.schedule.to_string();
}

TEST(ShrinkSchedule, KeepsTheBestSoFarWhereTheBudgetEnds) {
    const Frames frames = jitter_and_hitches();
    for (std::uint64_t trials = 0; trials <= 12; ++trials) {
        ShrinkLimits limits;
        limits.most_trials = trials;
        const ShrunkSchedule shrunk = shrink(frames, two_hitches, limits);
        EXPECT_EQ(shrunk.effort.end, ShrinkEnd::out_of_budget);
        EXPECT_EQ(shrunk.effort.trials, trials);
        EXPECT_EQ(
            tests::divergence_of(tests::frames_in(shrunk.runs, kLoop.rate), kLoop, two_hitches),
            shrunk.diverged_at);
    }
}

TEST(ShrinkSchedule, EndsWhereTheTicksAreSpent) {
    ShrinkLimits limits;
    limits.most_ticks = 20'000;
    const ShrunkSchedule shrunk = shrink(jitter_and_hitches(), shows_late, limits);
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::out_of_budget);
    EXPECT_EQ(shrunk.effort.trials, 1U);
}

TEST(ShrinkSchedule, EndsWhenItIsStopped) {
    ShrinkLimits limits;
    int asked = 0;
    limits.stop = [&asked] { return ++asked > 5; };
    const ShrunkSchedule shrunk = shrink(jitter_and_hitches(), two_hitches, limits);
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::stopped);
    EXPECT_EQ(shrunk.effort.trials, 5U);
}

TEST(ShrinkSchedule, EndsWhereTheRunnerFails) {
    const Frames frames = jitter_and_hitches();
    const ScheduleToShrink original{frames, *tests::divergence_of(frames, kLoop, last_frame),
                                    kLoop};
    const ScheduleRunner failing = [](const ScheduleCandidate&) -> core::Result<RanCandidate> {
        return core::fail(core::ErrorCode::io, "no more processes");
    };
    const ShrunkSchedule shrunk = shrink_schedule(original, failing, {}).value();
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::runner_failed);
    EXPECT_EQ(shrunk.effort.error->message, "no more processes");
    EXPECT_EQ(shrunk.diverged_at, original.diverged_at);
}

TEST(ShrinkSchedule, TakesNoLaterDivergence) {
    const Frames frames = tests::frames_of("jitter(60hz, 3ms, seed=7)", 500);
    const ScheduleRunner later = [](const ScheduleCandidate& candidate) {
        return core::Result<RanCandidate>(RanCandidate{Tick{candidate.until.value + 1}, 1});
    };
    const ShrunkSchedule shrunk = shrink_schedule({frames, Tick{300}, kLoop}, later, {}).value();
    EXPECT_EQ(shrunk.diverged_at, Tick{300});
    EXPECT_EQ(tests::frames_in(shrunk.runs, kLoop.rate),
              Frames(frames.begin(),
                     frames.begin() + static_cast<std::ptrdiff_t>(frames_of(shrunk.runs))));
}

TEST(ShrinkSchedule, RefusesFramesThatEndBeforeTheTick) {
    const ScheduleRunner never = [](const ScheduleCandidate&) -> core::Result<RanCandidate> {
        return RanCandidate{};
    };
    const auto shrunk = shrink_schedule({jitter_and_hitches(), Tick{100'000}, kLoop}, never, {});
    ASSERT_FALSE(shrunk);
    EXPECT_EQ(shrunk.error().message, "the frames to shrink end before tick 100000");
}

}  // namespace
}  // namespace isotick::harness
