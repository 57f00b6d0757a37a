// describe_input and compose_input across the seam.

#include "c_simulations.h"
#include "piles/piles.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/simulation.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

// What a table's describe_input writes in these tests.
std::string& scripted() {
    static std::string text;
    return text;
}

std::int32_t write_script(const isotick_simulation_table*, std::uint32_t, const std::uint8_t*,
                          std::uint64_t, const isotick_sink* sink, isotick_message*) {
    return sink->write(sink->context, scripted().data(), scripted().size());
}

std::int32_t write_too_much(const isotick_simulation_table*, std::uint32_t, const char*,
                            std::uint64_t, const isotick_sink* sink, isotick_message*) {
    const Bytes bytes(ISOTICK_LONGEST_INPUT);
    (void)sink->write(sink->context, bytes.data(), bytes.size());
    return sink->write(sink->context, bytes.data(), 1);
}

std::int32_t describe_by_throwing(const isotick_simulation_table*, std::uint32_t,
                                  const std::uint8_t*, std::uint64_t, const isotick_sink*,
                                  isotick_message*) {
    throw std::runtime_error("lost");
}

isotick_simulation_table scripted_table(const std::string& text) {
    scripted() = text;
    isotick_simulation_table table = *c_simulation();
    table.describe_input = write_script;
    return table;
}

TEST(DescribedInput, WorksInPlainC) {
    const isotick_simulation_table& table = *c_simulation();
    ASSERT_TRUE(check_table(&table));
    ASSERT_TRUE(describes_inputs(table));
    EXPECT_EQ(describe_input(table, 0, Bytes{200}).value(), "200");
    EXPECT_THAT(compose_input(table, 0, "200").value(), ElementsAre(200));
    EXPECT_EQ(describe(describe_input(table, 0, Bytes{}).error()),
              "describe_input failed: one byte is wanted");
    EXPECT_EQ(describe(compose_input(table, 0, "-1").error()),
              "compose_input failed: a number up to 255 is wanted");
}

TEST(DescribedInput, WhatIsNotJsonIsTheSimulationsFault) {
    for (const char* text : {"", "{", "1 2", "\xff", "\"\xff\""}) {
        const auto described = describe_input(scripted_table(text), 0, Bytes{1});
        ASSERT_FALSE(described) << text;
        EXPECT_EQ(described.error().code, ErrorCode::simulation);
        EXPECT_THAT(described.error().message, HasSubstr("not JSON"));
    }
}

TEST(DescribedInput, LimitsHowMuchIsWritten) {
    std::string longest(ISOTICK_LONGEST_INPUT_TEXT, 'x');
    longest.front() = longest.back() = '"';
    EXPECT_TRUE(describe_input(scripted_table(longest), 0, Bytes{1}));
    EXPECT_THAT(describe_input(scripted_table(longest + " "), 0, Bytes{1}).error().message,
                HasSubstr("more than 1048576 bytes"));
    isotick_simulation_table table = *c_simulation();
    table.compose_input = write_too_much;
    EXPECT_THAT(compose_input(table, 0, "1").error().message, HasSubstr("more than 65536 bytes"));
}

TEST(DescribedInput, AnExceptionIsAnError) {
    isotick_simulation_table table = *c_simulation();
    table.describe_input = describe_by_throwing;
    EXPECT_THAT(describe_input(table, 0, Bytes{1}).error().message, HasSubstr("threw: lost"));
}

TEST(DescribedInput, TextThatIsNotJsonNeverReachesTheSimulation) {
    const auto composed = compose_input(*c_simulation(), 0, "12 13");
    ASSERT_FALSE(composed);
    EXPECT_EQ(composed.error().code, ErrorCode::damaged);
    EXPECT_EQ(composed.error().offset, 3U);
}

TEST(DescribedInput, IsFaithfulOnlyWhereTheSameBytesComeBack) {
    EXPECT_EQ(faithful_description(*c_simulation(), 0, Bytes{7}), "7");
    EXPECT_EQ(faithful_description(scripted_table("8"), 0, Bytes{7}), std::nullopt);
    EXPECT_EQ(faithful_description(scripted_table("-8"), 0, Bytes{7}), std::nullopt);
    EXPECT_EQ(faithful_description(*c_simulation(), 0, Bytes{7, 8}), std::nullopt);
}

TEST(ReferenceInputs, SkirmishSpeaksOfOrders) {
    const auto& table = *find_reference_simulation("skirmish");
    const Bytes bytes{1, 0x09, 0x00, 0x02, 0x34, 0x12, 3, 0x80};
    const std::string text =
        R"([{"order":"move","groups":[0,3],"x":512,"y":4660},{"order":"hold","groups":[7]}])";
    EXPECT_EQ(describe_input(table, 0, bytes).value(), text);
    EXPECT_EQ(compose_input(table, 0, text).value(), bytes);
    EXPECT_EQ(describe_input(table, 0, {}).value(), "[]");
    EXPECT_THAT(describe_input(table, ISOTICK_WORLD, Bytes{5}).value(), R"({"supplies":5})");
    EXPECT_THAT(compose_input(table, ISOTICK_WORLD, R"({"supplies":5})").value(), ElementsAre(5));
}

TEST(ReferenceInputs, SkirmishRefusesOrdersThatMakeNoSense) {
    const auto& table = *find_reference_simulation("skirmish");
    const auto why = [&](const char* json) {
        return compose_input(table, 0, json).error().message;
    };
    EXPECT_THAT(why(R"([{"order":"flee"}])"), HasSubstr("[0].order: there is no 'flee'"));
    EXPECT_THAT(why(R"([{"groups":[1]}])"), HasSubstr("there are scatter, move, attack and hold"));
    EXPECT_THAT(why(R"([{"order":"hold","groups":[8]}])"), HasSubstr("groups 0 to 7, not 8"));
    EXPECT_THAT(why(R"([{"order":"hold","x":1}])"), HasSubstr("\"x\" is unknown"));
}

TEST(ReferenceInputs, PileSpeaksOfCommands) {
    const auto& table = *find_simulation("pile");
    const Bytes bytes{0, 7, 1, 0xec, 100, 1, 3, 0, 200};
    const std::string text = R"([{"command":"push","body":263,"right":-20,"up":100},)"
                             R"({"command":"drop","body":3,"x":200}])";
    EXPECT_EQ(describe_input(table, 0, bytes).value(), text);
    EXPECT_EQ(compose_input(table, 0, text).value(), bytes);
    EXPECT_FALSE(describe_input(table, ISOTICK_WORLD, Bytes{1}));
    EXPECT_FALSE(compose_input(table, 0, R"([{"body":1}])"));
}

TEST(ReferenceInputs, SpringSpeaksOfPushes) {
    const auto& table = *find_reference_simulation("spring");
    EXPECT_EQ(describe_input(table, 0, Bytes{0xfd}).value(), R"({"push":-3})");
    EXPECT_THAT(compose_input(table, 0, R"({"push":-3})").value(), ElementsAre(0xfd));
    EXPECT_FALSE(describe_input(table, 0, {}));
}

TEST(ReferenceInputs, AnyBytesAtAllAreDescribedFaithfullyOrNotAtAll) {
    Pcg32 random(1, 2);
    for (const char* name : {"skirmish", "pile", "control:alpha"}) {
        const auto& table = *find_simulation(name);
        std::uint32_t faithful = 0;
        for (int i = 0; i < 20'000; ++i) {
            Bytes bytes(random.below(16));
            for (std::uint8_t& byte : bytes) {
                byte = static_cast<std::uint8_t>(random.below(random.below(2) == 0 ? 4 : 256));
            }
            const auto described = describe_input(table, 0, bytes);
            const bool is_faithful = faithful_description(table, 0, bytes).has_value();
            EXPECT_EQ(described.has_value(), is_faithful);
            faithful += is_faithful ? 1 : 0;
        }
        EXPECT_GT(faithful, 1000U) << name;
        EXPECT_LT(faithful, 19'000U) << name;
    }
}

}  // namespace
}  // namespace isotick::core
