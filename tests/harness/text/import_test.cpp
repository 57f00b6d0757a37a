// Text that people wrote, and text that is wrong or hostile.

#include "text_files.hpp"

#include <isotick/replay/detail/recorded_ticks.hpp>

#include <filesystem>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/scratch_folder.hpp>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

const std::string kFormat = R"("format":"isotick-text","version":1)";

// Two players, no hash ever due but the last.
const std::string kHead = "{" + kFormat +
                          R"(,"simulation":"x","rate":"10hz","players":2,"hash_every":100,)"
                          R"("initial":{"hash":"0000000000000001"}})"
                          "\n";
const std::string kEnd = R"({"ticks":1,"finished":true,"final":{"hash":"00000000000000aa"}})";

// A head of which hashes are due after every tick.
const std::string kHashed = "{" + kFormat +
                            R"(,"simulation":"x","rate":"10hz","players":1,"parts_every":2,)"
                            R"("part_names":["a","b"],"initial":{"hash":"0000000000000001",)"
                            R"("parts":["0000000000000002","0000000000000003"]}})"
                            "\n";

const std::string kSpring = "{" + kFormat + R"(,"simulation":"spring"})" + "\n";
const std::string kSkirmish =
    "{" + kFormat + R"(,"simulation":"skirmish","config":{"units":"20"}})" + "\n";

struct Wrong {
    const char* name;
    std::string text;
    const char* message;  // and where
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.name;
}

class WrongText : public ::testing::TestWithParam<Wrong> {};

void is_refused(const std::string& text, const char* message) {
    const tests::ScratchFolder folder;
    const auto imported = import_from(text, folder.file("new.isotick"));
    ASSERT_FALSE(imported);
    EXPECT_THAT(describe(imported.error()), HasSubstr(message));
    EXPECT_TRUE(std::filesystem::is_empty(folder.file(".")));
}

TEST_P(WrongText, IsRefusedWithLineAndColumnAndNothingIsLeft) {
    is_refused(GetParam().text, GetParam().message);
}

// Not among the parameters, which every run of any test here would make.
TEST(LongLine, IsRefusedWithLineAndColumnAndNothingIsLeft) {
    is_refused(kHead + "{\"x\":[0" + std::string(std::size_t{1} << 21, ',') + "]}\n" + kEnd,
               "line 2, column 9: no JSON value");
    std::string list = "{\"x\":[0";
    for (int i = 0; i < 600'000; ++i) {
        list += ",0";
    }
    is_refused(kHead + list + "]}\n" + kEnd, "more than 524288 values");
}

std::vector<Wrong> wrong_heads() {
    const auto head = [](const std::string& members) { return "{" + kFormat + members + "}"; };
    return {
        {"nothing", "", "text: the text is empty"},
        {"blank", "\n \n", "text: the text is empty"},
        {"no_json", "hello", "text: line 1, column 1: no JSON value begins like this"},
        {"a_list", "[]", "line 1, column 1: \"the first line\" must be an object, not an array"},
        {"other_format", R"({"format":"x"})", "line 1, column 1: not a recording as text"},
        {"no_format", R"({"version":1})", "not a recording as text"},
        {"newer", R"({"format":"isotick-text","version":2})", "column 36: \"version\" must be 1"},
        {"unknown_member", head(R"(,"sead":1)"), "column 38: \"sead\" is unknown here; there"},
        {"twice", head(R"(,"seed":1,"seed":2)"), "column 47: \"seed\" appears twice here"},
        {"no_name", head(""), "\"simulation\" is missing"},
        {"empty_name", head(R"(,"simulation":"","rate":"1hz")"), "\"simulation\" is missing"},
        {"bad_rate", head(R"(,"rate":"fast")"), "line 1, column 45: 'fast' is not a rate"},
        {"rate_type", head(R"(,"rate":60)"), "\"rate\" must be a string, not a number"},
        {"many_players", head(R"(,"players":4097)"), "from 0 to 4096"},
        {"half_a_player", head(R"(,"players":1.5)"), "\"players\" must be a whole number"},
        {"seed_too_large", head(R"(,"seed":18446744073709551616)"), "\"seed\" must be a number"},
        {"seed_negative", head(R"(,"seed":-1)"), "\"seed\" must be a number of 64 bits"},
        {"seed_empty", head(R"(,"seed":"")"), "\"seed\" must be a number of 64 bits"},
        {"seed_null", head(R"(,"seed":null)"), "\"seed\" must be a number of 64 bits"},
    };
}

INSTANTIATE_TEST_SUITE_P(Head, WrongText, ::testing::ValuesIn(wrong_heads()),
                         [](const auto& param) { return std::string(param.param.name); });

std::vector<Wrong> wrong_settings() {
    const auto head = [](const std::string& members) { return "{" + kFormat + members + "}"; };
    return {
        {"config_type", head(R"(,"config":7)"), "\"config\" must be an object, not a number"},
        {"config_value", head(R"(,"config":{"units":100})"), "column 56: \"units\" must be a str"},
        {"config_key", head(R"(,"config":{"a=b":"1"})"), "line 1, column 48: 'a=b'"},
        {"config_pairs", head(R"(,"config":[["a"]])"), "needs pairs: [key, value]"},
        {"config_pair_twice", head(R"(,"config":[["a","1"],["a","2"]])"), "the same key twice"},
        {"stride_zero", head(R"(,"hash_every":0)"), "from 1 to 4294967295"},
        {"bad_hash", head(R"(,"initial":{"hash":"12"})"), "a string of 16 hexadecimal digits"},
        {"hash_number", head(R"(,"initial":{"hash":12})"), "a string of 16 hexadecimal digits"},
        {"hash_missing", head(R"(,"initial":{})"), "\"initial\" needs a \"hash\""},
        {"hex_text", head(R"(,"notes":{"a":{"hex":"0"}})"), "must be a string, or hexadecimal"},
        {"parts_missing", head(R"(,"part_names":["a","b"],"initial":{"hash":"0000000000000001"})"),
         "\"initial\" needs 2 part hashes"},
        {"names_twice",
         head(R"(,"simulation":"x","rate":"1hz","players":1,"part_names":["a","a"])"
              R"(,"initial":{"hash":"0000000000000001",)"
              R"("parts":["0000000000000001","0000000000000001"]})"),
         "two parts of the state have the same name"},
        {"no_rate", head(R"(,"simulation":"x","initial":{"hash":"0000000000000001"})"),
         "\"rate\" is left out, and the simulation is not here"},
        {"not_here", head(R"(,"simulation":"x","rate":"1hz","players":1)"),
         "there is no x here; --sim names a plug-in"}};
}

INSTANTIATE_TEST_SUITE_P(Settings, WrongText, ::testing::ValuesIn(wrong_settings()),
                         [](const auto& param) { return std::string(param.param.name); });

std::vector<Wrong> wrong_lines() {
    const auto line = [](const std::string& text) { return kHead + text + "\n" + kEnd; };
    return {
        {"cut", line(R"({"t":0)"), "line 2, column 7: ',' or '}' is missing"},
        {"number", line("7"), "line 2, column 1: \"a line\" must be an object, not a number"},
        {"unknown", line(R"({"t":0,"inputs":{}})"), "line 2, column 8: \"inputs\" is unknown"},
        {"other_tick", line(R"({"t":1})"), "line 2, column 6: \"t\" is 1, but this is tick 0"},
        {"tick_type", line(R"({"t":"0"})"), "\"t\" must be a whole number"},
        {"dt_number", line(R"({"dt":0.5})"), "column 7: \"dt\" must be a string, not a number"},
        {"dt_decimal", line(R"({"dt":"0.5"})"), "line 2, column 7: '0.5' is not a dt; write 1/60"},
        {"dt_zero", line(R"({"dt":"1/0"})"), "line 2, column 7: '1/0' is not a dt"},
        {"utf8", line("{\"t\":0,\"\xff\":1}"), "line 2, column 9: this is not UTF-8"},
        {"nan", line(R"({"t":NaN})"), "line 2, column 6: no JSON value begins like this"},
        {"deep", line(std::string(40, '[')), "line 2, column 37: nested too deeply"},
    };
}

INSTANTIATE_TEST_SUITE_P(Line, WrongText, ::testing::ValuesIn(wrong_lines()),
                         [](const auto& param) { return std::string(param.param.name); });

std::vector<Wrong> wrong_inputs() {
    const auto line = [](const std::string& text) { return kHead + text + "\n" + kEnd; };
    const std::string too_long(2 * (ISOTICK_LONGEST_INPUT + 1), '0');
    return {
        {"odd_hex", line(R"({"hex":{"0":"abc"}})"), "line 2, column 13: an input in \"hex\""},
        {"no_hex", line(R"({"hex":{"0":"zz"}})"), "must be a string of pairs of hexadecimal dig"},
        {"hex_type", line(R"({"hex":{"0":null}})"), "must be a string of pairs of hexadecimal"},
        {"hex_list", line(R"({"hex":["00"]})"), "\"hex\" must be an object, not an array"},
        {"player", line(R"({"hex":{"2":""}})"), "line 2, column 9: there is no player \"2\"; th"},
        {"player_name", line(R"({"hex":{"00":""}})"), "there is no player \"00\""},
        {"player_negative", line(R"({"hex":{"-1":""}})"), "there is no player \"-1\""},
        {"player_huge", line(R"({"hex":{"18446744073709551615":""}})"), "there is no player"},
        {"both", line(R"({"in":{},"hex":{"0":"","0":""}})"), "appears twice here"},
        {"input_too_long", line(R"({"hex":{"0":")" + too_long + "\"}}"), "an input of 65537 bytes"},
        {"words_unknown", line(R"({"in":{"0":1}})"), "column 8: to understand this input takes th"},
        {"repeat_zero", line(R"({"repeat":0})"), "\"repeat\" must be a whole number from 1 to"},
        {"repeat_huge", line(R"({"repeat":100000001})"), "\"repeat\" must be a whole number"},
        {"hash_not_due", line(R"({"hash":"0000000000000001"})"), "column 9: no \"hash\" is due a"},
        {"parts_not_due", line(R"({"parts":[]})"), "no \"parts\" is due after tick 0"},
    };
}

INSTANTIATE_TEST_SUITE_P(Inputs, WrongText, ::testing::ValuesIn(wrong_inputs()),
                         [](const auto& param) { return std::string(param.param.name); });

std::vector<Wrong> wrong_ends() {
    const auto line = [](const std::string& text) { return kHead + text + "\n" + kEnd; };
    return {
        {"behind_end", line("{}") + "\n{}", "line 4, column 1: nothing may follow the last line"},
        {"wrong_count", line("{}\n{}"), "line 4, column 1: \"ticks\" is 1, but there are 2"},
        {"end_unknown", kHead + R"({"finished":true,"end":1})", "\"end\" is unknown here"},
        {"end_type", kHead + R"({"finished":1})", "\"finished\" must be true or false, not a num"},
        {"final_of_unfinished", kHead + R"({"finished":false,"final":{"hash":"0000000000000001"}})",
         "only a finished recording has \"final\" hashes"},
        {"final_missing", kHead + "{}\n{\"finished\":true}", "\"final\" hashes are missing"},
        {"final_other_than_initial",
         kHead + R"({"finished":true,"final":{"hash":"0000000000000002"}})",
         "says something else than the line of the last tick"},
        {"final_parts",
         kHead + R"({"final":{"hash":"0000000000000001",)"
                 R"("parts":["0000000000000001"]}})",
         "\"final\" needs 0 part hashes"},
        {"no_end", kHead + "{}\n", "whole chunks of 16 ticks, but here are 1; a last line {\"fin"},
        {"unfinished", kHead + "{}\n{\"finished\":false}", "whole chunks of 16 ticks"}};
}

INSTANTIATE_TEST_SUITE_P(End, WrongText, ::testing::ValuesIn(wrong_ends()),
                         [](const auto& param) { return std::string(param.param.name); });

std::vector<Wrong> wrong_hashes() {
    const std::string zero = R"({"hash":"0000000000000007"})";
    return {
        {"hash_missing", kHashed + "{}", "line 2, column 1: \"hash\" is due after tick 0, but mis"},
        {"names_the_way_out", kHashed + "{}", "--rehash computes all hashes"},
        {"parts_missing", kHashed + zero + "\n" + zero, "line 3, column 1: \"parts\" is due after"},
        {"parts_too_few",
         kHashed + zero + "\n" + R"({"hash":"0000000000000007","parts":["0000000000000007"]})",
         "line 3, column 36: \"parts\" needs 2 hashes"},
        {"repeated", kHashed + R"({"hash":"0000000000000007","repeat":2})",
         "line 2, column 37: each of these ticks needs its own hash"},
        {"final_parts_differ",
         kHashed + zero + "\n" +
             R"({"hash":"0000000000000007","parts":["0000000000000008","0000000000000009"]})" +
             "\n" +
             R"({"final":{"hash":"0000000000000007",)"
             R"("parts":["0000000000000008","000000000000000a"]}})",
         "line 4, column 1: \"final\" says something else than the line of the last tick"},
        {"none_in_head", kSpring + zero, "line 2, column 9: a hash, though the head has no \"ini"},
        {"final_alone", kSpring + R"({"final":{"hash":"0000000000000007"}})",
         "\"final\" hashes, though the head has no \"initial\" ones"},
        {"refused_by_the_simulation",
         kSkirmish + R"({"in":{"0":[{"order":"move","groups":[1],"x":65536}]}})",
         "line 2, column 12: the simulation refuses this input: compose_input failed: [0].x: "
         "65536"},
        {"describes_nothing", kSpring + R"({"in":{"world":1}})", "have no description; write hex"},
        {"too_many_players",
         "{" + kFormat + R"(,"simulation":"skirmish","players":65})" + "\n{\"finished\":true}",
         "skirmish takes 2 to 64 players, not 65"}};
}

INSTANTIATE_TEST_SUITE_P(Hashes, WrongText, ::testing::ValuesIn(wrong_hashes()),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(ImportedText, TakesWhatTheHeadLeavesOutFromTheSimulation) {
    const tests::ScratchFolder folder;
    const std::string path = folder.file("s.isotick");
    const auto imported = import_from(kSkirmish + R"({"repeat":99})" + "\n" +
                                          R"({"in":{"0":[{"order":"hold","groups":[2]}]}})" + "\n" +
                                          R"({"finished":true})",
                                      path);
    ASSERT_TRUE(imported) << describe(imported.error());
    auto reader = replay::Reader::open(path).value();
    const auto& head = reader.head();
    EXPECT_EQ(head.session.players, 2U);
    EXPECT_EQ(head.session.seed, 1U);
    EXPECT_EQ(head.part_names.size(), 5U);
    replay::RecordedTicks ticks(reader);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(ticks.advance().value());
        EXPECT_EQ(ticks.inputs()[0].present, i == 99 ? 1U : 0U);
    }
    EXPECT_THAT(std::vector<int>(ticks.inputs()[0].data, ticks.inputs()[0].data + 2),
                ::testing::ElementsAre(3, 4));
    EXPECT_TRUE(import_from(text_of(path), folder.file("again.isotick"), false, true));
    EXPECT_EQ(bytes_of(folder.file("again.isotick")), bytes_of(path));
}

TEST(ImportedText, BlankLinesAndCarriageReturnsAreNothing) {
    const tests::ScratchFolder folder;
    EXPECT_TRUE(import_from("\r\n" + kHead + "\r\n{}\r\n \n" + kEnd + "\r\n\r\n",
                            folder.file("s.isotick")));
}

TEST(ImportedText, SeedsMayBeNumbersOrTextInEitherBase) {
    for (const char* seed :
         {"18446744073709551615", "\"18446744073709551615\"", "\"0xffffffffffffffff\""}) {
        const tests::ScratchFolder folder;
        const auto imported = import_from("{" + kFormat + R"(,"simulation":"spring","seed":)" +
                                              seed + "}\n{}\n{\"finished\":true}",
                                          folder.file("s.isotick"));
        ASSERT_TRUE(imported) << describe(imported.error());
        EXPECT_EQ(imported->session.seed, UINT64_MAX);
    }
}

TEST(ImportedText, LinesBeyondTheLimitAreRefusedBeforeTheyAreStored) {
    // A stream without end and without line feeds.
    class Endless : public std::streambuf {
        int_type underflow() override {
            setg(block_, block_, block_ + sizeof block_);
            return ' ';
        }
        char block_[4096] = {' '};
    };
    Endless endless;
    std::istream stream(&endless);
    const tests::ScratchFolder folder;
    const auto imported =
        import_text(stream, folder.file("s.isotick"), {.source = "endless"}, built_ins());
    ASSERT_FALSE(imported);
    EXPECT_THAT(describe(imported.error()), HasSubstr("endless: line 1 is longer than 268435456"));
}

TEST(ImportedText, EveryCutIsRefusedOrAnUnfinishedRecordingAndNeverLeavesAnything) {
    const std::string text = kHashed + R"({"hash":"0000000000000007"})" + "\n" +
                             R"({"hash":"0000000000000008","parts":["0000000000000009",)"
                             R"("000000000000000a"],"hex":{"0":"0aff","world":""}})"
                             "\n" +
                             R"({"ticks":2,"finished":true})";
    for (std::size_t size = 0; size < text.size(); ++size) {
        const tests::ScratchFolder folder;
        const bool whole_head_alone =
            size >= kHashed.size() - 1 &&
            text.substr(0, size).find("{", kHashed.size()) == std::string::npos;
        EXPECT_EQ(import_from(text.substr(0, size), folder.file("s.isotick")).has_value(),
                  whole_head_alone)
            << size;
        EXPECT_EQ(std::filesystem::is_empty(folder.file(".")), !whole_head_alone) << size;
    }
    const tests::ScratchFolder folder;
    EXPECT_TRUE(import_from(text, folder.file("s.isotick")));
}

}  // namespace
}  // namespace isotick::harness
