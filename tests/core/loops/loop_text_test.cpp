// parse_loop, to_string and what is known about each loop.

#include "loops_support.hpp"

#include <set>
#include <string>

namespace isotick::core {
namespace {

std::string error_of(std::string_view text) {
    const auto options = parse_loop(text);
    return options ? "none" : options.error().message;
}

constexpr std::string_view kCanonicalTexts[] = {
    "accumulator",
    "accumulator(longest-frame=none, most-ticks=5, debt=kept)",
    "accumulator(time-scale=347712371/1000000000, start-phase=1/1)",
    "accumulator(every=4, ramp=1/4 over 500ms, negative=repaid, shortest-frame=4ms)",
    "threaded(longest-frame=1s, most-ticks=18446744073709551615, reread=200us)",
    "canonical(longest-frame=50ms, view=extrapolate, render=stepped)",
    "substeps(display=60000/1001hz)",
    "variable(longest-frame=0.000000001s)",
    "semi-fixed(split=even, most=4.8537ms)",
    "ranged(least=5ms, most=20ms)",
    "growing(most=40ms, steps=3)",
};

TEST(LoopText, ReadsBack) {
    for (const std::string_view text : kCanonicalTexts) {
        const LoopOptions options = options_of(text);
        EXPECT_EQ(options_of(to_string(options)), options) << text;
    }
}

TEST(LoopText, IsCanonical) {
    for (const std::string_view text : kCanonicalTexts) {
        const bool is_spelt_otherwise = text.find("0.000000001s") != std::string_view::npos;
        EXPECT_EQ(to_string(options_of(text)),
                  is_spelt_otherwise ? "variable(longest-frame=1ns)" : text);
    }
}

TEST(LoopText, LeavesOutDefaults) {
    EXPECT_EQ(to_string(options_of("accumulator(longest-frame=250ms, every=1, time-scale=1)")),
              "accumulator");
    EXPECT_EQ(to_string(options_of("fixed()")), "fixed");
}

TEST(LoopText, TakesSpacesAndAnyOrder) {
    EXPECT_EQ(options_of(" ranged ( most = 20ms , least=5ms ) "),
              options_of("ranged(least=5ms, most=20ms)"));
}

TEST(LoopText, KeepsAFractionsTerms) {
    EXPECT_EQ(to_string(options_of("accumulator(time-scale=2/4)")), "accumulator(time-scale=2/4)");
}

TEST(LoopText, HoldsEveryOption) {
    // An option that loop_text forgot would be lost here.
    LoopOptions options;
    std::set<std::string> texts{to_string(options)};
    const auto differs = [&texts](const LoopOptions& changed) {
        return texts.insert(to_string(changed)).second;
    };
    EXPECT_TRUE(differs({.longest_frame = {}}));
    EXPECT_TRUE(differs({.most_ticks = 3}));
    EXPECT_TRUE(differs({.time_scale = {1, 2}}));
    EXPECT_TRUE(differs({.start_phase = {1, 2}}));
    EXPECT_TRUE(differs({.kind = LoopKind::fixed}));
    EXPECT_TRUE(differs({.debt = Debt::kept}));
    EXPECT_TRUE(differs({.negative = NegativeTime::repaid}));
    EXPECT_TRUE(differs({.every = 2}));
    EXPECT_TRUE(differs({.ramp = ScaleRamp{{1, 2}, {1}}}));
    EXPECT_TRUE(differs({.shortest_frame = {1}}));
    EXPECT_TRUE(differs({.reread = {1}}));
    EXPECT_TRUE(differs({.view = View::current}));
    EXPECT_TRUE(differs({.render = RenderWhen::stepped}));
    EXPECT_TRUE(differs({.split = Split::even}));
    EXPECT_TRUE(differs({.least_dt = FrameTime{1}}));
    EXPECT_TRUE(differs({.most_dt = FrameTime{1}}));
    EXPECT_TRUE(differs({.steps = 2}));
    EXPECT_TRUE(differs({.display = TickRate()}));
}

TEST(LoopText, NamesTheColumnAndWhatWasExpected) {
    EXPECT_EQ(
        error_of("acumulator"),
        "at column 1: expected a loop (accumulator, threaded, clock, canonical, reversible, "
        "whole-ticks, substeps, fixed, milliseconds, accumulator-double, clock-double, turns, "
        "variable, semi-fixed, ranged, growing), not 'acumulator'");
    EXPECT_EQ(error_of("fixed(every=2)"),
              "at column 7: expected an option of fixed (shortest-frame), not 'every'");
    EXPECT_EQ(error_of("turns(every=2)"),
              "at column 7: expected ')', for turns has no options, not 'every'");
    EXPECT_EQ(error_of("ranged(least 5ms)"), "at column 14: expected '=', not '5'");
    EXPECT_EQ(error_of("ranged(least=5)"),
              "at column 15: expected a unit (ns, us, ms or s; hz for a rate), not ')'");
    EXPECT_EQ(error_of("ranged(least=5ms most=7ms)"),
              "at column 18: expected ',' or ')', not 'most'");
    EXPECT_EQ(error_of("ranged(least=5ms, least=7ms)"), "at column 19: expected each option once");
    EXPECT_EQ(error_of("ranged(least=5ms"), "at column 17: expected ',' or ')', not the end");
    EXPECT_EQ(error_of("fixed fixed"), "at column 7: expected the end, not 'fixed'");
}

TEST(LoopText, ChecksValues) {
    EXPECT_EQ(error_of("ranged(least=0ms)"), "at column 14: expected a duration above zero");
    EXPECT_EQ(error_of("accumulator(start-phase=3/2)"),
              "at column 25: expected a fraction from 0/1 to 1/1");
    EXPECT_EQ(error_of("accumulator(debt=lost)"),
              "at column 18: expected one of forgotten, kept, reset, not 'lost'");
    EXPECT_EQ(error_of("accumulator(time-scale=1/0)"),
              "at column 26: expected a fraction such as 1/4, its terms from 1 to 1000000000");
    EXPECT_EQ(error_of("accumulator(ramp=1/4 in 500ms)"),
              "at column 22: expected 'over', not 'in'");
    EXPECT_EQ(error_of("accumulator(every=0)"),
              "at column 19: expected a number of ticks from 1 to 1000000000");
    EXPECT_EQ(error_of("accumulator(most-ticks=0)"),
              "at column 24: expected a number of ticks from 1 to 18446744073709551615");
    EXPECT_EQ(error_of("accumulator(reread=-1ns)"),
              "at column 20: expected a duration that is not negative");
    EXPECT_EQ(error_of(std::string(5000, ' ')),
              "at column 4097: expected at most 4096 bytes of text");
}

TEST(LoopOptions, RefusesWhatTheKindDoesNotHave) {
    EXPECT_EQ(refusal({.time_scale = {1, 2}, .kind = LoopKind::fixed}),
              "the loop fixed has no option time-scale");
    EXPECT_EQ(refusal({.kind = LoopKind::accumulator, .least_dt = FrameTime{5}}),
              "the loop accumulator has no option least");
    EXPECT_EQ(refusal({.kind = LoopKind::fixed}), "none");
}

TEST(LoopOptions, RefusesWhatIsOutOfRange) {
    EXPECT_EQ(refusal({.every = 0}),
              "the loop's every must be a number of ticks from 1 to 1000000000");
    EXPECT_EQ(refusal({.kind = LoopKind::growing, .steps = 0}),
              "the loop's steps must be a number of steps above zero");
    EXPECT_EQ(refusal({.kind = static_cast<LoopKind>(99)}),
              "the loop's kind must be one of LoopKind");
    EXPECT_EQ(refusal({.debt = static_cast<Debt>(9)}), "the loop's debt must be one of its values");
    EXPECT_EQ(refusal({.ramp = ScaleRamp{{1, 2}, {0}}}),
              "the loop's ramp must be a fraction whose terms are at most 1000000 over a duration "
              "from 1ns to 1000s");
    EXPECT_EQ(refusal({.debt = Debt::kept, .ramp = ScaleRamp{{1, 2}, {5}}}),
              "a loop's ramp does not go with debt or reread");
}

TEST(AccumulatorLoop, RefusesOptionsOfOtherLoops) {
    const auto made = AccumulatorLoop::make(TickRate(), {.every = 2});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::usage);
}

TEST(LoopInfo, ComesInTheOrderOfTheKinds) {
    for (std::size_t i = 0; i < loops().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(loops()[i].kind), i) << loops()[i].name;
        EXPECT_EQ(&info_of(loops()[i].kind), &loops()[i]);
    }
    EXPECT_EQ(loops().back().kind, LoopKind::growing);
}

TEST(LoopInfo, NamesOptionsThatParse) {
    for (const LoopInfo& info : loops()) {
        for (const std::string_view option : info.options) {
            const std::string text = std::string(info.name) + "(" + std::string(option) + "=)";
            EXPECT_NE(error_of(text).find("column " + std::to_string(text.size())),
                      std::string::npos)
                << error_of(text);
        }
    }
}

TEST(LoopInfo, KnowsWhichLoopsCannotVary) {
    EXPECT_TRUE(varies_ticks_per_frame(options_of("accumulator")));
    EXPECT_TRUE(varies_ticks_per_frame(options_of("substeps")));
    for (const char* text : {"fixed", "variable", "substeps(display=60hz)"}) {
        EXPECT_FALSE(varies_ticks_per_frame(options_of(text))) << text;
    }
}

}  // namespace
}  // namespace isotick::core
