// What is wrong with captures in the wild: each trap has a message with its place.

#include <isotick/harness/capture.hpp>

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

const std::string kOne =
    "Application,ProcessID,SwapChainAddress,Dropped,TimeInSeconds,"
    "msBetweenPresents\n";
const std::string kMango = "os,cpu,gpu,ram,kernel,driver\na,b,c,d,e,f\nfps,frametime,elapsed\n";

struct Trap {
    const char* name;
    std::string text;
    const char* message;  // the error, or the summary behind the name
};

void PrintTo(const Trap& trap, std::ostream* stream) {
    *stream << trap.name;
}

std::string imported(const std::string& text) {
    std::istringstream stream(text);
    const auto capture = import_capture(stream, "s");
    return capture ? capture->summary : describe(capture.error());
}

class CaptureTrap : public testing::TestWithParam<Trap> {};

TEST_P(CaptureTrap, IsSaidInOneLine) {
    EXPECT_EQ(imported(GetParam().text), std::string("s: ") + GetParam().message);
}

const std::string kRow = "g.exe,1,0x1,0,1.0166,16.6\n";
const std::string kNext = "g.exe,1,0x1,0,1.0332,16.6\n";

INSTANTIATE_TEST_SUITE_P(
    Tables, CaptureTrap,
    testing::Values(
        Trap{"Empty", "", "is empty"}, Trap{"Blank", "\n \r\n", "is empty"},
        Trap{"HeaderOnly", kOne, "holds no frames"},
        Trap{"NoHeader", kRow,
             "is not a capture: neither a header of PresentMon, OCAT, CapFrameX or "
             "MangoHud nor a list of frame times begins it"},
        Trap{"NoFrameTimes", "Application,ProcessID,SwapChainAddress,TimeInSeconds\n",
             "line 1, column 1: no column holds frame times (MsBetweenPresents, FrameTime, or "
             "CPUBusy and CPUWait)"},
        Trap{"Utf16",
             std::string("\xFF\xFE"
                         "A\0",
                         4),
             "is UTF-16; save it as UTF-8"},
        Trap{"NotANumber", kOne + "g.exe,1,0x1,0,1.0166,fast\n" + kNext,
             "line 2, column 22: msBetweenPresents 'fast' is not a number"},
        Trap{"Nan", kOne + "g.exe,1,0x1,0,1.0166,nan\n" + kNext,
             "line 2, column 22: msBetweenPresents 'nan' is not a number"},
        Trap{"Infinite", kOne + kRow + "g.exe,1,0x1,0,1.0332,1e400\n",
             "line 3, column 22: msBetweenPresents '1e400' is too large"},
        Trap{"Negative", kOne + kRow + "g.exe,1,0x1,0,1.0332,-16.6\n",
             "line 3, column 22: msBetweenPresents '-16.6' is negative"},
        Trap{"AnHour", kOne + kRow + "g.exe,1,0x1,0,1.0332,3600001\n",
             "line 3, column 22: msBetweenPresents is more than an hour"},
        Trap{"TooFewFields", kOne + "g.exe,1,0x1,0\n" + kNext,
             "line 2, column 1: it has 4 fields, the header 6"},
        Trap{"TooManyFields", kOne + "a, b.exe,1,0x1,0,1.0166,16.6\n" + kNext,
             "line 2, column 1: it has 7 fields, the header 6"},
        Trap{"Quoted", kOne + "\"a, b.exe\",1,0x1,0,1.0166,\"16.6\"\n",
             "PresentMon 1.x, 1 frame over 16.6ms"},
        Trap{"CutOff", kOne + kRow + "g.exe,1,0x1,0,1.03",
             "PresentMon 1.x, 1 frame over 16.6ms, dropped the last line (line 3, column 19: it is "
             "cut off)"},
        Trap{"Missing", kOne + kRow + "g.exe,1,0x1,0,1.0166,NA\n",
             "PresentMon 1.x, 1 frame over 16.6ms, dropped 1 row without a frame time (NA)"},
        Trap{"OnlyMissing", kOne + "g.exe,1,0x1,0,1.0166,NA\n", "holds no frames"},
        Trap{"OtherOrder", "MSBETWEENPRESENTS,application,dropped\n16.6,g.exe,1\n",
             "PresentMon up to 1.3, or OCAT, 1 frame over 16.6ms"},
        Trap{"Dates", kOne + "g.exe,1,0x1,0,2020-1-1 10:00:00.1,16.6\n",
             "PresentMon 1.x, 1 frame over 16.6ms"}),
    [](const auto& test) { return std::string(test.param.name); });

// Rows of equal frames whose timestamps are apart by what `step` says, as text.
std::string equal_frames(const std::string& frame_time, int step_ms) {
    std::string text = kOne;
    for (int i = 0; i < 100; ++i) {
        const std::string ms = std::to_string(i * step_ms);
        text += "g.exe,1,0x1,0," + ms + "e-3," + frame_time + "\n";
    }
    return text;
}

INSTANTIATE_TEST_SUITE_P(
    Timestamps, CaptureTrap,
    testing::Values(
        Trap{"Agree", equal_frames("17", 17), "PresentMon 1.x, 100 frames over 0:01.7"},
        Trap{"Microseconds", equal_frames("17000", 17),
             "the frame times add up to 28:20.0, TimeInSeconds says 0:01.6: the two are in "
             "different units"},
        Trap{"FramesAreMissing", equal_frames("17", 34),
             "PresentMon 1.x, 100 frames over 0:01.7; warning: the frame times add up to 0:01.7, "
             "TimeInSeconds says 0:03.3: frames are missing"},
        Trap{"FramesOverlap", equal_frames("34", 17),
             "PresentMon 1.x, 100 frames over 0:03.4; warning: the frame times add up to 0:03.4, "
             "TimeInSeconds says 0:01.6: frames overlap"},
        Trap{"MangoHudWholeMilliseconds",
             kMango + "58,17,17000000\n58,17,34000000\n58,17,51000000\n58,17,68000000\n",
             "MangoHud 0.6.9+ (milliseconds), 4 frames over 68ms"},
        Trap{"MangoHudMicroseconds",
             kMango + "58,17000,17000000\n58,17000,34000000\n58,17000,51000000\n",
             "MangoHud up to 0.6.8 (microseconds), 3 frames over 51ms"},
        Trap{"MangoHudWithoutElapsed", "fps,frametime\n58,17000\n58,17000\n",
             "MangoHud up to 0.6.8 (microseconds), 2 frames over 34ms; warning: only the decimals "
             "tell the unit, since elapsed is missing"},
        Trap{"MangoHudCutOff", kMango + "58,17,17000000\n58,17,34000000\n58,17,",
             "MangoHud 0.6.9+ (milliseconds), 2 frames over 34ms, dropped the last line (line 6, "
             "column 7: elapsed '' is not a number)"},
        Trap{"MangoHudHour", "fps,frametime\n0,3600000000.5\n", "frametime is more than an hour"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    PlainText, CaptureTrap,
    testing::Values(
        Trap{"NoUnit", "# ms?\n16.667\n", "line 2, column 7: the unit is missing; write 16.667ms"},
        Trap{"OtherUnit", "16.667ms\n  17 min\n",
             "line 2, column 6: 'min' is not a unit; write ns, us, ms or s"},
        Trap{"TwoPoints", "16.6.7ms\n17ms\n", "line 1, column 1: '16.6.7' is not a number"},
        Trap{"MinusOne", "17ms\n-1ms\n", "line 2, column 1: the frame time is negative"},
        Trap{"Hours", "3600s\n3600.1s\n", "line 2, column 1: the frame time is more than an hour"},
        Trap{"LastIsCut", "17ms\n16.6",
             "plain text, 1 frame over 17ms, dropped the last line (line 2, column 5: the unit is "
             "missing; write 16.6ms)"},
        Trap{"Rounded", "16.6666666ms\n", "plain text, 1 frame over 16.666667ms"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Json, CaptureTrap,
    testing::Values(
        Trap{"OtherJson", R"({"a": [1, 2]})",
             "is JSON without Runs[].CaptureData.MsBetweenPresents, so not of CapFrameX"},
        Trap{"JsonCutOff", R"({"Runs": [{"CaptureData": {"MsBetweenPresents": [1, 2)",
             "at byte 54: is not valid JSON here, or cut off"},
        Trap{"JsonNegative", R"({"Runs": [{"CaptureData": {"MsBetweenPresents": [1, -2.5]}}]})",
             "Runs[0].CaptureData.MsBetweenPresents[1] is negative: -2.5"},
        Trap{"JsonNan", R"({"Runs": [{"CaptureData": {"MsBetweenPresents": [1, "NaN"]}}]})",
             "Runs[0].CaptureData.MsBetweenPresents[1] is not a number: 'NaN'"},
        Trap{"JsonTooLarge", R"({"Runs": [{"CaptureData": {"MsBetweenPresents": [1e9]}}]})",
             "Runs[0].CaptureData.MsBetweenPresents[0] is too large: 1e9"},
        Trap{"JsonLengths",
             R"({"Runs": [{"CaptureData": {"MsBetweenPresents": [1], "TimeInSeconds": [1, 2]}}]})",
             "Runs[0] has 1 frame times and 2 timestamps"},
        Trap{"JsonElsewhere",
             R"({"MsBetweenPresents": ["x"], "Runs": [{"CaptureData": )"
             R"({"MsBetweenPresents": [17]}}, {"Runs": null}]})",
             "CapFrameX JSON, 2 runs, 1 frame over 17ms"},
        Trap{"JsonWithoutFrames", R"({"Runs": [{"CaptureData": {"MsBetweenPresents": []}}]})",
             "holds no frames"}),
    [](const auto& test) { return std::string(test.param.name); });

// Not among the parameters, which every run of any test here would make.
TEST(LongCapture, IsRefusedInOneLine) {
    EXPECT_EQ(imported(R"({"a": "\",)" + std::string(2'000'000, ',') + R"("})"),
              "s: at byte 1048584: is not valid JSON here, or cut off");
}

}  // namespace
}  // namespace isotick::harness
