#include "schedule_support.hpp"

#include <string>

namespace isotick::core {
namespace {

struct Nonsense {
    const char* name;
    const char* text;
    const char* message;
};

void PrintTo(const Nonsense& nonsense, std::ostream* stream) {
    *stream << '"' << nonsense.text << '"';
}

class NonsenseSchedule : public testing::TestWithParam<Nonsense> {};

TEST_P(NonsenseSchedule, IsRefusedWithTheColumn) {
    const auto parsed = Schedule::parse(GetParam().text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::usage);
    EXPECT_EQ(parsed.error().message, GetParam().message);
}

constexpr const char* kForms =
    "expected a frame time (16.667ms), a rate (60hz), nominal or a generator (jitter, vsync, "
    "bimodal, hitches, quantised, stuck, backwards, burst, edges, mix, capture), not ";

TEST(NonsenseSchedule, NamesWhatAnItemMayBe) {
    EXPECT_EQ(Schedule::parse("").error().message,
              std::string("at column 1: ") + kForms + "the end");
    EXPECT_EQ(Schedule::parse("3ms, ").error().message,
              std::string("at column 6: ") + kForms + "the end");
    EXPECT_EQ(Schedule::parse("2xjiter(60hz)").error().message,
              std::string("at column 3: ") + kForms + "'jiter'");
    EXPECT_EQ(Schedule::parse("3ms, ,").error().message,
              std::string("at column 6: ") + kForms + "','");
}

INSTANTIATE_TEST_SUITE_P(
    Items, NonsenseSchedule,
    testing::Values(
        Nonsense{"no_unit", "16",
                 "at column 3: expected a unit (ns, us, ms or s; hz for a rate), not the end"},
        Nonsense{"unknown_unit", "16min",
                 "at column 3: expected a unit (ns, us, ms or s; hz for a rate), not 'min'"},
        Nonsense{"decimal_rate", "60.5hz",
                 "at column 5: expected a unit (ns, us, ms or s; hz for a rate), not 'hz'"},
        Nonsense{"too_fine", "16.5us, 1.25ns",
                 "at column 11: expected whole nanoseconds, nothing finer"},
        Nonsense{"no_decimals", "1.ms",
                 "at column 3: expected a digit after the decimal point, not 'ms'"},
        Nonsense{"only_a_sign", "-ms",
                 "at column 2: expected a duration such as 16.667ms, not 'ms'"},
        Nonsense{"negative_rate", "-60hz",
                 "at column 4: expected a unit (ns, us, ms or s; hz for a rate), not 'hz'"},
        Nonsense{"too_long", "9223372036854775808ns",
                 "at column 1: expected a duration of at most 9223372036.854775807s"},
        Nonsense{"far_too_long", "99999999999999999999999999999999999999999999999999s",
                 "at column 1: expected a duration of at most 9223372036.854775807s"},
        Nonsense{"count_of_zero", "3ms, 0x3ms",
                 "at column 6: expected a count of frames from 1 to 1000000000000"},
        Nonsense{"count_too_large", "1000000000001x3ms",
                 "at column 1: expected a count of frames from 1 to 1000000000000"},
        Nonsense{"count_overflows", "99999999999999999999xnominal",
                 "at column 1: expected a count of frames from 1 to 1000000000000"},
        Nonsense{"two_counts", "2x3x4ms",
                 "at column 4: expected a unit (ns, us, ms or s; hz for a rate), not 'x'"},
        Nonsense{"rate_of_zero", "0hz",
                 "at column 1: expected a rate such as 60hz or 60000/1001hz, its terms from 1 to "
                 "1000000000"},
        Nonsense{"rate_over_zero", "60/0hz",
                 "at column 4: expected a rate such as 60hz or 60000/1001hz, its terms from 1 to "
                 "1000000000"},
        Nonsense{"half_a_rate", "60/1", "at column 5: expected the unit hz, not the end"},
        Nonsense{"no_comma", "3ms 4ms", "at column 5: expected ',' or the end, not '4'"},
        Nonsense{"after_the_endless", "60hz, 3ms",
                 "at column 7: expected nothing after an item that never ends; give it a count: "
                 "120x60hz"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Generators, NonsenseSchedule,
    testing::Values(
        Nonsense{"no_parameters", "jitter", "at column 7: expected '(', not the end"},
        Nonsense{"never_closed", "mix(seed=1", "at column 11: expected ',' or ')', not the end"},
        Nonsense{"missing", "jitter(60hz, seed=3)",
                 "at column 20: expected the parameter spread, not ')'"},
        Nonsense{"too_many", "mix(1, 2)", "at column 8: expected ')', not '2'"},
        Nonsense{"unknown_name", "vsync(60hz, mist=3%)",
                 "at column 13: expected a parameter of vsync (rate, miss, seed), not 'mist'"},
        Nonsense{"twice", "mix(seed=1, seed=2)", "at column 13: expected each parameter once"},
        Nonsense{"wrong_order", "jitter(3ms, 60hz)", "at column 9: expected the unit hz, not 'ms'"},
        Nonsense{"share_too_large", "vsync(60hz, miss=101%)",
                 "at column 18: expected a share such as 10% or 12.5% from 0 to 100"},
        Nonsense{"share_just_too_large", "vsync(60hz, miss=100.1%)",
                 "at column 18: expected at most 100%"},
        Nonsense{"share_too_fine", "vsync(60hz, miss=1.25%)",
                 "at column 21: expected at most tenths of a percent"},
        Nonsense{"share_without_sign", "vsync(60hz, miss=10)",
                 "at column 20: expected '%', not ')'"},
        Nonsense{"negative_spread", "jitter(60hz, -3ms)",
                 "at column 14: expected a duration from 0ms to 3600s"},
        Nonsense{"long_hitch", "hitches(60hz, 3601s, every=2)",
                 "at column 15: expected a duration from 1ns to 3600s"},
        Nonsense{"every_zero", "hitches(60hz, 1s, every=0)",
                 "at column 25: expected a number of frames from 1 to 1000000000"},
        Nonsense{"no_clock", "quantised(60hz, 0ms)", "at column 17: expected a clock of 1ns to 1s"},
        Nonsense{"coarse_clock", "quantised(60hz, 2s)",
                 "at column 17: expected a clock of 1ns to 1s"},
        Nonsense{"backwards_by_nothing", "backwards(60hz, 5%, 0ms)",
                 "at column 21: expected a duration from 1ns to 3600s"},
        Nonsense{"burst_of_none", "burst(60hz, 0x1ns, every=3)",
                 "at column 13: expected a burst such as 1000x1ns, its frames from 1 to 1000000"},
        Nonsense{"burst_backwards", "burst(60hz, 3x-1ns, every=3)",
                 "at column 13: expected a duration from 0ms to 3600s"},
        Nonsense{"fast", "edges(1000001hz)",
                 "at column 7: expected a rate from 1/1000000hz to 1000000hz"},
        Nonsense{"slow", "edges(1/1000001hz)",
                 "at column 7: expected a rate from 1/1000000hz to 1000000hz"},
        Nonsense{"negative_seed", "mix(seed=-1)", "at column 10: expected a seed, not '-'"},
        Nonsense{"seed_overflows", "mix(seed=18446744073709551616)",
                 "at column 10: expected a seed from 0 to 18446744073709551615"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Groups, NonsenseSchedule,
    testing::Values(
        Nonsense{"group_never_closed", "3x(2ms, 3ms",
                 "at column 12: expected ',' or ')', not the end"},
        Nonsense{"group_of_zero", "0x(2ms)",
                 "at column 1: expected a count of repeats from 1 to 1000000"},
        Nonsense{"group_too_often", "1000001x(2ms)",
                 "at column 1: expected a count of repeats from 1 to 1000000"},
        Nonsense{"group_that_never_ends", "3x(2ms, nominal)",
                 "at column 4: expected a group that ends; give its last item a count: 9xnominal"},
        Nonsense{"endless_within_a_group", "3x(nominal, 2ms)",
                 "at column 13: expected nothing after an item that never ends; give it a count: "
                 "120x60hz"},
        Nonsense{"group_too_deep", "2x(2x(2x(2x(2x(2x(2x(2x(2x(1ms)))))))))",
                 "at column 25: expected groups at most 8 deep"},
        Nonsense{"too_many_items", "1000000x(1ms, 2ms)",
                 "at column 1: expected at most 1000000 "
                 "items"},
        Nonsense{"far_too_many_items", "1000000x(1000000x(1000000x(1ms, 2ms)))",
                 "at column 19: expected at most 1000000 items"},
        Nonsense{"too_much_work", "1000000x(1ms), 1000000x(1ms), 1x(1ms)",
                 "at column 31: expected groups of at most 2000000 items in all, each counted as "
                 "often as it comes"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Schedule, RefusesTextBeyondSixteenMebibytes) {
    const std::string longest = "3ms" + std::string(Schedule::kMostTextBytes - 3, ' ');
    EXPECT_TRUE(Schedule::parse(longest));
    const auto longer = Schedule::parse(longest + " ");
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().message, "at column 16777217: expected at most 16 MiB of text");
}

TEST(Schedule, TakesAMillionUnequalFrameTimesAndNoMore) {
    std::string text = "11000000ns";
    for (std::size_t i = 1; i < Schedule::kMostItems; ++i) {
        text += ", " + std::to_string(11'000'000 + i) + "ns";
    }
    const auto most = Schedule::parse(text);
    ASSERT_TRUE(most);
    EXPECT_EQ(most->items().size(), Schedule::kMostItems);
    EXPECT_EQ(schedule(most->to_string()), *most);
    const auto more = Schedule::parse(text + ", 1ms");
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().message, "at column 12000001: expected at most 1000000 items");
}

TEST(Schedule, RefusesANulInItsText) {
    EXPECT_FALSE(Schedule::parse(std::string_view("3ms\0", 4)));
    EXPECT_FALSE(Schedule::parse(std::string_view("3ms,\0", 5)));
}

}  // namespace
}  // namespace isotick::core
