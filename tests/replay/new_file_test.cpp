// Files that appear at their path only when they are complete, and what is left of those that
// never are.

#include "scratch.hpp"
#include "write/unnamed_file.hpp"

#include <isotick/replay/detail/new_file.hpp>

#include <functional>
#include <optional>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <csignal>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/wait.h>
#endif

namespace isotick::replay {
namespace {

using core::ErrorCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::byte> kOld{std::byte{1}};
const std::vector<std::byte> kNew{std::byte{2}, std::byte{3}};

/// How a file is made: as the system can, or as it is where there are no nameless files.
struct Making {
    const char* name;
    core::Result<UnnamedFile> (*make)(const std::filesystem::path&);
};

void PrintTo(const Making& making, std::ostream* out) {
    *out << making.name;
}

class UnnamedFileTest : public Scratch, public testing::WithParamInterface<Making> {
  protected:
    [[nodiscard]] core::Result<UnnamedFile> make() const { return GetParam().make(path("a")); }

    [[nodiscard]] UnnamedFile written() const {
        auto file = make();
        EXPECT_TRUE(file) << describe(file.error());
        EXPECT_TRUE(file->file().write(kNew));
        return *std::move(file);
    }
};

TEST_P(UnnamedFileTest, CanBeOpenedBeforeItHasItsName) {
    auto file = written();
    EXPECT_EQ(read_bytes(file.place()), kNew);
    EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_P(UnnamedFileTest, TakesItsName) {
    ASSERT_TRUE(written().take_name(false));
    EXPECT_EQ(read_bytes(path("a")), kNew);
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_P(UnnamedFileTest, ReplacesWhatHasItsName) {
    write_bytes(path("a"), kOld);
    auto file = written();
    EXPECT_EQ(read_bytes(path("a")), kOld);
    ASSERT_TRUE(file.take_name(true));
    EXPECT_EQ(read_bytes(path("a")), kNew);
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_P(UnnamedFileTest, AppearsBeforeItIsComplete) {
    auto file = written();
    ASSERT_TRUE(file.appear(false));
    EXPECT_EQ(read_bytes(path("a")), kNew);
    EXPECT_THAT(names(), ElementsAre("a"));
    ASSERT_TRUE(file.file().write(kNew));
    ASSERT_TRUE(file.take_name(false));
    EXPECT_EQ(read_bytes(path("a")).size(), 2 * kNew.size());
}

TEST_P(UnnamedFileTest, AppearsBesideWhatItReplaces) {
    write_bytes(path("a"), kOld);
    write_bytes(path("a.unfinished"), kOld);
    { ASSERT_TRUE(written().appear(true)); }
    EXPECT_EQ(read_bytes(path("a")), kOld);
    EXPECT_EQ(read_bytes(path("a.unfinished")), kOld);
    EXPECT_EQ(read_bytes(path("a.unfinished1")), kNew);
    EXPECT_THAT(unfinished_beside(path("a")),
                ElementsAre(path("a.unfinished"), path("a.unfinished1")));
    auto file = written();
    ASSERT_TRUE(file.appear(true));
    ASSERT_TRUE(file.take_name(true));
    EXPECT_EQ(read_bytes(path("a")), kNew);
    EXPECT_THAT(names(), ElementsAre("a", "a.unfinished", "a.unfinished1"));
}

TEST_P(UnnamedFileTest, DoesNotAppearInPlaceOfAnother) {
    auto file = written();
    write_bytes(path("a"), kOld);
    const auto appeared = file.appear(false);
    ASSERT_FALSE(appeared);
    EXPECT_EQ(appeared.error().code, ErrorCode::usage);
    EXPECT_EQ(read_bytes(path("a")), kOld);
}

TEST_P(UnnamedFileTest, LeavesWhatTookItsNameMeanwhile) {
    {
        auto file = written();
        write_bytes(path("a"), kOld);
        const auto named = file.take_name(false);
        ASSERT_FALSE(named);
        EXPECT_EQ(named.error().code, ErrorCode::usage);
        EXPECT_EQ(named.error().file, path("a"));
    }
    EXPECT_EQ(read_bytes(path("a")), kOld);
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_P(UnnamedFileTest, VanishesUnlessItTookItsName) {
    { const auto file = written(); }
    EXPECT_THAT(names(), ElementsAre());
}

TEST_P(UnnamedFileTest, NeedsItsFolder) {
    const auto file = GetParam().make(path("none/a"));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::io);
    EXPECT_EQ(file.error().file, path("none/a"));
}

#if !defined(_WIN32)

mode_t mode_of(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
}

TEST_P(UnnamedFileTest, HasTheUsualRights) {
    const mode_t before = umask(027);
    EXPECT_TRUE(written().take_name(false));
    umask(before);
    EXPECT_EQ(mode_of(path("a")), 0640U);
}

TEST_P(UnnamedFileTest, KeepsTheRightsOfWhatItReplaces) {
    for (const mode_t mode : {0600U, 0400U, 0664U, 0755U}) {
        write_bytes(path("a"), kOld);
        ASSERT_EQ(chmod(path("a").c_str(), mode), 0);
        auto file = written();
        EXPECT_EQ(mode_of(file.place()) & 077, mode & 077) << "while it is written";
        ASSERT_TRUE(file.take_name(true));
        EXPECT_EQ(mode_of(path("a")), mode);
        EXPECT_EQ(read_bytes(path("a")), kNew);
    }
}

TEST_P(UnnamedFileTest, KeepsTheOwnerOfWhatItReplacesWhereTheSystemAllowsThat) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root may give files away";
    }
    write_bytes(path("a"), kOld);
    ASSERT_EQ(chown(path("a").c_str(), 12, 34), 0);
    ASSERT_TRUE(written().take_name(true));
    struct stat status {};
    ASSERT_EQ(stat(path("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 12U);
    EXPECT_EQ(status.st_gid, 34U);
}

#endif

INSTANTIATE_TEST_SUITE_P(Made, UnnamedFileTest,
                         testing::Values(Making{"as the system can", UnnamedFile::create},
                                         Making{"beside its name", UnnamedFile::create_beside}));

using NewFileTest = Scratch;

TEST_F(NewFileTest, RefusesWhatExistsBeforeAnythingIsWritten) {
    write_bytes(path("a"), kOld);
    const auto file = NewFile::create(path("a"), false);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::usage);
    EXPECT_FALSE(NewFile::create(path(""), true)) << "a folder";
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(NewFileTest, AppearsWhenItIsComplete) {
    auto file = NewFile::create(path("a"), true).value();
    ASSERT_TRUE(file.write(kNew));
    EXPECT_FALSE(std::filesystem::exists(path("a")));
    ASSERT_TRUE(file.complete());
    EXPECT_EQ(read_bytes(path("a")), kNew);
}

TEST_F(NewFileTest, IsTheSameUnderEveryName) {
    write_bytes(path("a"), kOld);
    write_bytes(path("b"), kOld);
    std::filesystem::create_hard_link(path("a"), path("link"));
    EXPECT_TRUE(is_same_file(path("a"), path("./a")));
    EXPECT_TRUE(is_same_file(path("a"), path("link")));
    EXPECT_FALSE(is_same_file(path("a"), path("b")));
    EXPECT_FALSE(is_same_file(path("a"), path("none")));
    EXPECT_FALSE(is_same_file(path("none"), path("none")));
}

#if !defined(_WIN32)

// Kills a process with a file of that name under way, which `make` makes.
void leave_dead(const std::function<core::Result<UnnamedFile>()>& make) {
    const pid_t child = fork();
    if (child == 0) {
        auto file = make();
        if (file && file->file().write(kNew)) {
            kill(getpid(), SIGKILL);
        }
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
}

class KilledMaker : public Scratch {
  protected:
    [[nodiscard]] core::Result<UnnamedFile> beside() const {
        return UnnamedFile::create_beside(path("a"));
    }
};

#if defined(__linux__)
TEST_F(KilledMaker, LeavesNothing) {
    leave_dead([this] { return UnnamedFile::create(path("a")); });
    EXPECT_THAT(names(), ElementsAre());
}
#endif

TEST_F(KilledMaker, LeavesWhatTheNextOneRemoves) {
    leave_dead([this] { return beside(); });
    ASSERT_THAT(names(), ElementsAre("a.isotick-partial0"));
    ASSERT_TRUE(UnnamedFile::create(path("a"))->take_name(false));
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(KilledMaker, DoesNotTakeThoseThatLiveWithIt) {
    auto living = beside();
    ASSERT_TRUE(living);
    leave_dead([this] { return beside(); });
    ASSERT_THAT(names(), ElementsAre("a.isotick-partial0", "a.isotick-partial1"));
    {
        const auto next = beside();
        ASSERT_TRUE(next);
        EXPECT_EQ(next->place(), path("a.isotick-partial1"));
    }
    EXPECT_THAT(names(), ElementsAre("a.isotick-partial0"));
    ASSERT_TRUE(living->take_name(false));
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(KilledMaker, IsNamedWhereItCannotBeToldFromOneThatLives) {
    std::vector<UnnamedFile> living;
    for (int i = 0; i < 10; ++i) {
        living.push_back(*beside());
    }
    const auto one_more = beside();
    ASSERT_FALSE(one_more);
    EXPECT_EQ(one_more.error().code, ErrorCode::io);
    EXPECT_THAT(one_more.error().message, HasSubstr("remove " + path("a.isotick-partial0")));
}

TEST_F(KilledMaker, IsNotTakenForAUserWhoMadeAFileOfThatName) {
    write_bytes(path("a.isotick-partial0"), kOld);
    write_bytes(path("a.isotick-partial3"), kOld);
    ASSERT_TRUE(UnnamedFile::create(path("a"))->take_name(true));
    ASSERT_TRUE(beside()->take_name(true));
    EXPECT_THAT(names(), ElementsAre("a", "a.isotick-partial0", "a.isotick-partial3"));
}

TEST_F(KilledMaker, LeavesFoldersAndLinksOfThatNameAlone) {
    write_bytes(path("kept"), kOld);
    std::filesystem::create_symlink(path("kept"), path("a.isotick-partial0"));
    std::filesystem::create_directory(path("a.isotick-partial1"));
    ASSERT_TRUE(beside()->take_name(false));
    EXPECT_THAT(names(), ElementsAre("a", "a.isotick-partial0", "a.isotick-partial1", "kept"));
}

#endif

}  // namespace
}  // namespace isotick::replay
