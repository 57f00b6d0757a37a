// Captures in schedules: what an option means, what is read once, and what comes back.

#include "imports/captures.hpp"

#include <isotick/core/random.hpp>
#include <isotick/harness/capture.hpp>
#include <isotick/harness/record.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <support/scratch_folder.hpp>

namespace isotick::harness {
namespace {

using core::Schedule;

class ScheduleFiles : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.file(name), std::ios::binary) << text;
        return folder_.file(name);
    }
    std::string read(const std::string& text) {
        const auto schedule = captures_.read_schedule(text);
        return schedule ? schedule->to_string() : describe(schedule.error());
    }

    tests::ScratchFolder folder_;
    Captures captures_;
};

TEST_F(ScheduleFiles, ACaptureIsPlayedOnceFromEndToEnd) {
    const std::string path = write("a \"run\".txt", "16ms\n17ms\n");
    EXPECT_EQ(read(path), "capture(\"" + folder_.file("a \\\"run\\\".txt") + "\")");
    EXPECT_EQ(captures_.take_summaries(), std::vector{path + ": plain text, 2 frames over 33ms"});
}

TEST_F(ScheduleFiles, ASpelledOutScheduleIsThatSchedule) {
    EXPECT_EQ(read(ISOTICK_CAPTURES "/drive.schedule"), "2290xnominal, 101.4ms");
    EXPECT_TRUE(captures_.take_summaries().empty());
    EXPECT_EQ(read(write("marked", "\xEF\xBB\xBF# a hitch\r\n3x60hz, 1s\r\n")), "3x60hz, 1s");
}

TEST_F(ScheduleFiles, ASpelledOutScheduleOpensNoOtherFile) {
    const std::string run = write("run.csv", "16ms\n17ms\n");
    const std::string naming = write("naming", "3x60hz, capture(\"" + run + "\")");
    EXPECT_EQ(read(naming), naming + ": names the capture '" + run +
                                "', but a file must not open another; name it in --schedule");
    EXPECT_TRUE(captures_.take_summaries().empty());
}

TEST_F(ScheduleFiles, TextThatIsAScheduleIsNoFile) {
    const auto before = std::filesystem::current_path();
    write("60hz", "16ms\n");
    std::filesystem::current_path(std::filesystem::path(folder_.file("60hz")).parent_path());
    EXPECT_EQ(read("60hz"), "60hz");
    EXPECT_EQ(read("./60hz"), "capture(\"./60hz\")");
    std::filesystem::current_path(before);
}

TEST_F(ScheduleFiles, TextThatIsNeitherIsAScheduleWithAMistake) {
    EXPECT_EQ(read("60h"),
              "at column 3: expected a unit (ns, us, ms or s; hz for a rate), not 'h'");
    EXPECT_EQ(read("gone.CSV"), "gone.CSV: cannot be opened: No such file or directory");
    EXPECT_EQ(read("capture(\"gone\")"), "gone: cannot be opened: No such file or directory");
    EXPECT_EQ(read("/dev/null"), "/dev/null: is not a regular file");
    const std::string bytes = write("bytes", "3x16ms\1");
    EXPECT_EQ(read(bytes), bytes + ": is not text, so it is neither a capture nor a schedule");
    const std::string bad = write("bad", "3x16ms,\n60h\n");
    EXPECT_EQ(read(bad), bad +
                             ": is neither a capture nor a schedule: at column 11: expected a "
                             "unit (ns, us, ms or s; hz for a rate), not 'h'");
}

TEST_F(ScheduleFiles, EachIsReadOnce) {
    const std::string path = write("run.txt", "16ms\n17ms\n");
    const std::string item = "capture(\"" + path + "\")";
    const Schedule whole = Schedule::parse(item, captures_.resolver()).value();
    EXPECT_TRUE(Schedule::parse(item + ", 3ms, " + item, captures_.resolver()));
    EXPECT_EQ(captures_.take_summaries().size(), 1);
    write("run.txt", "1ms\n");
    EXPECT_EQ(Schedule::parse(item, captures_.resolver()).value(), whole);
    EXPECT_NE(Schedule::parse(item, Captures().resolver()).value(), whole);
}

TEST_F(ScheduleFiles, OtherProcessesFindTheFrames) {
    const std::string path = write("run.txt", "16ms\n17ms\n");
    const auto frames = captures_.resolver()(path).value();
    const auto found = open_stored_frames(stored_path(*frames)).value();
    EXPECT_EQ(std::vector(found->ends().begin(), found->ends().end()),
              (std::vector<std::int64_t>{16'000'000, 33'000'000}));
}

TEST_F(ScheduleFiles, ANoteOpensNone) {
    const std::string path = write("run.txt", "16ms\n17ms\n");
    core::Settings notes;
    ASSERT_TRUE(notes.set(kScheduleNote, "capture(\"" + path + "\")"));
    EXPECT_FALSE(recorded_schedule(notes));
    ASSERT_TRUE(notes.set(kScheduleNote, "144hz"));
    EXPECT_EQ(recorded_schedule(notes), Schedule::parse("144hz").value());
}

TEST(PlainText, ReadsBackWhatWasWritten) {
    core::Pcg32 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> ends;
        std::int64_t end = 0;
        for (std::uint32_t left = 1 + random.below(50); left > 0; --left) {
            end += random.between(0, std::int64_t{1} << random.between(0, 41));
            ends.push_back(end);
        }
        std::istringstream stream(to_plain_text(ends));
        const auto capture = import_capture(stream, "s");
        ASSERT_TRUE(capture) << describe(capture.error());
        ASSERT_EQ(capture->ends, ends);
    }
}

/// `text` with a few bytes changed, left out, doubled or swapped for those of another place.
std::string damage(std::string text, core::Pcg32& random) {
    constexpr std::string_view kBytes = "0159.,;-\"\n\r#/e{}[]:N \t\xFF";
    for (std::uint32_t left = 1 + random.below(6); left > 0 && !text.empty(); --left) {
        const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
        const std::size_t size = random.below(40);
        switch (random.below(4)) {
            case 0:
                text[at] = kBytes[random.below(static_cast<std::uint32_t>(kBytes.size()))];
                break;
            case 1:
                text.erase(at, size);
                break;
            case 2:
                text.insert(at, text.substr(text.size() - at, size));
                break;
            default:
                text.resize(at);
        }
    }
    return text;
}

TEST(DamagedCapture, GivesFramesThatPlayOrAMessage) {
    core::Pcg32 random(3);
    int read = 0;
    int refused = 0;
    for (const auto& entry : std::filesystem::directory_iterator(ISOTICK_CAPTURES)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string whole{std::istreambuf_iterator<char>(file), {}};
        for (int round = 0; round < 2000; ++round) {
            std::istringstream stream(damage(whole, random));
            const auto capture = import_capture(stream, "s");
            ++(capture ? read : refused);
            ASSERT_TRUE(!capture || core::CapturedFrames::own(capture->ends)) << stream.str();
            ASSERT_TRUE(capture || !capture.error().message.empty());
        }
    }
    EXPECT_GT(read, 2000);
    EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace isotick::harness
