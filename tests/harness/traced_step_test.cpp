// What the instructions of a hand-made trace read and write.

#include "study/traced_step.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kCode = 0x1000;
constexpr std::uint64_t kStack = 0x8000;
constexpr std::uint64_t kWord = 8;

// Numbers of registers.
constexpr std::size_t kRax = 0;
constexpr std::size_t kRbx = 3;
constexpr std::size_t kRsi = 6;

void put(std::uint64_t value, std::string& to) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The instructions one behind the other, and where the stack begins before each and in the end.
InstructionTrace trace_of(const std::vector<std::string_view>& instructions,
                          const std::vector<std::uint64_t>& stacks) {
    InstructionTrace trace;
    std::uint64_t at = kCode;
    for (std::size_t i = 0; i <= instructions.size(); ++i) {
        put(at, trace.states);
        put(std::uint64_t{1} << kStackRegister, trace.states);
        put(stacks[i], trace.states);
        if (i < instructions.size()) {
            trace.code.push_back({at, std::string(instructions[i])});
            at += instructions[i].size();
        }
    }
    trace.count = instructions.size() + 1;
    return trace;
}

std::vector<std::size_t> read_by(const Operation& operation) {
    std::vector<std::size_t> registers;
    for (const Operation::Read& read : operation.reads) {
        registers.push_back(read.from);
    }
    return registers;
}

TEST(TracedStepTest, WhatPushAndPopDoToTheStackPointerIsNoDataOfTheValue) {
    const InstructionTrace trace = trace_of({"\x50", "\x5B"}, {kStack, kStack - kWord, kStack});
    const TracedStep step(trace);
    ASSERT_EQ(step.size(), 2U);

    const Operation& push_rax = step.operation(0);
    EXPECT_THAT(read_by(push_rax), UnorderedElementsAre(kRax));
    EXPECT_EQ(step.write(0).address, kStack - kWord);
    EXPECT_EQ(step.write(0).size, kWord);
    EXPECT_NE(push_rax.writes >> kStackRegister & 1U, 0U);

    const Operation& pop_rbx = step.operation(1);
    EXPECT_THAT(read_by(pop_rbx), IsEmpty());
    EXPECT_EQ(step.read(1).address, kStack - kWord);
    EXPECT_NE(pop_rbx.writes >> kRbx & 1U, 0U);
    EXPECT_EQ(step.last_writer(step.read(1), 1), 0U);
}

TEST(TracedStepTest, CallsAndReturnsReadNoDataEither) {
    using namespace std::string_view_literals;
    const InstructionTrace trace =
        trace_of({"\xE8\x00\x00\x00\x00"sv, "\xC3"}, {kStack, kStack - kWord, kStack});
    const TracedStep step(trace);
    ASSERT_EQ(step.size(), 2U);
    EXPECT_THAT(read_by(step.operation(0)), Not(Contains(kStackRegister)));
    EXPECT_THAT(read_by(step.operation(1)), Not(Contains(kStackRegister)));
    EXPECT_EQ(step.depth(0), 0U);
    EXPECT_EQ(step.depth(1), 1U);
}

TEST(TracedStepTest, AStackPointerThatIsNamedIsData) {
    // push rsp; mov rsi, rsp; lea rax, [rsp]
    const InstructionTrace trace =
        trace_of({"\x54", "\x48\x89\xE6", "\x48\x8D\x04\x24"},
                 {kStack, kStack - kWord, kStack - kWord, kStack - kWord});
    const TracedStep step(trace);
    ASSERT_EQ(step.size(), 3U);
    for (std::size_t at = 0; at < step.size(); ++at) {
        EXPECT_THAT(read_by(step.operation(at)), Contains(kStackRegister)) << at;
    }
    EXPECT_NE(step.operation(1).writes >> kRsi & 1U, 0U);
    EXPECT_NE(step.operation(2).writes >> kRax & 1U, 0U);
}

}  // namespace
}  // namespace isotick::harness
