// The item `capture(…)`: which frames it plays, how it is written, and what is refused.

#include "schedule_support.hpp"

#include <isotick/core/detail/captured_frames.hpp>

#include <map>
#include <string>

namespace isotick::core {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// Gives `run.csv` five frames of 10, 20, 30, 40 and 50 ms, and others other ones.
Result<std::shared_ptr<const CapturedFrames>> resolve(const std::string& path) {
    if (path == "run.csv" || path == "my \"last\" run\\.csv") {
        return CapturedFrames::own({10 * kMs, 30 * kMs, 60 * kMs, 100 * kMs, 150 * kMs});
    }
    if (path == "thirds") {
        return CapturedFrames::own({1, 2, 4});
    }
    return fail(ErrorCode::io, "cannot be opened");
}

Schedule captured(const std::string& text) {
    auto parsed = Schedule::parse(text, resolve);
    return parsed ? *parsed
                  : (ADD_FAILURE() << text << ": " << parsed.error().message, Schedule::nominal());
}

std::vector<std::int64_t> drawn(const Schedule& schedule, int count, std::int64_t unit = kMs) {
    FrameSource source = schedule.frames(rate());
    std::vector<std::int64_t> times;
    for (int i = 0; i < count; ++i) {
        times.push_back(source.next().nanoseconds / unit);
    }
    return times;
}

using Times = std::vector<std::int64_t>;

TEST(CaptureItem, PlaysItsFramesOnceAndLeavesTheRestToOthers) {
    const Schedule schedule = captured("5ms, capture(\"run.csv\"), 2x6ms");
    EXPECT_EQ(drawn(schedule, 10), (Times{5, 10, 20, 30, 40, 50, 6, 6, 5, 10}));
}

TEST(CaptureItem, TakesTheFramesThatBeginInItsPart) {
    EXPECT_EQ(drawn(captured("capture(\"run.csv\", from=30ms, for=70ms), 1ms"), 3),
              (Times{30, 40, 1}));
    EXPECT_EQ(drawn(captured("capture(\"run.csv\", from=31ms), 1ms"), 3), (Times{40, 50, 1}));
    EXPECT_EQ(drawn(captured("capture(\"run.csv\", for=11ms), 1ms"), 3), (Times{10, 20, 1}));
}

TEST(CaptureItem, IsFoldedWhereTheListWouldBeTooLong) {
    const std::string path(2'200, 'r');
    const std::size_t times = Schedule::kMostTextBytes / path.size() + 1;
    const auto find_any = [](const std::string&) { return CapturedFrames::own({1, 2, 3}); };
    const std::string text = std::to_string(times) + "x(1ms, capture(\"" + path + "\")), 2ms";
    const Schedule parsed = Schedule::parse(text, find_any).value();
    EXPECT_EQ(parsed.items().size(), 2 * times + 1);
    EXPECT_TRUE(parsed.to_string() == text);
    EXPECT_EQ(Schedule::parse(parsed.to_string(), find_any).value(), parsed);
}

TEST(CaptureItem, IsCountedInFramesOrInLoops) {
    EXPECT_EQ(drawn(captured("3xcapture(\"run.csv\", from=60ms), 1ms"), 4), (Times{40, 50, 40, 1}));
    EXPECT_EQ(drawn(captured("capture(\"run.csv\", from=60ms, loops=2), 1ms"), 5),
              (Times{40, 50, 40, 50, 1}));
    EXPECT_EQ(captured("4xcapture(\"run.csv\", from=60ms)"),
              captured("capture(\"run.csv\", from=60ms, loops=2)"));
}

TEST(CaptureItem, EndsScaledFramesAtTheFlooredScaledTime) {
    EXPECT_EQ(drawn(captured("capture(\"run.csv\", scale=50%)"), 5), (Times{5, 10, 15, 20, 25}));
    EXPECT_EQ(drawn(captured("capture(\"run.csv\", scale=200%)"), 2), (Times{20, 40}));
    // Ends of 1, 2 and 4 ns at half speed: 0.5, 1 and 2; every pass is the same.
    EXPECT_EQ(drawn(captured("capture(\"thirds\", scale=50%, loops=2)"), 6, 1),
              (Times{0, 1, 1, 0, 1, 1}));
}

TEST(CaptureItem, IsPrintedWithWhatDiffersFromTheWholeAndReadBack) {
    const std::map<std::string, std::string> texts{
        {"capture( \"run.csv\" , 0ms )", "capture(\"run.csv\")"},
        {"capture(\"run.csv\", 10ms, 50ms, 50%, 3)",
         "capture(\"run.csv\", from=10ms, for=50ms, scale=50%, loops=3)"},
        {"capture(scale=12.5%, path=\"run.csv\")", "capture(\"run.csv\", scale=12.5%)"},
        {"10xcapture(\"run.csv\")", "capture(\"run.csv\", loops=2)"},
        {"7xcapture(\"run.csv\"), nominal", "7xcapture(\"run.csv\"), nominal"},
        {R"(capture("my \"last\" run\\.csv"))", R"(capture("my \"last\" run\\.csv"))"}};
    for (const auto& [written, canonical] : texts) {
        EXPECT_EQ(captured(written).to_string(), canonical);
        EXPECT_EQ(captured(canonical), captured(written));
    }
}

TEST(CaptureItem, OfOtherFramesIsAnotherSchedule) {
    const auto longer = [](const std::string&) { return CapturedFrames::own({10 * kMs}); };
    EXPECT_NE(Schedule::parse("capture(\"run.csv\")", longer).value(),
              captured("capture(\"run.csv\")"));
}

std::string refused(const std::string& text, const FrameResolver& resolver = resolve) {
    const auto parsed = Schedule::parse(text, resolver);
    return parsed ? "nothing" : describe(parsed.error());
}

TEST(CaptureItem, NeedsSomebodyWhoReadsFiles) {
    EXPECT_EQ(refused("3ms, capture(\"run.csv\")", {}),
              "at column 6: expected no capture, since nothing here reads files; give "
              "Schedule::parse a resolver, such as isotick::harness::Captures");
    EXPECT_EQ(refused("capture(\"gone.csv\")"), "cannot be opened");
}

TEST(CaptureItem, RefusesNonsenseWithTheColumn) {
    const std::map<std::string, std::string> texts{
        {"capture(run.csv)",
         "at column 9: expected the path of a file in quotes, such as \"my run.csv\", not 'run'"},
        {"capture(\"run.csv)", "at column 9: expected a path that ends with a quote"},
        {"capture(\"\")", "at column 9: expected a path of 1 to 4096 bytes"},
        {"capture(\"a\nb\")", "at column 11: expected a path without control characters"},
        {"capture(\"a\\", "at column 9: expected a path that ends with a quote"},
        {"capture()", "at column 9: expected the parameter path, not ')'"},
        {"2xcapture(\"run.csv\", loops=2)",
         "at column 3: expected either a count of frames or loops, not both"},
        {"capture(\"run.csv\", loops=0)",
         "at column 26: expected a number of loops from 1 to 1000000"},
        {"capture(\"run.csv\", from=-1ms)", "at column 25: expected a duration from 0ms"},
        {"capture(\"run.csv\", for=0ms)", "at column 24: expected a duration from 1ns"},
        {"capture(\"run.csv\", scale=0%)", "at column 26: expected a scale from 0.1% to 10000%"},
        {"capture(\"run.csv\", scale=10000.1%)", "at column 26: expected at most 10000%"},
        {"capture(\"run.csv\", from=151ms)",
         "at column 1: expected a part of the capture in which a frame begins: it lasts 150ms"},
        {"capture(\"run.csv\", from=150ms)",
         "at column 1: expected a part of the capture in which a frame begins: it lasts 150ms"},
        {"capture(\"run.csv\", from=11ms, for=1ms)",
         "at column 1: expected a part of the capture in which a frame begins: it lasts 150ms"}};
    for (const auto& [text, message] : texts) {
        EXPECT_EQ(refused(text), message) << text;
    }
}

TEST(CaptureItem, OfItemsNeedsFramesAndACount) {
    const ScheduleItem item = first_item(captured("capture(\"run.csv\")"));
    ScheduleItem bare = item;
    bare.capture = {};
    ScheduleItem endless = item;
    endless.count = kEndless;
    EXPECT_EQ(Schedule::from_items({item, item}).value().to_string(),
              "capture(\"run.csv\"), capture(\"run.csv\")");
    EXPECT_FALSE(Schedule::from_items({bare}));
    EXPECT_FALSE(Schedule::from_items({endless}));
}

TEST(CapturedFrames, RefusesWhatIsNoSequenceOfFrameTimes) {
    constexpr std::int64_t kHour = 3600 * kNanosecondsPerSecond;
    EXPECT_FALSE(CapturedFrames::own({}));
    EXPECT_FALSE(CapturedFrames::own({-1}));
    EXPECT_FALSE(CapturedFrames::own({5, 4}));
    EXPECT_FALSE(CapturedFrames::own({kHour + 1}));
    EXPECT_TRUE(CapturedFrames::own({0, kHour, kHour}));
}

}  // namespace
}  // namespace isotick::core
