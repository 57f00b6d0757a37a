// What drives a trial as one line of text, and the axes besides loop and schedule.

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/trial_runner.hpp>

#include <algorithm>
#include <array>
#include <set>

#include <axes/axes.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ctest takes the names of tests from what is printed, and a backslash for its own.
std::string without_backslashes(std::string text) {
    std::ranges::replace(text, '\\', '/');
    return text;
}

struct Line {
    const char* text;
};

void PrintTo(const Line& line, std::ostream* out) {
    *out << without_backslashes(line.text);
}

class DriveText : public ::testing::TestWithParam<Line> {};

TEST_P(DriveText, ReadsBackAsItWasWritten) {
    const auto drive = parse_drive(GetParam().text);
    ASSERT_TRUE(drive) << describe(drive.error());
    EXPECT_EQ(to_string(*drive), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Axes, DriveText,
    ::testing::Values(Line{"accumulator | nominal"},
                      Line{"ranged(least=5ms, most=20ms) | 2290xnominal, 101.4ms"},
                      Line{"accumulator | 17ms, 1xnominal | config.workers=4"},
                      Line{"accumulator | nominal | environment.log=a=b | environment-size=4096"},
                      Line{"accumulator | nominal | config.text=a \\| b\\\\ | heap=fill 7"},
                      Line{"accumulator | nominal | config.text=a from frame x"},
                      Line{"accumulator | nominal | clock=2031-05-07T11:22:33 from frame 12"}));

TEST(Drive, HoldsValuesWithBarsAndBackslashes) {
    Drive drive;
    drive.axes = {{"config.text", " | \\| a=b | "}, {"environment.empty", ""}};
    const auto back = parse_drive(to_string(drive));
    ASSERT_TRUE(back) << describe(back.error());
    EXPECT_EQ(*back, drive);
}

struct Fault {
    const char* text;
    const char* message;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << without_backslashes(fault.text);
}

class BadDrive : public ::testing::TestWithParam<Fault> {};

TEST_P(BadDrive, IsRefusedWithWhatIsWrong) {
    const auto drive = parse_drive(GetParam().text);
    ASSERT_FALSE(drive);
    EXPECT_EQ(drive.error().code, core::ErrorCode::usage);
    EXPECT_THAT(drive.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Axes, BadDrive,
    ::testing::Values(Fault{"accumulator", "a schedule"}, Fault{"no-such-loop | nominal", "loop"},
                      Fault{"accumulator | nominal | workers", "AXIS=VALUE"},
                      Fault{"accumulator | nominal | workers=4",
                            "unknown axis 'workers'; there are rollback, "},
                      Fault{"accumulator | nominal | config.=4", "unknown axis 'config.'"},
                      Fault{"accumulator | nominal | heap=fill 256", "up to 255"},
                      Fault{"accumulator | nominal | heap=order 3 fill 2", "expected fill"},
                      Fault{"accumulator | nominal | clock=2031-02-29T00:00:00", "a date"},
                      Fault{"accumulator | nominal | clock=2031-02-28T00:00:00 at -1%", "a date"},
                      Fault{"accumulator | nominal | environment-size=-1", "up to 65536"},
                      Fault{"accumulator | nominal | stack=7 from frame 0", "a frame from 1 up"},
                      Fault{"accumulator | nominal | stack=7 from frame ", "a frame from 1 up"},
                      Fault{"accumulator | nominal | stack=300 from frame 5", "up to 255"},
                      Fault{"accumulator | nominal | descriptors=9 from frame 5", "whole number"},
                      Fault{"accumulator | nominal | config.a=1 | config.a=2", "appears twice"},
                      Fault{"accumulator | nominal | config.a=1\\", "backslash"}));

TEST(Axes, BeginOnTheWayWhereTheyCan) {
    const std::vector<AxisValue> values{{"stack", "7 from frame 20"},
                                        {"config.text", "a from frame 20"},
                                        {"heap", "fill 7 order 2"},
                                        from_frame({"heap", "order 3"}, 30)};
    EXPECT_EQ(first_frame(values[0]), 20U);
    EXPECT_EQ(first_frame(values[1]), 0U);
    EXPECT_EQ(first_frame(values[2]), 0U);
    EXPECT_EQ(values[3], (AxisValue{"heap", "order 3 from frame 30"}));
    EXPECT_THAT(applied_in(values, 19), ElementsAre(values[1], values[2]));
    EXPECT_THAT(applied_in(values, 20), ElementsAre(AxisValue{"stack", "7"}, values[1], values[2]));
    EXPECT_EQ(system_settings(applied_in(values, 30)).heap_order, 3U);
    EXPECT_THAT(plainer({"heap", "fill 7 order 2 from frame 9"}),
                ElementsAre(values[2], AxisValue{"heap", "fill 7 from frame 9"},
                            AxisValue{"heap", "order 2 from frame 9"}));
    EXPECT_THAT(plainer(values[0]), ElementsAre(AxisValue{"stack", "7"}));
}

TEST(Axes, DrawValuesThatTheyTake) {
    for (const Axis* axis : axes()) {
        const std::string name(axis->name);
        if (axis->draw == nullptr ||
            (name == "timestamp-counter" && !why_not_here({name, "1"}).empty())) {
            continue;  // not on every machine
        }
        std::set<std::string> values;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            if (const auto value = draw_axis(name, seed)) {
                EXPECT_TRUE(check_value(*value)) << to_string(*value);
                values.insert(value->value);
            }
        }
        const bool is_named =
            values.empty() || values.begin()->find_first_of("0123456789") == std::string::npos;
        EXPECT_GT(values.size(), is_named || name == "hitch" ? 0U : 50U) << name;
    }
}

TEST(Axes, AreDrawnForHalfOfAllTrials) {
    const std::array names{std::string("environment-size")};
    std::size_t drawn = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        drawn += draw_axes(names, seed).size();
    }
    EXPECT_GT(drawn, 450U);
    EXPECT_LT(drawn, 550U);
}

TEST(Axes, AreDrawnWhateverElseIsDrawn) {
    const std::array both{std::string("environment-size"), std::string("heap")};
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        std::vector<AxisValue> one_by_one = draw_axes(std::span(both).first(1), seed);
        for (AxisValue& value : draw_axes(std::span(both).last(1), seed)) {
            one_by_one.push_back(std::move(value));
        }
        EXPECT_EQ(draw_axes(both, seed), one_by_one);
    }
}

TEST(Axes, OfTheProcessSayHowItStarts) {
    const ProcessSetup setup =
        process_setup({{"config.workers", "4"}, {"environment-size", "3"}, {"time-zone", "UTC0"}});
    using Variable = std::pair<std::string, std::string>;
    EXPECT_THAT(setup.variables,
                ElementsAre(Variable("ISOTICK_PADDING", "xxx"), Variable("TZ", "UTC0")));
    EXPECT_TRUE(process_setup({{"config.workers", "4"}}).is_usual());
}

TEST(Axes, OfTheSystemSayWhatItAnswers) {
    preload::Settings expected;
    expected.heap_fill = 165;
    expected.heap_order = 7;
    expected.pace = 150;
    expected.date = 1'936'005'753;
    expected.cores = 3;
    EXPECT_EQ(system_settings({{"heap", "fill 165 order 7"},
                               {"clock", "2031-05-08T11:22:33 at 150%"},
                               {"threads", "cores 3"}}),
              expected);
}

std::vector<std::string> plainer_texts(const AxisValue& value) {
    std::vector<std::string> texts;
    for (const AxisValue& plain : plainer(value)) {
        texts.push_back(to_string(plain));
    }
    return texts;
}

TEST(Axes, PlainerValuesAreSmallerAndBeginWithTheSmallest) {
    EXPECT_THAT(plainer_texts({"environment-size", "9"}),
                ElementsAre("environment-size=1", "environment-size=2", "environment-size=4",
                            "environment-size=8"));
    EXPECT_THAT(plainer_texts({"environment-size", "1"}), IsEmpty());
    EXPECT_THAT(plainer_texts({"restart", "20"}),
                ElementsAre("restart=1", "restart=4", "restart=16"));
    EXPECT_THAT(plainer_texts({"cpu", "baseline"}), ElementsAre("cpu=no-avx512", "cpu=no-fma"));
    EXPECT_THAT(plainer_texts({"heap", "fill 1 order 2"}),
                ElementsAre("heap=fill 1", "heap=order 2"));
    EXPECT_THAT(plainer_texts({"heap", "order 2"}), IsEmpty());
    EXPECT_THAT(plainer_texts({"clock", "2031-05-08T11:22:33 at 150%"}),
                ElementsAre("clock=2031-05-08T11:22:33"));
}

TEST(Axes, OfTheProcessCannotBeAppliedToThisOne) {
    const isotick_simulation_table& table = *core::reference_simulations().front();
    TrialPlan plan;
    plan.drive.axes = {{"environment-size", "1"}};
    const auto results = in_this_process(table)(std::array{plan}, Isolation::forked);
    ASSERT_TRUE(results);
    ASSERT_TRUE(results->front().refused);
    EXPECT_EQ(results->front().refused->code, core::ErrorCode::usage);
    EXPECT_THAT(results->front().refused->message, HasSubstr("environment-size=1"));
}

}  // namespace
}  // namespace isotick::harness
