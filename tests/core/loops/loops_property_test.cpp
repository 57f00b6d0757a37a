// What must hold for every loop under any schedule: hundreds of thousands of frames each, of
// schedules drawn from the whole family.

#include "loops_support.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string>

namespace isotick::core {
namespace {

using Units = AccumulatorLoop::Units;

constexpr std::uint64_t kSeed = 20'040'610;
constexpr std::uint64_t kSchedules = 100;
constexpr std::uint64_t kFrames = 2'000;

// A function of what has happened so far, called after every frame.
using Check = std::function<void(Loop&, FrameTime, const HostFrame&)>;

// Runs a fresh loop under each of many schedules; `make_check` makes what looks at it.
void for_every_schedule(std::string_view text, std::string_view rate_text,
                        const std::function<Check()>& make_check) {
    const TickRate rate = TickRate::parse(rate_text).value();
    for (std::uint64_t trial = 0; trial < kSchedules; ++trial) {
        const Schedule schedule = random_schedule(derive_seed(kSeed, {trial}), rate);
        SCOPED_TRACE(std::string(text) + " under " + schedule.to_string());
        Loop loop = loop_of(text, rate_text);
        FrameSource frames = schedule.frames(rate);
        const Check check = make_check();
        for (std::uint64_t frame = 0; frame < kFrames && !testing::Test::HasFailure(); ++frame) {
            const FrameTime frame_time = frames.next();
            check(loop, frame_time, loop.advance(frame_time));
        }
        ASSERT_FALSE(testing::Test::HasFailure());
    }
}

std::uint64_t fed_of(FrameTime frame_time, const HostFrame& frame) {
    const std::int64_t lasted = std::max<std::int64_t>(frame_time.nanoseconds, 0);
    return static_cast<std::uint64_t>(lasted + frame.wait.nanoseconds - frame.plan.cut.nanoseconds);
}

std::string test_name(const testing::TestParamInfo<const char*>& tested) {
    std::string name = tested.param;
    std::erase_if(name, [](char character) { return !std::isalnum(character); });
    return name;
}

class EveryLoop : public testing::TestWithParam<const char*> {};

// The most that the default 250 ms are at 60 Hz: 15 ticks, and one that was almost due. Loops that
// round or stockpile may have one more.
constexpr std::uint64_t kBound = 17;

TEST_P(EveryLoop, HasAlphaInRangeAndBoundedWork) {
    const LoopOptions options = options_of(GetParam());
    const std::uint64_t most = options.most_ticks.value_or(kBound);
    const bool is_constant = info_of(options.kind).constant_dt;
    for_every_schedule(GetParam(), "60hz", [&]() -> Check {
        return [&](Loop&, FrameTime, const HostFrame& frame) {
            ASSERT_TRUE(frame.plan.alpha >= 0 && frame.plan.alpha < 1) << frame.plan.alpha;
            ASSERT_LE(frame.plan.ticks, most);
            ASSERT_TRUE(frame.plan.ticks == 0 || frame.back == 0);
            ASSERT_EQ(frame.dt.has_value(), !is_constant && frame.plan.ticks > 0);
            ASSERT_TRUE(!frame.dt ||
                        (frame.dt->each.numerator > 0 && frame.dt->last.numerator > 0));
            ASSERT_GE(frame.plan.cut.nanoseconds, 0);
            ASSERT_GE(frame.wait.nanoseconds, 0);
        };
    });
}

// A host whose steps take half as long again as the time they simulate: the spiral of death.
TEST_P(EveryLoop, DoesNotSpiral) {
    const LoopOptions options = options_of(GetParam());
    Loop loop = loop_of(GetParam(), "60hz");
    std::int64_t frame_time = 20 * kMillisecond;
    for (int frame = 0; frame < 1000; ++frame) {
        const std::uint64_t ticks = loop.advance({frame_time}).plan.ticks;
        ASSERT_LE(ticks, options.most_ticks.value_or(kBound)) << "frame " << frame;
        frame_time = kMillisecond + static_cast<std::int64_t>(ticks) * 25 * kMillisecond;
    }
}

TEST_P(EveryLoop, RecoversFromAHitch) {
    const LoopOptions options = options_of(GetParam());
    Loop loop = loop_of(GetParam(), "60hz");
    (void)loop.advance({100'000 * kMillisecond});
    // What is owed of 100 s is worked off at two ticks or more a frame, where a frame brings one.
    const int patience = options.debt == Debt::kept ? 6'001 : 1;
    for (int frame = 0; frame < patience; ++frame) {
        (void)loop.advance({16'666'666});
    }
    std::uint64_t ticks = 0;
    for (int frame = 0; frame < 60; ++frame) {
        const std::uint64_t now = loop.advance({16'666'666}).plan.ticks;
        ASSERT_LE(now, 2U) << "frame " << frame;
        ticks += now;
    }
    EXPECT_LE(ticks, 63U);
}

INSTANTIATE_TEST_SUITE_P(
    Of, EveryLoop,
    testing::Values("accumulator", "threaded", "canonical", "canonical(longest-frame=50ms)",
                    "reversible", "whole-ticks", "whole-ticks(most-ticks=3)", "substeps",
                    "substeps(display=60hz)", "fixed", "milliseconds", "accumulator-double",
                    "accumulator-double(start-phase=1/1)", "variable", "semi-fixed",
                    "semi-fixed(split=even)", "semi-fixed(most-ticks=3)", "ranged",
                    "ranged(least=17ms, most=40ms, most-ticks=2)", "growing",
                    "accumulator(most-ticks=2, debt=kept)", "accumulator(most-ticks=5, debt=reset)",
                    "accumulator(every=3)", "accumulator(time-scale=347712371/1000000000)",
                    "accumulator(ramp=1/4 over 2s)", "accumulator(negative=repaid, reread=5ms)",
                    "accumulator(shortest-frame=4ms, start-phase=1/1)"),
    test_name);

// The planted fault that the test above would find: nothing limits this one.
TEST(ClockLoop, SpiralsForNothingLimitsIt) {
    Loop loop = loop_of("clock", "60hz");
    std::int64_t frame_time = 20 * kMillisecond;
    std::uint64_t ticks = 0;
    for (int frame = 0; frame < 50; ++frame) {
        ticks = loop.advance({frame_time}).plan.ticks;
        frame_time = kMillisecond + static_cast<std::int64_t>(ticks) * 25 * kMillisecond;
    }
    EXPECT_GT(ticks, 1'000'000U);
}

class ExactLoop : public testing::TestWithParam<const char*> {};

// start + fed × per nanosecond = held + ticks due × per tick, as AccumulatorLoop states it.
TEST_P(ExactLoop, ConservesTime) {
    const LoopOptions options = options_of(GetParam());
    for (const char* rate : {"60hz", "60000/1001hz", "7/3hz"}) {
        for_every_schedule(GetParam(), rate, [&]() -> Check {
            return [&, fed = Units{0}, run = Units{0}](Loop& loop, FrameTime frame_time,
                                                       const HostFrame& frame) mutable {
                const AccumulatorLoop& accumulator = *loop.accumulator();
                fed += fed_of(frame_time, frame);
                run += Units{frame.plan.ticks} + frame.plan.given_up;
                const auto owed = static_cast<std::uint64_t>(frame.owed.nanoseconds);
                const Units used = accumulator.start() +
                                   (fed - owed) * accumulator.per_nanosecond() - accumulator.held();
                ASSERT_TRUE(used % accumulator.per_tick() == 0);
                const Units due = used / accumulator.per_tick();
                ASSERT_TRUE(run * options.every <= due && due < (run + 1) * options.every);
            };
        });
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, ExactLoop,
    testing::Values("accumulator", "clock", "canonical(longest-frame=60ms)", "whole-ticks",
                    "whole-ticks(most-ticks=2)", "accumulator(every=7, most-ticks=2)",
                    "accumulator(debt=kept, most-ticks=2)", "accumulator(debt=kept)",
                    "accumulator(debt=kept, every=3, most-ticks=1)",
                    "accumulator(debt=reset, most-ticks=3, every=2)",
                    "accumulator(time-scale=347712371/1000000000, start-phase=1/3)",
                    "accumulator(shortest-frame=4ms)"),
    test_name);

// By an independent route: TickRate::time_of.
TEST(ClockLoop, HasDoneTheTicksWhoseTimeHasCome) {
    const TickRate rate = TickRate::parse("60000/1001hz").value();
    for_every_schedule("clock", "60000/1001hz", [&]() -> Check {
        return [&, now = std::int64_t{0}, done = std::uint64_t{0}](Loop&, FrameTime frame_time,
                                                                   const HostFrame& frame) mutable {
            now += std::max<std::int64_t>(frame_time.nanoseconds, 0);
            done += frame.plan.ticks;
            ASSERT_TRUE(rate.time_of(done) <= now && now < rate.time_of(done + 1));
        };
    });
}

TEST(WholeTicksLoop, EndsEveryFrameAtATick) {
    const TickRate rate = TickRate::parse("60000/1001hz").value();
    for_every_schedule("whole-ticks", "60000/1001hz", [&]() -> Check {
        return [&, now = std::int64_t{0}, done = std::uint64_t{0}](Loop&, FrameTime frame_time,
                                                                   const HostFrame& frame) mutable {
            now += static_cast<std::int64_t>(fed_of(frame_time, frame));
            done += frame.plan.ticks;
            ASSERT_EQ(rate.time_of(done), now);
        };
    });
}

TEST(ReversibleLoop, IsWhereTheTimeIs) {
    const TickRate rate;
    for_every_schedule("reversible(longest-frame=none)", "60hz", [&]() -> Check {
        return [&, now = std::int64_t{0}, done = std::uint64_t{0}](Loop&, FrameTime frame_time,
                                                                   const HostFrame& frame) mutable {
            now = std::max<std::int64_t>(now + frame_time.nanoseconds, 0);
            done = done + frame.plan.ticks - frame.back;
            ASSERT_TRUE(rate.time_of(done) <= now && now < rate.time_of(done + 1));
        };
    });
}

// Zarkow's quarter speed and Fiedler's are the same ticks.
TEST(EveryNthTick, IsATimeScaleOfOneNth) {
    Loop scaled = loop_of("accumulator(time-scale=1/4)", "60000/1001hz");
    for_every_schedule("accumulator(every=4)", "60000/1001hz", [&]() -> Check {
        return [twin = scaled](Loop&, FrameTime frame_time, const HostFrame& frame) mutable {
            const HostFrame other = twin.advance(frame_time);
            ASSERT_EQ(frame.plan.ticks, other.plan.ticks);
            ASSERT_NEAR(frame.plan.alpha, other.plan.alpha, 1e-6);
        };
    });
}

// `length` in units of 1/whole seconds; it must be a whole number of them.
Units in_units(Fraction length, Units whole) {
    EXPECT_TRUE(whole % length.denominator == 0) << length.denominator;
    return length.numerator * (whole / length.denominator);
}

class ChangingLoops : public testing::TestWithParam<const char*> {};

TEST_P(ChangingLoops, StepExactlyTheTimeFed) {
    const LoopOptions options = options_of(GetParam());
    for_every_schedule(GetParam(), "60hz", [&]() -> Check {
        return [&, before = Fraction{0, 1}](Loop& loop, FrameTime frame_time,
                                            const HostFrame& frame) mutable {
            // A nanosecond, a tick and an even part of a frame are whole numbers of these.
            const Units whole = Units{60} * kNanosecondsPerSecond *
                                (options.split == Split::even ? frame.plan.ticks : 1);
            if (whole == 0) {
                return;
            }
            Units stepped = 0;
            if (frame.dt) {
                stepped = (frame.plan.ticks - 1) * in_units(frame.dt->each, whole) +
                          in_units(frame.dt->last, whole);
            }
            const Units fed = in_units({fed_of(frame_time, frame), kNanosecondsPerSecond}, whole);
            ASSERT_TRUE(in_units(before, whole) + fed ==
                        stepped + in_units(loop.stockpile(), whole));
            before = loop.stockpile();
        };
    });
}

INSTANTIATE_TEST_SUITE_P(Of, ChangingLoops,
                         testing::Values("variable", "variable(longest-frame=none)", "semi-fixed",
                                         "semi-fixed(split=even)", "semi-fixed(most=4.8537ms)",
                                         "semi-fixed(most-ticks=2)", "ranged",
                                         "ranged(least=17ms, most=40ms, most-ticks=2)"),
                         test_name);

TEST(GrowingLoop, StepsTheTicksOfTheAccumulator) {
    for_every_schedule("growing(steps=2)", "60hz", [&]() -> Check {
        return [accumulator = loop_of("accumulator", "60hz"), due = std::uint64_t{0},
                done = std::uint64_t{0}](Loop&, FrameTime frame_time,
                                         const HostFrame& frame) mutable {
            due += accumulator.advance(frame_time).plan.ticks;
            if (frame.dt) {
                done += frame.plan.ticks * static_cast<std::uint64_t>(in_units(frame.dt->each, 60));
            }
            ASSERT_TRUE(done <= due && due < done + 8);
        };
    });
}

}  // namespace
}  // namespace isotick::core
