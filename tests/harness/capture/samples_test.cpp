// One capture of each tool, as they write them: what is taken from it, and what it says.

#include <isotick/harness/capture.hpp>

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

struct Sample {
    const char* name;  // of the test
    const char* file;
    const char* summary;  // behind the name
    std::vector<std::int64_t> times;
};

void PrintTo(const Sample& sample, std::ostream* stream) {
    *stream << sample.file;
}

class CaptureSample : public testing::TestWithParam<Sample> {};

std::vector<std::int64_t> times(const std::vector<std::int64_t>& ends) {
    std::vector<std::int64_t> result;
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
        result.push_back(end - start);
        start = end;
    }
    return result;
}

TEST_P(CaptureSample, IsReadToTheNanosecond) {
    const std::string path = std::string(ISOTICK_CAPTURES "/") + GetParam().file;
    const auto capture = import_capture(path);
    ASSERT_TRUE(capture) << describe(capture.error());
    EXPECT_EQ(capture->summary, path + ": " + GetParam().summary);
    EXPECT_EQ(times(capture->ends), GetParam().times);
}

using Times = std::vector<std::int64_t>;

const Times kTen{16'667'100, 16'665'200, 16'666'800, 33'333'900, 16'666'400,
                 16'666'900, 8'333'300,  25'000'100, 16'666'700, 16'666'600};

Times first(std::size_t count, std::int64_t unit = 1) {
    Times result(kTen.begin(), kTen.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::int64_t& each : result) {
        each = (each + unit / 2) / unit * unit;
    }
    return result;
}

INSTANTIATE_TEST_SUITE_P(
    Tools, CaptureSample,
    testing::Values(
        Sample{"PresentMon13", "presentmon-1.3.csv",
               "PresentMon up to 1.3, or OCAT, 6 frames over 116.666ms", first(6, 1000)},
        Sample{"PresentMon19", "presentmon-1.9.csv",
               "PresentMon 1.x, 10 frames over 183.333ms, dropped the last line (line 14, column "
               "1: it "
               "has 1 field, the header 15), 2 rows of 1 other swap chain",
               kTen},
        Sample{"PresentMon20", "presentmon-2.0.csv",
               "PresentMon 2.0, 5 frames over 99.9994ms, dropped 1 row without a frame time (NA)",
               first(5)},
        Sample{"PresentMon22", "presentmon-2.2.csv",
               "PresentMon 2.1 to 2.3.0, 5 frames over 99.9994ms, dropped the last line (line 7, "
               "column 71: it is cut off)",
               first(5)},
        Sample{"PresentMon24", "presentmon-2.4.csv",
               "PresentMon 2.3.1+, 10 frames over 183.333ms, dropped 4 rows of generated frames",
               kTen},
        Sample{"Ocat", "ocat.csv", "OCAT, 5 frames over 99.999ms", first(5, 1000)},
        Sample{"CapFrameXTable", "capframex.csv", "CapFrameX, 5 frames over 99.9994ms", first(5)},
        Sample{"CapFrameXJson",
               "capframex.json",
               "CapFrameX JSON, 2 runs, 8 frames over 149.9996ms",
               {16'667'100, 16'665'200, 16'666'800, 33'333'900, 16'666'400, 16'666'900, 8'333'300,
                25'000'000}},
        Sample{"MangoHud068",
               "mangohud-0.6.8.csv",
               "MangoHud up to 0.6.8 (microseconds), 10 frames over 183.328ms",
               {16'667'000, 16'665'000, 16'666'000, 33'333'000, 16'666'000, 16'666'000, 8'333'000,
                25'000'000, 16'666'000, 16'666'000}},
        Sample{"MangoHud08",
               "mangohud-0.8.csv",
               "MangoHud 0.6.9+ (milliseconds), 10 frames over 183.333ms",
               {16'667'100, 16'665'200, 16'666'800, 33'333'900, 16'666'400, 16'666'900, 8'333'300,
                25'000'100, 16'666'700, 16'666'600}},
        Sample{"PlainText",
               "plain.txt",
               "plain text, 5 frames over 176.399333ms",
               {16'667'000, 16'665'000, 33'334'000, 8'333'333, 101'400'000}},
        Sample{"Spreadsheet",
               "spreadsheet.csv",
               "PresentMon 1.x, 3 frames over 50.067ms",
               {16'667'000, 16'700'000, 16'700'000}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CaptureSample, OfASampledLogIsRefused) {
    const std::string path = ISOTICK_CAPTURES "/mangohud-sampled.csv";
    const auto capture = import_capture(path);
    ASSERT_FALSE(capture);
    EXPECT_EQ(describe(capture.error()),
              path +
                  ": the frame times add up to 183.333ms, but elapsed says 900ms: the log was "
                  "sampled and does not hold every frame once; record it with log_interval=0");
}

}  // namespace
}  // namespace isotick::harness
