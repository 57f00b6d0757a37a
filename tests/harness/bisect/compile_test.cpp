// How compile commands, rules for make and tables of symbols are read.

#include "bisect/compile_commands.hpp"
#include "bisect/compiler.hpp"
#include "bisect/linker.hpp"
#include "bisect/symbols.hpp"
#include "system/shell_words.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::harness::bisect {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWords, SplitsAsAShellDoes) {
    EXPECT_EQ(shell_words("  cc -DA='b c'  \"d \\\" \\e\" f\\ g ''\n"),
              (Words{"cc", "-DA=b c", "d \" \\e", "f g", ""}));
    EXPECT_EQ(shell_words(""), Words{});
    EXPECT_FALSE(shell_words("cc 'a"));
    EXPECT_FALSE(shell_words("cc \"a"));
}

TEST(Way, IsFlagsOrACompilerOrBoth) {
    const auto flags = Way::parse("-O3 -ffast-math");
    ASSERT_TRUE(flags);
    EXPECT_EQ(flags->compiler, "");
    EXPECT_EQ(flags->flags, (Words{"-O3", "-ffast-math"}));
    const auto both = Way::parse("clang -O3");
    ASSERT_TRUE(both);
    EXPECT_EQ(both->compiler, "clang");
    EXPECT_EQ(both->flags, (Words{"-O3"}));
    EXPECT_FALSE(Way::parse(" "));
    EXPECT_FALSE(Way::parse("'"));
}

TEST(Compiler, IsNamedBehindItsLaunchers) {
    const auto named = [](Words words) {
        return compiler_of(CompileCommand{"a.c", "/", std::move(words), "/a.o"});
    };
    EXPECT_EQ(named({"cc", "-c", "a.c"}), "cc");
    EXPECT_EQ(named({"/usr/bin/ccache", "distcc", "g++", "a.c"}), "g++");
    EXPECT_EQ(named({"ccache"}), "ccache");
}

TEST(NeededFiles, AreThoseBehindTheColon) {
    EXPECT_EQ(
        files_of_rule("/w/object.o: a.c \\\n /usr/b.h c\\ d.h e$$.h \\\n  ../f\\#.h\n", "/src/x"),
        (Words{"/src/x/a.c", "/usr/b.h", "/src/x/c d.h", "/src/x/e$.h", "/src/f#.h"}));
    EXPECT_EQ(files_of_rule("", "/"), Words{});
}

TEST(Symbols, AreToldApartByWhoSeesThem) {
    const Symbols symbols = parse_symbols(
        "\na.o:     file format elf64-x86-64\n\nSYMBOL TABLE:\n"
        "0000000000000000 l    df *ABS*\t0000000000000000 a.c\n"
        "0000000000000000 l    d  .text\t0000000000000000 .text\n"
        "0000000000000000 l     F .text\t0000000000000010 helper\n"
        "0000000000000000 l     O .bss\t0000000000000004 calls.0\n"
        "0000000000000000 l     O .rodata\t0000000000000004 table\n"
        "0000000000000000 l     O .data.rel.ro.local\t0000000000000004 pointers\n"
        "0000000000000010 g     F .text\t0000000000000010 step\n"
        "0000000000000020 g     F .text\t0000000000000010 .hidden sum\n"
        "0000000000000000  w    F .text._Z3dotv\t000000000000000e _Z3dotv\n"
        "0000000000000000 g     O .data\t0000000000000004 world\n"
        "0000000000000000         *UND*\t0000000000000000 malloc\n");
    EXPECT_EQ(symbols.functions, (Words{"step", "sum"}));
    EXPECT_EQ(symbols.weak_functions, Words{"_Z3dotv"});
    EXPECT_EQ(symbols.variables, Words{"world"});
    EXPECT_EQ(symbols.own_variables, Words{"calls.0"});
    EXPECT_EQ(readable_name("_Z3dotv"), "dot()");
    EXPECT_EQ(readable_name("step"), "step");
}

TEST(Linker, KnowsTheObjectFilesThatACommandNames) {
    const std::vector<CompileCommand> units{{"a.c", "/w", {"cc"}, "/w/out/a.o"},
                                            {"b.c", "/w", {"cc"}, "/w/out/b.o"},
                                            {"test.c", "/w", {"cc"}, "/w/out/test.o"}};
    const auto named = Linker::make({"cc -shared ./out/b.o out/a.o -o x", "{out}", "/w"}, units);
    ASSERT_TRUE(named);
    ASSERT_EQ(named->units().size(), 2U);
    EXPECT_EQ(named->units()[0].file, "b.c");
    EXPECT_EQ(named->units()[1].file, "a.c");
    const auto all = Linker::make({"cc out/b.o {objects} -o {out}", "{out}", "/w"}, units);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->units().size(), 3U);
    EXPECT_FALSE(Linker::make({"cc other.o -o x", "{out}", "/w"}, units));
    EXPECT_FALSE(Linker::make({"cc out/b.o", "{out}", "/w"}, units));
}

}  // namespace
}  // namespace isotick::harness::bisect
