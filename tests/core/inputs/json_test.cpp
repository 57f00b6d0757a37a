#include <isotick/core/detail/json.hpp>

#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using ::testing::HasSubstr;
using Kind = JsonValue::Kind;

TEST(Json, ReadsEveryKindOfValueWithItsPlace) {
    const std::string text =
        R"( {"a": [1, -2.5e3, true], "b\u00e4": "x\n\ud83d\ude00", "c": null})";
    const JsonValue value = parse_json(text).value();
    ASSERT_EQ(value.kind, Kind::object);
    EXPECT_EQ(value.offset, 1U);
    EXPECT_EQ(value.size, text.size() - 1);
    const JsonValue& list = *value.find("a");
    ASSERT_EQ(list.kind, Kind::array);
    EXPECT_EQ(text.substr(list.offset, list.size), "[1, -2.5e3, true]");
    EXPECT_EQ(list.members[0].value.as_unsigned(), 1U);
    EXPECT_EQ(list.members[1].value.text, "-2.5e3");
    EXPECT_TRUE(list.members[2].value.truth);
    EXPECT_EQ(value.find("b\xc3\xa4")->text, "x\n\xf0\x9f\x98\x80");
    EXPECT_EQ(value.find("c")->kind, Kind::null);
    EXPECT_EQ(value.find("d"), nullptr);
}

TEST(Json, WholeNumbersAreExactOrNothing) {
    const auto number = [](const char* text) { return parse_json(text).value(); };
    EXPECT_EQ(number("18446744073709551615").as_unsigned(), UINT64_MAX);
    EXPECT_EQ(number("18446744073709551616").as_unsigned(), std::nullopt);
    EXPECT_EQ(number("-9223372036854775808").as_signed(), INT64_MIN);
    EXPECT_EQ(number("1.0").as_unsigned(), std::nullopt);
    EXPECT_EQ(number("1e3").as_signed(), std::nullopt);
    EXPECT_EQ(number("-1").as_unsigned(), std::nullopt);
    EXPECT_EQ(number("\"1\"").as_unsigned(), std::nullopt);
}

struct Fault {
    const char* name;
    std::string text;
    std::uint64_t offset;
    const char* message;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.name;
}

class BadJson : public ::testing::TestWithParam<Fault> {};

TEST_P(BadJson, IsRefusedAtTheByteThatIsWrong) {
    const auto parsed = parse_json(GetParam().text, {.depth = 4, .values = 20});
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().offset, GetParam().offset);
    EXPECT_THAT(parsed.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Json, BadJson,
    ::testing::Values(
        Fault{"nothing", "", 0, "a value is missing"},
        Fault{"rest", "1 2", 2, "nothing may follow"}, Fault{"word", "[nul]", 4, "no JSON value"},
        Fault{"nan", "[NaN]", 1, "no JSON value"}, Fault{"plus", "+1", 0, "no JSON value"},
        Fault{"zero", "[01]", 2, "',' or ']' is missing"},
        Fault{"point", "1.", 2, "a digit is missing"},
        Fault{"exponent", "1e+", 3, "a digit is missing"}, Fault{"minus", "-", 1, "no JSON value"},
        Fault{"huge", "[0e309]", 1, "the exponent is beyond what a double has"},
        Fault{"open_string", "\"abc", 4, "does not end"},
        Fault{"control", "\"a\nb\"", 2, "a control character is not escaped"},
        Fault{"escape", "\"\\x\"", 1, "no such escape"},
        Fault{"hex", "\"\\u12g4\"", 1, "four hexadecimal digits"},
        Fault{"lonely_low", "\"\\udc00\"", 0, "surrogate"},
        Fault{"lonely_high", "\"\\ud800x\"", 1, "surrogate"},
        Fault{"latin", "\"\xe4\"", 1, "not UTF-8"},
        Fault{"overlong", "\"\xc0\x80\"", 1, "not UTF-8"},
        Fault{"overlong3", "\"\xe0\x80\x80\"", 1, "not UTF-8"},
        Fault{"surrogate", "\"\xed\xa0\x80\"", 1, "not UTF-8"},
        Fault{"beyond", "\"\xf4\x90\x80\x80\"", 1, "not UTF-8"},
        Fault{"cut_utf8", "\"\xe2\x82\"", 1, "not UTF-8"},
        Fault{"comma", "[1,]", 3, "no JSON value"}, Fault{"no_comma", "[1 2]", 3, "is missing"},
        Fault{"no_name", "{1:2}", 1, "a name in quotes"}, Fault{"no_colon", "{\"a\" 1}", 5, "':'"},
        Fault{"nul", std::string("1\0 2", 4), 1, "nothing may follow"},
        Fault{"twice", "{\"a\":1,\"a\":2}", 7, "twice"},
        Fault{"twice_escaped", "{\"a\":1,\"\\u0061\":2}", 7, "twice"},
        Fault{"deep", "[[[[[1]]]]]", 4, "too deeply"},
        Fault{"many", "[1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3]", 39, "more than 20 values"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Json, StringsAreWrittenSoThatTheyReadBack) {
    std::string every;
    for (char letter = 0; letter < 127; ++letter) {
        every += letter;
    }
    every += "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
    std::string json;
    append_json_string(json, every);
    EXPECT_EQ(parse_json(json).value().text, every);
}

TEST(Json, CompactTextIsTheSameWithoutTheWhitespace) {
    EXPECT_EQ(compact_json(" { \"a b\" : [ 1 ,\n\t\"\\\" \" ] } "), "{\"a b\":[1,\"\\\" \"]}");
}

TEST(Json, SaysWhatIsUtf8) {
    EXPECT_TRUE(is_utf8("a\xc3\xa4\xed\x9f\xbf\xef\xbf\xbd\xf4\x8f\xbf\xbf"));
    EXPECT_TRUE(is_utf8(""));
    EXPECT_FALSE(is_utf8("a\x80"));
    EXPECT_FALSE(is_utf8("\xf0\x8f\xbf\xbf"));
    EXPECT_FALSE(is_utf8("\xf5\x80\x80\x80"));
}

}  // namespace
}  // namespace isotick::core
