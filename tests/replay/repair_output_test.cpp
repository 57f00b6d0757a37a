// Where repair writes, what it refuses to touch, and what it leaves behind when it fails.

#include "repaired.hpp"

#include <isotick/replay/repair.hpp>

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <csignal>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>
#endif

namespace isotick::replay {
namespace {

using core::ErrorCode;
using Names = std::vector<std::string>;

class RepairOutput : public RepairTest {
  protected:
    void SetUp() override {
        RepairTest::SetUp();
        whole().flip_byte(chunk_at(1) + 30).save(path("damaged"));
    }

    // The code of the failure, and that nothing has changed.
    ErrorCode refusal(const std::string& output, const RepairOptions& options = {}) {
        const Names before = names();
        const auto source = read_bytes(path("damaged"));
        const auto report = repair(path("damaged"), path(output), options);
        EXPECT_FALSE(report);
        EXPECT_EQ(names(), before);
        EXPECT_EQ(read_bytes(path("damaged")), source);
        return report ? ErrorCode::limit : report.error().code;
    }
};

TEST_F(RepairOutput, WhatExistsIsRefused) {
    write_bytes(path("old"), {std::byte{1}});
    EXPECT_EQ(refusal("old"), ErrorCode::usage);
    EXPECT_EQ(read_bytes(path("old")).size(), 1U);
}

TEST_F(RepairOutput, WhatExistsIsReplacedOnRequest) {
    write_bytes(path("old"), {std::byte{1}});
    ASSERT_TRUE(repair(path("damaged"), path("old"), {.overwrite = true}));
    EXPECT_EQ(read_through(path("old"), session_).ticks, 16U);
    EXPECT_EQ(names(), (Names{"damaged", "old", "whole"}));
}

TEST_F(RepairOutput, TheSourceItselfIsRefusedUnderEveryName) {
    const RepairOptions force{.overwrite = true};
    EXPECT_EQ(refusal("damaged", force), ErrorCode::usage);
    EXPECT_EQ(refusal("./damaged", force), ErrorCode::usage);
    std::filesystem::create_hard_link(path("damaged"), path("link"));
    EXPECT_EQ(refusal("link", force), ErrorCode::usage);
}

TEST_F(RepairOutput, ASourceThatIsNotThereLeavesNothing) {
    const auto report = repair(path("none"), path("out"));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::io);
    EXPECT_EQ(names(), (Names{"damaged", "whole"}));
}

TEST_F(RepairOutput, AFolderThatIsNotThereIsAnError) {
    EXPECT_EQ(refusal("none/out"), ErrorCode::io);
}

TEST_F(RepairOutput, AnUnfinishedRecordingStaysUnfinished) {
    {
        auto writer = session_.create(path("killed"));
        ASSERT_TRUE(session_.append(*writer, 50));
    }
    const auto report = repair(path("killed"), path("out"));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->complete());
    EXPECT_FALSE(report->was_finished);
    EXPECT_EQ(read_bytes(path("out")), read_bytes(path("killed")));
}

TEST_F(RepairOutput, ARecordingWithoutTicksIsCopied) {
    session_.ticks = 0;
    record();
    const RepairReport report = repaired(whole());
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(read_bytes(path("out")), bytes());
}

#if !defined(_WIN32)

TEST_F(RepairOutput, TheSourceIsRefusedBehindASymbolicLink) {
    std::filesystem::create_symlink(path("damaged"), path("link"));
    EXPECT_EQ(refusal("link", {.overwrite = true}), ErrorCode::usage);
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(RepairOutput, AFullDiskIsAnError) {
    const auto report = repair(path("damaged"), "/dev/full", {.overwrite = true});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::io);
    EXPECT_EQ(report.error().file, "/dev/full");
}

// In a child, since the limit is the process's: 0 if repair failed as it should.
int repair_within(std::uint64_t most_bytes, const std::string& source, const std::string& output,
                  const RepairOptions& options) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{most_bytes, most_bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto report = repair(source, output, options);
        _exit(!report && report.error().code == ErrorCode::io ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST_F(RepairOutput, ADiskThatFillsUpLeavesNoNewFile) {
    for (const char* source : {"damaged", "whole"}) {
        ASSERT_TRUE(repair(path(source), path("out")));
        const auto size = std::filesystem::file_size(path("out"));
        std::filesystem::remove(path("out"));
        // Wherever it does: in the head, in a chunk, in the tail.
        for (const std::uintmax_t most : {std::uintmax_t{1}, size / 2, size - 1}) {
            EXPECT_EQ(repair_within(most, path(source), path("out"), {}), 0) << most;
            EXPECT_EQ(names(), (Names{"damaged", "whole"})) << most;
        }
        EXPECT_NE(repair_within(size, path(source), path("out"), {}), 0);
        std::filesystem::remove(path("out"));
    }
}

TEST_F(RepairOutput, ADiskThatFillsUpKeepsTheOldFile) {
    write_bytes(path("out"), {std::byte{1}});
    EXPECT_EQ(repair_within(chunk_at(1) - 1, path("damaged"), path("out"), {.overwrite = true}), 0);
    EXPECT_EQ(read_bytes(path("out")).size(), 1U);
    EXPECT_EQ(names(), (Names{"damaged", "out", "whole"}));
}

#endif

TEST_F(RepairOutput, ASourceThatCannotBeReadIsAnError) {
    std::filesystem::create_directory(path("folder"));
    for (const char* source : {"folder", "absent"}) {
        const auto report = repair(path(source), path("out"));
        ASSERT_FALSE(report) << source;
        EXPECT_EQ(report.error().code, ErrorCode::io);
    }
    EXPECT_EQ(names(), (Names{"damaged", "folder", "whole"}));
}

}  // namespace
}  // namespace isotick::replay
