// What is laid over a checkout, and what does not fit it.

#include "bisect/builder.hpp"
#include "support/scratch_folder.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace isotick::harness::bisect {
namespace {

namespace fs = std::filesystem;

class Overlay : public ::testing::Test {
  protected:
    Overlay() {
        fs::create_directories(over_ / "code");
        fs::create_directories(tree_);
        write(over_ / "code/glue.c", "glue");
    }

    static void write(const fs::path& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    static std::string read(const fs::path& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    std::string lay() { return lay_over(over_.string(), tree_.string()).value(); }

    tests::ScratchFolder folder_;
    fs::path over_ = folder_.file("over");
    fs::path tree_ = folder_.file("tree");
};

TEST_F(Overlay, ReplacesFilesAndAddsFolders) {
    fs::create_directories(tree_ / "code");
    write(tree_ / "code/glue.c", "old");
    write(tree_ / "code/game.c", "game");
    EXPECT_EQ(lay(), "");
    EXPECT_EQ(read(tree_ / "code/glue.c"), "glue");
    EXPECT_EQ(read(tree_ / "code/game.c"), "game");
}

TEST_F(Overlay, DoesNotFitWhereFilesAndFoldersMeet) {
    write(tree_ / "code", "a file");
    EXPECT_EQ(lay(), "it has a folder where the revision has a file: code");
    fs::remove(tree_ / "code");
    fs::create_directories(tree_ / "code/glue.c");
    EXPECT_EQ(lay(), "it has a file where the revision has a folder: glue.c");
}

TEST_F(Overlay, FollowsNoLink) {
    fs::create_directories(folder_.file("outside"));
    fs::create_directory_symlink(folder_.file("outside"), tree_ / "code");
    EXPECT_NE(lay(), "");
    EXPECT_FALSE(fs::exists(folder_.file("outside/glue.c")));
}

TEST_F(Overlay, HasADigestOfPathsContentsAndPermissions) {
    const auto before = digest_of_folder(over_.string()).value();
    EXPECT_EQ(digest_of_folder(over_.string()).value(), before);
    fs::permissions(over_ / "code/glue.c", fs::perms::owner_exec, fs::perm_options::add);
    const auto executable = digest_of_folder(over_.string()).value();
    EXPECT_NE(executable, before);
    fs::rename(over_ / "code/glue.c", over_ / "code/glue2.c");
    EXPECT_NE(digest_of_folder(over_.string()).value(), executable);
}

TEST(Placeholders, StandForFoldersAsTheShellReadsThem) {
    EXPECT_EQ(expanded_command("cp {src}/a {out}", "/w/1"), "cp /w/1/src/a /w/1/out");
    EXPECT_EQ(expanded_command("cp {src}/a {out}", "/w w"), "cp '/w w/src'/a '/w w/out'");
    EXPECT_EQ(expanded_simulation("{out}/a.so", "/w w"), "/w w/out/a.so");
    EXPECT_EQ(expanded_simulation("exec:{out}/a", "/w w"), "exec:'/w w/out'/a");
}

}  // namespace
}  // namespace isotick::harness::bisect
