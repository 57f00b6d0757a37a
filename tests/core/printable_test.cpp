#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/result.hpp>

#include <gtest/gtest.h>

namespace {

using isotick::core::is_utf8;
using isotick::core::printable;
using isotick::core::printable_lines;

// The UTF-8 of any number up to 0x1fffff, whether or not it is a code point.
std::string utf8(char32_t value) {
    const auto tail = [value](unsigned shift) {
        return static_cast<char>(0x80U | (value >> shift & 0x3fU));
    };
    if (value < 0x80) {
        return {static_cast<char>(value)};
    }
    if (value < 0x800) {
        return {static_cast<char>(0xc0U | value >> 6U), tail(0)};
    }
    if (value < 0x10000) {
        return {static_cast<char>(0xe0U | value >> 12U), tail(6), tail(0)};
    }
    return {static_cast<char>(0xf0U | value >> 18U), tail(12), tail(6), tail(0)};
}

TEST(Printable, LeavesTextAsItIs) {
    for (const char* text :
         {"", "units[17].velocity", "C:\\games\\s.isotick", "Grüße, 世界 🎮", "\\n \\u001b \\xff"}) {
        EXPECT_EQ(printable(text), text);
        EXPECT_EQ(printable_lines(text), text);
    }
}

TEST(Printable, EscapesWhatSteersATerminalOrForgesALine) {
    EXPECT_EQ(printable("a\x1b[2Jb\nc\rd\te\x7f\a"), "a\\u001b[2Jb\\nc\\rd\\te\\u007f\\u0007");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
    EXPECT_EQ(printable(utf8(0x9b) + "31m"), "\\u009b31m");
    for (const char32_t turn :
         {U'\u061c', U'\u200e', U'\u200f', U'\u202a', U'\u202e', U'\u2066', U'\u2069'}) {
        EXPECT_EQ(printable(utf8(turn)).size(), 6U) << static_cast<unsigned>(turn);
    }
    EXPECT_EQ(printable("a" + utf8(0x2028) + utf8(0x2029)), "a\\u2028\\u2029");
}

TEST(Printable, EscapesEveryControlCharacterAndNothingBesides) {
    for (char32_t value = 0; value <= 0xa0; ++value) {
        const bool is_control = value < 0x20 || (value >= 0x7f && value <= 0x9f);
        EXPECT_EQ(printable(utf8(value)) != utf8(value), is_control)
            << static_cast<unsigned>(value);
    }
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
    EXPECT_EQ(printable("w\xff.isotick"), "w\\xff.isotick");
    EXPECT_EQ(printable("\x9b"
                        "31m"),
              "\\x9b31m");                           // a control for some terminals
    EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");  // a line feed, too long
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");  // cut
    EXPECT_EQ(printable("\xe2\x82"
                        "a"),
              "\\xe2\\x82"
              "a");
    EXPECT_EQ(printable(utf8(0xd800)), "\\xed\\xa0\\x80");  // half a surrogate pair
    EXPECT_EQ(printable(utf8(0x110000)), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, AgreesWithTheJsonReaderOnWhatIsUtf8) {
    for (unsigned bytes = 0; bytes < 1U << 24U; bytes += 251) {
        const std::string text{static_cast<char>(bytes), static_cast<char>(bytes >> 8U),
                               static_cast<char>(bytes >> 16U)};
        if (text.find('\\') == std::string::npos) {
            EXPECT_EQ(printable(text).find("\\x") == std::string::npos, is_utf8(text)) << bytes;
        }
    }
}

TEST(Printable, DoesNotChangeAgain) {
    const std::string once = printable("a\x1b\n\xff" + utf8(0x202e));
    EXPECT_EQ(printable(once), once);
    EXPECT_EQ(printable_lines(once), once);
}

TEST(Printable, LeavesTheLinesOfTextThatHasThem) {
    EXPECT_EQ(printable_lines("a\n\tb\r\n\x1b[A"), "a\n\tb\\r\n\\u001b[A");
}

TEST(Printable, IsWhatErrorsAreDescribedWith) {
    using isotick::core::ErrorCode;
    EXPECT_EQ(describe(isotick::core::Error{ErrorCode::io, "no '\x1b[2J'\nerror: none", "a\nb\xff",
                                            40, std::nullopt}),
              "a\\nb\\xff: at byte 40: no '\\u001b[2J'\\nerror: none");
}

}  // namespace
