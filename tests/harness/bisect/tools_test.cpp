// What commands name, what their logs say, and who calls whom in an object file.

#include "bisect/builder.hpp"
#include "bisect/symbols.hpp"
#include "bisect/tool.hpp"
#include "support/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::bisect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::string error_in(const std::string& log) {
    std::istringstream stream(log);
    return first_error(stream);
}

TEST(Logs, ShowTheirFirstError) {
    EXPECT_EQ(error_in("make: Entering directory 'x'\ncc -Werror -c game.c\n"
                       "game.c:3:1: warning: no prototype\n"
                       "game.c:4:2: error: unknown type name 'thing'\ngame.c:9:1: error: more\n"
                       "make: *** [Makefile:2: game.so] Error 1\n"),
              "game.c:4:2: error: unknown type name 'thing'");
    EXPECT_EQ(error_in("-- Looking for pthread_create - not found\n"
                       "CMake Error at CMakeLists.txt:3 (find_package):\n"),
              "CMake Error at CMakeLists.txt:3 (find_package):");
    EXPECT_EQ(error_in("ld: game.o: in function `step':\ngame.c: undefined reference to `sqrt'\n"),
              "game.c: undefined reference to `sqrt'");
    EXPECT_EQ(error_in("sh: 1: nosuch: not found\n"), "sh: 1: nosuch: not found");
    EXPECT_EQ(error_in("error[E0425]: cannot find value `x`\n"),
              "error[E0425]: cannot find value `x`");
    EXPECT_EQ(error_in("cp: cannot stat 'a': No such file or directory\r\nmore\n"),
              "cp: cannot stat 'a': No such file or directory");
}

TEST(Logs, ShowTheirLastLineWhereNoneLooksLikeAnError) {
    EXPECT_EQ(error_in("first\n  and last  \n\n \t\n"), "and last");
    EXPECT_EQ(error_in(""), "");
    EXPECT_EQ(error_in("\n\n"), "");
}

TEST(Logs, CutLongLinesBetweenCharacters) {
    EXPECT_EQ(error_in(std::string(200, 'x')), std::string(200, 'x'));
    EXPECT_EQ(error_in(std::string(201, 'x')), std::string(200, 'x') + "…");
    EXPECT_EQ(error_in(std::string(199, 'x') + "€uro"), std::string(199, 'x') + "…");
    EXPECT_EQ(error_in(std::string(300, '\x80')), "…");
}

TEST(Names, AreCutWhereTheyAreMany) {
    EXPECT_EQ(first_names({}, 2), "");
    EXPECT_EQ(first_names({"a", "b"}, 2), "a, b");
    EXPECT_EQ(first_names({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

/// A home with a script in it, in a folder whose name has a blank.
class NamedFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        std::filesystem::create_directories(home());
        std::ofstream(script()) << "#!/bin/sh\n";
        std::filesystem::permissions(script(), std::filesystem::perms::owner_all);
        old_home_ = std::getenv("HOME");
        old_path_ = std::getenv("PATH");
        setenv("HOME", home().c_str(), 1);
        setenv("PATH", (home() + ":" + old_path_).c_str(), 1);
    }

    void TearDown() override {
        setenv("HOME", old_home_.c_str(), 1);
        setenv("PATH", old_path_.c_str(), 1);
    }

    [[nodiscard]] std::string home() const { return folder_.file("my home"); }
    [[nodiscard]] std::string script() const { return home() + "/build.sh"; }

    tests::ScratchFolder folder_;
    std::string old_home_;
    std::string old_path_;
};

TEST_F(NamedFiles, AreFoundHoweverACommandNamesThem) {
    for (const std::string& command :
         {"sh '" + script() + "' {src} {out}", "'" + script() + "' {src}",
          "cd {src}; \"" + script() + "\"&&true", std::string("~/build.sh {src}"),
          std::string("sh $HOME/build.sh {src}"), std::string("sh \"${HOME}/build.sh\""),
          std::string("build.sh {src} {out}"), std::string("A=1 build.sh|cat"),
          std::string("sh -c 'cd {src} && $HOME/build.sh'"), std::string("(build.sh)"),
          std::string("make -C {src} RULES=$HOME/build.sh"), std::string("cat<~/build.sh")}) {
        EXPECT_THAT(files_named_in(command), Contains(script())) << command;
    }
}

TEST_F(NamedFiles, AreThoseOutsideOfTheCheckout) {
    EXPECT_THAT(files_named_in("{src}/build.sh ./build.sh sub/build.sh /none/build.sh"), IsEmpty());
    EXPECT_THAT(files_named_in("'" + home() + "' /dev/null"), IsEmpty());
    EXPECT_THAT(files_named_in("it's build.sh"), Contains(script()));  // no word of a shell
}

TEST(Paths, BecomePlaceholdersAgain) {
    EXPECT_EQ(with_placeholders("/w/1/src/a.c: error in /w/1/out", "/w/1"),
              "{src}/a.c: error in {out}");
}

// As objdump prints it of an object file with a section for each function and datum.
constexpr const char* kTable = R"(
unit.o:     file format elf64-x86-64

SYMBOL TABLE:
0000000000000000 l    df *ABS*	0000000000000000 unit.c
0000000000000000 l     F .text.apply	0000000000000010 apply
0000000000000000 l     F .text.helper	0000000000000010 helper.isra.0
0000000000000000 l     F .text.alone	0000000000000010 alone
0000000000000000 l     O .data.rel.ro.local.klass	0000000000000020 klass
0000000000000000 g     F .text.init	0000000000000010 init
0000000000000000 g     F .text.other	0000000000000010 other
0000000000000000         *UND*	0000000000000000 sqrt


RELOCATION RECORDS FOR [.text.init]:
OFFSET           TYPE              VALUE
0000000000000007 R_X86_64_PC32     .data.rel.ro.local.klass-0x0000000000000004
000000000000000c R_X86_64_PLT32    other-0x0000000000000004


RELOCATION RECORDS FOR [.text.apply]:
OFFSET           TYPE              VALUE
0000000000000007 R_X86_64_PLT32    helper.isra.0-0x0000000000000004
000000000000000c R_X86_64_PLT32    sqrt-0x0000000000000004


RELOCATION RECORDS FOR [.text.helper]:
OFFSET           TYPE              VALUE
0000000000000007 R_X86_64_PC32     .text.apply-0x0000000000000004


RELOCATION RECORDS FOR [.text.other]:
OFFSET           TYPE              VALUE
0000000000000007 R_X86_64_PC32     .text.alone+0x0000000000000004


RELOCATION RECORDS FOR [.data.rel.ro.local.klass]:
OFFSET           TYPE              VALUE
0000000000000008 R_X86_64_64       .text.apply
)";

TEST(Symbols, SayWhatAFunctionCallsOrPointsTo) {
    const Symbols symbols = parse_symbols(kTable);
    EXPECT_THAT(symbols.functions, ElementsAre("init", "other"));
    EXPECT_THAT(symbols.reached.at("init"), ElementsAre("apply", "helper"));
    EXPECT_THAT(symbols.reached.at("other"), ElementsAre("alone"));
    EXPECT_THAT(symbols.own_variables, IsEmpty());
}

}  // namespace
}  // namespace isotick::harness::bisect
