// isotick's JSON reader takes what nlohmann_json takes, and nothing else.

#include <isotick/core/detail/json.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace isotick::core {
namespace {

const std::string kDocuments[] = {
    R"({"t":17,"in":{"0":[{"order":"move","groups":[0,3],"x":512,"y":-1}]},"hash":"00ff"})",
    R"([null,true,false,0,-0,1.5,-2e10,3E+2,0.25e-3,18446744073709551616,"",[],{}])",
    "{\"a\\u00e4\\ud83d\\ude00\\n\\\"\": \"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\", \"b\":\t[ 1 ,2 "
    "]\r\n}",
};

bool same(const JsonValue& ours, const nlohmann::json& theirs) {
    switch (ours.kind) {
        case JsonValue::Kind::null:
            return theirs.is_null();
        case JsonValue::Kind::boolean:
            return theirs.is_boolean() && theirs.get<bool>() == ours.truth;
        case JsonValue::Kind::number:
            return theirs.is_number();
        case JsonValue::Kind::string:
            return theirs.is_string() && theirs.get<std::string>() == ours.text;
        case JsonValue::Kind::array:
        case JsonValue::Kind::object:
            break;
    }
    const bool is_array = ours.kind == JsonValue::Kind::array;
    if (theirs.is_array() != is_array || theirs.size() != ours.members.size()) {
        return false;
    }
    std::size_t i = 0;
    return std::ranges::all_of(ours.members, [&](const JsonMember& member) {
        return same(member.value, is_array ? theirs.at(i++) : theirs.at(member.name));
    });
}

// Ours refuses a name twice and numbers that are too large for a double are refused by theirs.
bool is_known_difference(const std::string& text, const Error& error) {
    return error.message.ends_with("appears twice here") && nlohmann::json::accept(text);
}

TEST(JsonAgreement, EveryMutationIsAcceptedByBothOrNeither) {
    Pcg32 random(3, 4);
    std::uint32_t accepted = 0;
    for (int round = 0; round < 60'000; ++round) {
        std::string text = kDocuments[random.below(std::size(kDocuments))];
        for (std::uint32_t changes = random.below(3); changes > 0; --changes) {
            const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
            constexpr std::string_view kLetters = "{}[]\",:0123456789eE+-.\\utnf \n\x80\xc3\xed";
            switch (random.below(3)) {
                case 0:
                    text[at] = kLetters[random.below(kLetters.size())];
                    break;
                case 1:
                    text.erase(at, 1 + random.below(3));
                    break;
                default:
                    text.insert(at, 1, kLetters[random.below(kLetters.size())]);
            }
        }
        const auto ours = parse_json(text);
        const auto theirs = nlohmann::json::parse(text, nullptr, false);
        if (ours) {
            ++accepted;
            const bool overflows = theirs.is_discarded() && text.find_first_of("eE") != text.npos;
            ASSERT_TRUE(overflows || same(*ours, theirs)) << text;
        } else {
            ASSERT_TRUE(theirs.is_discarded() || is_known_difference(text, ours.error())) << text;
        }
    }
    EXPECT_GT(accepted, 20'000U);
    EXPECT_LT(accepted, 50'000U);
}

}  // namespace
}  // namespace isotick::core
