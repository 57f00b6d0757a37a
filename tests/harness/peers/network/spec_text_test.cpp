// The text of networks: what it means, that it reads back, and how it is refused.

#include "random_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using tests::any_spec;
using tests::any_trace;
using tests::kMillisecond;
using tests::kSecond;
using tests::take;

NetworkSpec read(const std::string& text) {
    return take(NetworkSpec::parse(text, any_trace));
}

std::string again(const std::string& text) {
    return read(text).to_string();
}

TEST(NetworkText, ReadsSettings) {
    const LinkSettings settings =
        read("delay=80ms±20ms loss=3% burst=4 dup=1% reorder=5% rate=1mbit queue=64kb")
            .parts()
            .usual;
    EXPECT_EQ(settings.delay_ns, 80 * kMillisecond);
    EXPECT_EQ(settings.jitter_ns, 20 * kMillisecond);
    EXPECT_EQ(settings.loss_per_mille, 30U);
    EXPECT_EQ(settings.burst, 4U);
    EXPECT_EQ(settings.duplication_per_mille, 10U);
    EXPECT_EQ(settings.reordering_per_mille, 50U);
    EXPECT_EQ(settings.hold_back_ns, 50 * kMillisecond);
    EXPECT_EQ(settings.rate, 1'000'000U);
    EXPECT_EQ(settings.queue, 64'000U);
}

TEST(NetworkText, TakesTheSpreadInThreeForms) {
    EXPECT_EQ(read("delay=80ms+-20ms"), read("delay=80ms±20ms"));
    EXPECT_EQ(read("delay=80ms±20 loss=3%"), read("delay=80ms ± 20ms loss=3%"));
    EXPECT_EQ(read("1>0(delay=80ms+-20)"), read("1>0(delay=80ms±20ms)"));
}

TEST(NetworkText, IsCanonical) {
    EXPECT_EQ(again("perfect"), "perfect");
    EXPECT_EQ(again("loss=0%"), "perfect");
    EXPECT_EQ(again(" mobile\n loss=8% "), "mobile loss=8%")
        << "differs from mobile in one setting";
    EXPECT_EQ(again("broadband loss=0.1%"), "broadband");
    EXPECT_EQ(again("queue=1.5kb delay=1500us rate=0.5gbit"),
              "delay=1.5ms rate=500mbit queue=1.5kb");
    EXPECT_EQ(again("reorder=2%+50ms"), "reorder=2%");
    EXPECT_EQ(again("reorder=2%+5ms"), "reorder=2%+5ms");
    EXPECT_EQ(again("2>0(satellite) 1>*(loss=0% delay=2s) *>3(awful rate=unlimited)"),
              "perfect *>3(awful rate=unlimited) 1>*(delay=2s loss=0%) 2>0(satellite)");
    EXPECT_EQ(again("cut(3,1|2,0@5s+2s) cut(1@1s+1ms)"),
              "perfect cut(1@1s+1ms) cut(0,2|1,3@5s+2s)");
    EXPECT_EQ(again("drop(0>1#3) drop(0>1#7) drop(0>1#5-6) drop(1>0#8)"),
              "perfect drop(0>1#3) drop(0>1#5-7) drop(1>0#8)");
    EXPECT_EQ(again("twice(3>1#17+5ms) late(3>1#17-120ms) drop(0>1#2)"),
              "perfect drop(0>1#2) late(3>1#17-120ms) twice(3>1#17+5ms)");
    EXPECT_EQ(again("trace(a.csv) 1>0(trace(\"b \\\"c\\\".csv\"))"),
              "trace(\"a.csv\") 1>0(trace(\"b \\\"c\\\".csv\"))");
}

TEST(NetworkText, NamesTheNearestProfileOnlyWhereAllSettingsAreGiven) {
    EXPECT_EQ(again("1>0(perfect delay=5ms)"), "perfect 1>0(perfect delay=5ms)");
    EXPECT_EQ(again("1>0(delay=5ms)"), "perfect 1>0(delay=5ms)");
}

TEST(NetworkText, EveryProfileReadsBack) {
    for (const char* name : {"perfect", "lan", "broadband", "mobile", "satellite", "awful"}) {
        EXPECT_EQ(again(name), name);
    }
}

TEST(NetworkText, ReadsBackEqual) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const NetworkSpec spec = any_spec(seed, 5);
        const std::string text = spec.to_string();
        const auto parsed = NetworkSpec::parse(text, any_trace);
        ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
        ASSERT_EQ(*parsed, spec) << text;
        ASSERT_EQ(parsed->to_string(), text);
    }
}

TEST(NetworkText, RulesOfOneLinkPrevailOverThoseOfMany) {
    const NetworkSpec spec = read("delay=1ms 2>0(delay=4ms) 2>*(delay=3ms loss=3%) *>0(delay=2ms)");
    EXPECT_EQ(spec.settings(2, 0).delay_ns, 4 * kMillisecond);
    EXPECT_EQ(spec.settings(2, 0).loss_per_mille, 30U);
    EXPECT_EQ(spec.settings(2, 1).delay_ns, 3 * kMillisecond);
    EXPECT_EQ(spec.settings(1, 0).delay_ns, 2 * kMillisecond);
    EXPECT_EQ(spec.settings(0, 2).delay_ns, 1 * kMillisecond);
}

TEST(NetworkText, KnowsHowManyNodesItTakes) {
    EXPECT_EQ(read("awful").least_nodes(), 2U);
    EXPECT_EQ(read("3>1(loss=1%)").least_nodes(), 4U);
    EXPECT_EQ(read("cut(0|7@0ms+1s)").least_nodes(), 8U);
    EXPECT_EQ(read("drop(9>1#0)").least_nodes(), 10U);
    EXPECT_EQ(read("9>*(loss=1%)").least_nodes(), 10U);
}

struct Refusal {
    const char* text;
    const char* message;
};

TEST(NetworkText, TakesNoHalfOfASign) {
    for (const char* const text :
         {"delay=80ms\xC2", "delay=80ms\xC2 loss=3%", "delay=80ms\xC2 20ms", "delay=80ms\xC2+-20ms",
          "delay=80ms\xB1"
          "20ms"}) {
        EXPECT_FALSE(NetworkSpec::parse(text)) << text;
    }
}

class NetworkTextRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(NetworkTextRefuses, WithColumnAndReason) {
    const auto parsed = NetworkSpec::parse(GetParam().text);
    ASSERT_FALSE(parsed.has_value()) << parsed->to_string();
    EXPECT_EQ(parsed.error().code, core::ErrorCode::usage);
    EXPECT_EQ(parsed.error().message, std::string("at column ") + GetParam().message);
}

constexpr const char* kForms =
    "expected a profile (perfect, lan, broadband, mobile, satellite, awful), a setting (delay=, "
    "loss=, burst=, dup=, reorder=, rate=, queue=, trace(…))";

const std::string kAllForms =
    std::string(kForms) + ", a link (2>0(…)), cut(…), drop(…), late(…) or twice(…)";
const std::string kNothing = "1: " + kAllForms + ", not the end";
const std::string kUnknown = "1: " + kAllForms + ", not 'dialup'";
const std::string kUnknownInLink = "5: " + std::string(kForms) + ", not 'cut'";
const std::string kEmptyLink = "5: " + std::string(kForms) + ", not ')'";

INSTANTIATE_TEST_SUITE_P(
    Words, NetworkTextRefuses,
    ::testing::Values(Refusal{"", kNothing.c_str()}, Refusal{"dialup", kUnknown.c_str()},
                      Refusal{"1>0(cut(1@0ms+1s))", kUnknownInLink.c_str()},
                      Refusal{"1>0()", kEmptyLink.c_str()},
                      Refusal{"lan mobile", "5: expected one profile, before any setting"},
                      Refusal{"loss=1% lan", "9: expected one profile, before any setting"},
                      Refusal{"loss=1% loss=2%", "9: expected each setting once"},
                      Refusal{"loss=1%dup=1%", "8: expected a blank, not 'dup'"},
                      Refusal{"1>0(loss=1%dup=1%)", "12: expected a blank, not 'dup'"},
                      Refusal{"loss", "5: expected '=', not the end"},
                      Refusal{"trace(x.csv)",
                              "6: expected no trace, since nothing here reads files"},
                      Refusal{"trace()", "7: expected the path of a file, of 1 to 4096 bytes"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, NetworkTextRefuses,
    ::testing::Values(
        Refusal{"loss=101%", "6: expected a share such as 10% or 12.5% from 0 to 100"},
        Refusal{"loss=-1%", "6: expected a share such as 10% or 12.5%, not '-'"},
        Refusal{"loss=3", "7: expected '%', not the end"},
        Refusal{"loss=0.05%", "9: expected at most tenths of a percent"},
        Refusal{"delay=-1ms", "7: expected a delay from 0ms to 60s"},
        Refusal{"delay=61s", "7: expected a delay from 0ms to 60s"},
        Refusal{"delay=10", "9: expected a unit (ns, us, ms or s; hz for a rate), not the end"},
        Refusal{"delay=10ms+-11ms", "7: expected a spread from 0ms to the delay"},
        Refusal{"delay=10ms+5ms", "12: expected '-', not '5'"},
        Refusal{"burst=0", "7: expected packets in a row from 1 to 1000"},
        Refusal{"delay= 61s", "8: expected a delay from 0ms to 60s"},
        Refusal{"burst=1001", "7: expected packets in a row from 1 to 1000"},
        Refusal{"dup=200%", "5: expected a share such as 10% or 12.5% from 0 to 100"},
        Refusal{"reorder=1%+0ms", "9: expected packets held back by 2ns to 60s"},
        Refusal{"reorder=1%+61s", "9: expected packets held back by 2ns to 60s"},
        Refusal{"rate=0mbit", "6: expected a rate from 1kbit to 100gbit, or unlimited"},
        Refusal{"rate=101gbit", "6: expected a rate from 1kbit to 100gbit, or unlimited"},
        Refusal{"rate=99999999999gbit", "6: expected a rate from 1kbit to 100gbit, or unlimited"},
        Refusal{"rate=fast", "6: expected a rate such as 1.5mbit, or unlimited, not 'fast'"},
        Refusal{"rate=1mb", "7: expected a unit (bit, kbit, mbit or gbit, per second), not 'mb'"},
        Refusal{"rate=0.0001kbit", "11: expected whole bits, nothing finer"},
        Refusal{"queue=1b", "7: expected a size from 1kb to 16mb"},
        Refusal{"queue=17mb", "7: expected a size from 1kb to 16mb"},
        Refusal{"queue=64", "9: expected a unit (b, kb or mb), not the end"},
        Refusal{"queue=big", "7: expected a size such as 64kb, not 'big'"}));

INSTANTIATE_TEST_SUITE_P(
    Links, NetworkTextRefuses,
    ::testing::Values(
        Refusal{"1>1(loss=1%)", "1: expected a link between two nodes, such as 2>0 or 2>*"},
        Refusal{"*>*(loss=1%)", "1: expected a link between two nodes, such as 2>0 or 2>*"},
        Refusal{"256>1(loss=1%)", "1: expected a node from 0 to 255"},
        Refusal{"1(loss=1%)", "2: expected '>', not '('"},
        Refusal{"1>x(loss=1%)", "3: expected a node, not 'x'"},
        Refusal{"1>0 loss=1%", "5: expected '(', not 'loss'"},
        Refusal{"1>0(loss=1%", "12: expected ')', not the end"},
        Refusal{"1>0(loss=1%) 1>0(dup=1%)", "14: expected each link once"}));

INSTANTIATE_TEST_SUITE_P(
    Cuts, NetworkTextRefuses,
    ::testing::Values(Refusal{"cut()", "5: expected a node, not ')'"},
                      Refusal{"cut(0|@0ms+1s)", "7: expected a node, not '@'"},
                      Refusal{"cut(0,1|1@0ms+1s)", "1: expected nodes from 0 to 255, each once"},
                      Refusal{"cut(0|1)", "8: expected '@', not ')'"},
                      Refusal{"cut(0|1@5s)", "11: expected '+', not ')'"},
                      Refusal{"cut(0|1@-5s+1s)", "9: expected a time that is not negative"},
                      Refusal{"cut(0|1@86401s+1s)",
                              "1: expected a cut that begins from 0ms to 86400s"},
                      Refusal{"cut(0|1@5s+0s)", "1: expected a cut that lasts from 1ns to 86400s"},
                      Refusal{"cut(0|1@5s+1s) cut(1|0@5s+1s)", "16: expected each cut once"}));

INSTANTIATE_TEST_SUITE_P(
    Events, NetworkTextRefuses,
    ::testing::Values(
        Refusal{"drop(1>1#0)", "1: expected a packet between two nodes, such as 3>1#17"},
        Refusal{"drop(1>0)", "9: expected '#', not ')'"},
        Refusal{"drop(1>0#-1)", "10: expected the number of a packet, not '-'"},
        Refusal{"drop(1>0#70368744177664)",
                "10: expected the number of a packet from 0 to 70368744177663"},
        Refusal{"drop(1>0#5-5)",
                "12: expected the number of a later packet from 6 to 70368744177663"},
        Refusal{"drop(1>0#1+5ms)", "11: expected ')', not '+'"},
        Refusal{"late(1>0#1)", "11: expected '+' or '-', not ')'"},
        Refusal{"late(1>0#1+0ms)", "1: expected a time that is not zero"},
        Refusal{"late(1>0#1+-5ms)", "12: expected a time that is not negative"},
        Refusal{"late(1>0#1+1000000001s)", "1: expected a time of at most 1000000000s"},
        Refusal{"drop(1>0#1) drop(1>0#1)",
                "13: expected each fault of a packet once, and none of one that is dropped"},
        Refusal{"late(1>0#1+5ms) drop(1>0#1)",
                "17: expected each fault of a packet once, and none of one that is dropped"}));

TEST(NetworkText, PassesTheErrorsOfTracesOn) {
    const auto parsed = NetworkSpec::parse("trace(gone)", [](const std::string& path) {
        return core::Result<std::shared_ptr<const LinkTrace>>(
            core::fail(core::ErrorCode::io, "no " + path));
    });
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().code, core::ErrorCode::io);
    EXPECT_EQ(parsed.error().message, "no gone");
}

TEST(NetworkParts, AreCheckedWithoutAText) {
    NetworkParts parts;
    parts.usual.loss_per_mille = 1001;
    EXPECT_EQ(NetworkSpec::from_parts(parts).error().message, "expected a share from 0% to 100%");
    parts.usual.loss_per_mille = 0;
    parts.rules.resize(1);
    parts.rules[0].to = 256;
    EXPECT_EQ(NetworkSpec::from_parts(parts).error().message, "expected nodes from 0 to 255");
    parts.rules[0].to = 1;
    EXPECT_EQ(NetworkSpec::from_parts(parts).error().message, "expected a setting of the link");
    parts.rules.clear();
    parts.events.assign(2, {0, 1, 5, PacketFault::drop, 0});
    EXPECT_EQ(NetworkSpec::from_parts(parts).error().message,
              "expected each fault of a packet once, and none of one that is dropped");
}

}  // namespace
}  // namespace isotick::harness
