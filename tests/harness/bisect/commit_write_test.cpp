// Which lines a commit changed, out of git's text.

#include "bisect/commit_write.hpp"

#include <gtest/gtest.h>

namespace isotick::harness::bisect {
namespace {

TEST(ChangedLines, AreThoseOfBothSides) {
    const ChangedLines changed = changed_lines(
        "diff --git a/src/game.cpp b/src/game.cpp\n"
        "index 1111111..2222222 100644\n"
        "--- a/src/game.cpp\n"
        "+++ b/src/game.cpp\n"
        "@@ -12,2 +12 @@ void step()\n"
        "--- a/x;\n"
        "-    two();\n"
        "+    one();\n"
        "@@ -40,0 +40,3 @@\n"
        "+a\n"
        "+++ b/other.cpp\n"
        "+c\n"
        "@@ -60 +63 @@\n"
        "-d\n"
        "+e\n"
        "\\ No newline at end of file\n");
    const ChangedFiles before{{"src/game.cpp", {{12, 2}, {60, 1}}}};
    const ChangedFiles after{{"src/game.cpp", {{12, 1}, {40, 3}, {63, 1}}}};
    EXPECT_EQ(changed.before, before);
    EXPECT_EQ(changed.after, after) << "what looks like a file's name is content";
}

TEST(ChangedLines, OfFilesThatComeAndGoAreOnOneSide) {
    const ChangedLines changed = changed_lines(
        "diff --git a/old.c b/old.c\n"
        "deleted file mode 100644\n"
        "--- a/old.c\n"
        "+++ /dev/null\n"
        "@@ -1,4 +0,0 @@\n"
        "-1\n-2\n-3\n-4\n"
        "diff --git a/new.c b/new.c\n"
        "new file mode 100644\n"
        "--- /dev/null\n"
        "+++ b/new.c\n"
        "@@ -0,0 +1 @@\n"
        "+1\n");
    const ChangedFiles before{{"old.c", {{1, 4}}}};
    const ChangedFiles after{{"new.c", {{1, 1}}}};
    EXPECT_EQ(changed.before, before);
    EXPECT_EQ(changed.after, after);
}

TEST(ChangedLines, AreFoundInTheInnermostPlaceOfThatVeryFile) {
    const ChangedFiles files{{"game.c", {{10, 3}}}, {"lib/rules.h", {{5, 1}}}};
    const CodePlace inner{"hurt", "lib/rules.h", 5};
    const CodePlace outer{"step", "game.c", 12};
    EXPECT_EQ(innermost_changed({inner, outer}, files), inner);
    EXPECT_EQ(innermost_changed({{"hurt", "lib/rules.h", 6}, outer}, files), outer);
    for (const CodePlace& other :
         {CodePlace{"step", "lib/game.c", 12}, CodePlace{"step", "/usr/include/lib/rules.h", 5},
          CodePlace{"step", "game.c", 13}, CodePlace{"step", "", 0}}) {
        EXPECT_EQ(innermost_changed({other}, files), std::nullopt) << other.file;
    }
}

TEST(ChangedLines, OfOtherTextAreNone) {
    for (const char* text : {"", "Binary files a/x and b/x differ\n", "@@ nonsense\n@@ -x +y @@\n",
                             "--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n"}) {
        const ChangedLines changed = changed_lines(text);
        EXPECT_TRUE(changed.before.empty() && changed.after.empty()) << text;
    }
}

}  // namespace
}  // namespace isotick::harness::bisect
