#include "schedule_support.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/random.hpp>

#include <limits>
#include <string>
#include <string_view>

namespace isotick::core {
namespace {

struct Spelling {
    const char* name;
    const char* written;
    const char* canonical;
};

void PrintTo(const Spelling& spelling, std::ostream* stream) {
    *stream << spelling.written;
}

class CanonicalText : public testing::TestWithParam<Spelling> {};

TEST_P(CanonicalText, IsPrintedAndReadBack) {
    const Schedule parsed = schedule(GetParam().written);
    EXPECT_EQ(parsed.to_string(), GetParam().canonical);
    EXPECT_EQ(schedule(parsed.to_string()), parsed);
}

INSTANTIATE_TEST_SUITE_P(
    Schedule, CanonicalText,
    testing::Values(
        Spelling{"one_frame", "1x101.4ms", "101.4ms"},
        Spelling{"runs", " 1186 x 16.667ms ,1x101.4ms\n", "1186x16.667ms, 101.4ms"},
        Spelling{"merged", "3ms, 2x3000us, 0.003s", "4x3ms"},
        Spelling{"not_merged", "3ms, -3ms, 3ms", "3ms, -3ms, 3ms"},
        Spelling{"full_runs", "1000000000000x3ms, 3ms", "1000000000000x3ms, 3ms"},
        Spelling{"zero", "-0.0s", "0ms"},
        Spelling{"units", "1500ms, 0.25ms, 999ns, 1000ns", "1.5s, 250us, 999ns, 1us"},
        Spelling{"trailing_zeros", "1.50000000000ms", "1.5ms"},
        Spelling{"largest", "9223372036854775807ns", "9223372036.854775807s"},
        Spelling{"smallest", "-9223372036854775808ns", "-9223372036.854775808s"},
        Spelling{"rate_reduced", "120000/2002hz", "60000/1001hz"},
        Spelling{"rate_counted", "120x60/1hz, nominal", "120x60hz, nominal"},
        Spelling{"nominal_counted", "2290xnominal, 5ms", "2290xnominal, 5ms"},
        Spelling{"jitter", "jitter(60hz,3ms)", "jitter(60hz, 3ms, seed=0)"},
        Spelling{"by_name", "jitter(seed=5, spread=3ms, rate=nominal)",
                 "jitter(nominal, 3ms, seed=5)"},
        Spelling{"name_then_place", "jitter(seed=5, 60hz, 3ms)", "jitter(60hz, 3ms, seed=5)"},
        Spelling{"vsync", "vsync(60hz, 10.0%, 4)", "vsync(60hz, miss=10%, seed=4)"},
        Spelling{"per_mille", "vsync(60hz, miss=0.5%, seed=4)", "vsync(60hz, miss=0.5%, seed=4)"},
        Spelling{"bimodal", "bimodal(4ms, 30ms, 25%, 1)", "bimodal(4ms, 30ms, 25%, seed=1)"},
        Spelling{"hitches", "hitches(60hz, 2s, 200)", "hitches(60hz, 2s, every=200, seed=0)"},
        Spelling{"quantised", "quantised(75hz)", "quantised(75hz, 1ms)"},
        Spelling{"stuck", "9xstuck(60hz, 12.5%)", "9xstuck(60hz, 12.5%, seed=0)"},
        Spelling{"backwards", "backwards(60hz, 5%, 3ms)", "backwards(60hz, 5%, 3ms, seed=0)"},
        Spelling{"burst", "burst(60hz, 1000 x 1ns, every=5)",
                 "burst(60hz, 1000x1ns, every=5, seed=0)"},
        Spelling{"edges", "edges(nominal)", "edges(nominal, seed=0)"},
        Spelling{"mix", "mix()", "mix(seed=0)"},
        Spelling{"group", "300 x ( 9xnominal,-133ms )", "300x(9xnominal, -133ms)"},
        Spelling{"group_among_others", "5ms, 2x(9xnominal, -133ms), nominal",
                 "5ms, 2x(9xnominal, -133ms), nominal"},
        Spelling{"found_group", "2ms, 3ms, 2ms, 3ms, 2ms", "2x(2ms, 3ms), 2ms"},
        Spelling{"group_of_one_frame", "3x(2ms)", "3x2ms"},
        Spelling{"group_of_one_rate", "4x(60xnominal)", "4x(60xnominal)"},
        Spelling{"group_once", "1x(2ms, 3ms)", "2ms, 3ms"},
        Spelling{"short_group", "3x(60xnominal)", "60xnominal, 60xnominal, 60xnominal"},
        Spelling{"group_whose_ends_merge", "3x(2ms, 3ms, 2ms)", "2ms, 2x(3ms, 2x2ms), 3ms, 2ms"},
        Spelling{"groups_in_groups", "10x(20x(9xnominal, -133ms), 2s)",
                 "10x(20x(9xnominal, -133ms), 2s)"},
        Spelling{"three_deep", "3x(2x(2x(1ms, 2ms), 3ms), 4ms)", "3x(2x(2x(1ms, 2ms), 3ms), 4ms)"},
        Spelling{"as_many_as_there_may_be", "500000x(1ms, 2ms)", "500000x(1ms, 2ms)"},
        Spelling{"largest_seed", "mix(seed=18446744073709551615)",
                 "mix(seed=18446744073709551615)"}),
    [](const auto& test) { return std::string(test.param.name); });

/// One to six items: drawn ones with a count, and frame times of every magnitude and sign.
Schedule draw_schedule(Pcg32& random) {
    std::vector<ScheduleItem> items(1 + random.below(6));
    for (ScheduleItem& each : items) {
        if (random.chance(1, 2)) {
            each = first_item(random_schedule(random.next64(), rate()));
            each.seed = random.next64();
        } else {
            const auto bits = static_cast<std::int64_t>(random.next64());
            each.duration.nanoseconds = bits / (std::int64_t{1} << random.below(63));
        }
        each.count = 1 + random.below(1000);
    }
    if (items.back().kind != FrameKind::frame && random.chance(1, 2)) {
        items.back().count = kEndless;
    }
    return Schedule::from_items(items).value();
}

TEST(Schedule, ReadsBackWhatItPrints) {
    Pcg32 random(1);
    for (int round = 0; round < 5000; ++round) {
        const Schedule drawn = draw_schedule(random);
        const std::string text = drawn.to_string();
        const Schedule parsed = schedule(text);
        ASSERT_EQ(parsed, drawn) << text;
        ASSERT_EQ(parsed.to_string(), text);
    }
}

// Few different items, so that there is much that repeats, and much that nearly does.
TEST(Schedule, ReadsBackWhatItPrintsInGroups) {
    Pcg32 random(3);
    int grouped = 0;
    for (int round = 0; round < 5000; ++round) {
        std::vector<ScheduleItem> items;
        while (items.size() < 200) {
            const std::size_t length = 1 + random.below(4);
            std::vector<ScheduleItem> group(length);
            for (ScheduleItem& each : group) {
                each.kind = random.chance(1, 3) ? FrameKind::steady : FrameKind::frame;
                each.count = 1 + random.below(2);
                each.duration = {each.kind == FrameKind::frame ? 1 + random.below(3) : 0};
            }
            for (std::uint32_t left = 1 + random.below(5); left > 0; --left) {
                items.insert(items.end(), group.begin(), group.end());
            }
        }
        const Schedule drawn = Schedule::from_items(items).value();
        const std::string text = drawn.to_string();
        ASSERT_EQ(schedule(text), drawn) << text;
        ASSERT_EQ(schedule(text).to_string(), text);
        grouped += text.find('(') == std::string::npos ? 0 : 1;
    }
    EXPECT_GT(grouped, 1000);
}

/// `text` with one to three characters replaced, removed or doubled.
std::string damage(std::string text, Pcg32& random) {
    constexpr std::string_view kCharacters = "0159x,. -()=%/mnushzaejr";
    for (std::uint32_t left = 1 + random.below(3); left > 0; --left) {
        const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
        const std::uint32_t verb = random.below(3);
        if (verb == 0) {
            text[at] = kCharacters[random.below(kCharacters.size())];
        } else if (verb == 1 && text.size() > 1) {
            text.erase(at, 1);
        } else {
            text.insert(at, 1, text[at]);
        }
    }
    return text;
}

TEST(Schedule, ReadsDamagedTextExactlyOrRefusesItWithAColumn) {
    Pcg32 random(2);
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        const std::string text = damage(draw_schedule(random).to_string(), random);
        const auto parsed = Schedule::parse(text);
        if (parsed) {
            ASSERT_EQ(schedule(parsed->to_string()), *parsed) << text;
            ++accepted;
        } else {
            ASSERT_TRUE(parsed.error().message.starts_with("at column ")) << text;
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_LT(accepted, 19'000);
}

TEST(Schedule, FromFramesGivesThoseFramesInRuns) {
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    const std::vector<FrameTime> times{{5}, {5}, {0}, {kLeast}, {5}};
    const Schedule made = Schedule::from_frames(times).value();
    EXPECT_EQ(made.to_string(), "2x5ns, 0ms, -9223372036.854775808s, 5ns");
    EXPECT_EQ(frames(made.to_string(), 6), (std::vector<std::int64_t>{5, 5, 0, kLeast, 5, 5}));
}

TEST(Schedule, FromFramesRefusesNone) {
    EXPECT_FALSE(Schedule::from_frames({}));
}

TEST(Schedule, FromItemsForgetsWhatAKindDoesNotUse) {
    const ScheduleItem item{.kind = FrameKind::steady, .every = 3, .rate = rate(), .seed = 9};
    EXPECT_EQ(Schedule::from_items({item}).value(), schedule("1x60hz"));
}

TEST(Schedule, FromItemsRefusesWhatParseWould) {
    const ScheduleItem endless = first_item(schedule("60hz"));
    const ScheduleItem no_clock{.kind = FrameKind::quantised};
    const auto followed = Schedule::from_items({endless, endless});
    ASSERT_FALSE(followed);
    EXPECT_EQ(followed.error().message, "schedule item 1: never ends, so none may follow it");
    const auto refused = Schedule::from_items({no_clock});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "schedule item 1: expected a clock of 1ns to 1s");
    EXPECT_FALSE(Schedule::from_items({{.count = kEndless}}));
    EXPECT_FALSE(Schedule::from_items({{.count = kMostItemFrames + 1}}));
    EXPECT_FALSE(Schedule::from_items({}));
}

}  // namespace
}  // namespace isotick::core
