// Each planted fault is left with the inputs that it needs, in few trials.

#include "input_model.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::Tick;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tests::Bytes;
using tests::InputFault;
using tests::InputSession;
using tests::Memory;
using Inputs = std::span<const isotick_input>;

constexpr std::uint64_t kTicks = 36'000;
constexpr std::uint32_t kPlayers = 4;

/// Four bytes of its own for each; the world has none. The first is a button, which player 2 keeps
/// down for 150 ticks from tick 6000 on, and for three ticks now and then.
std::optional<Bytes> recorded(std::size_t column, std::uint64_t tick) {
    if (column == kPlayers) {
        return std::nullopt;
    }
    const bool down = column == 2 && ((tick >= 6000 && tick < 6150) || tick % 500 < 3);
    const std::uint64_t noise = (column + 5 * tick + 1) * 0x9e3779b97f4a7c15U;
    return Bytes{static_cast<std::uint8_t>(down ? 1 : 0), static_cast<std::uint8_t>(noise >> 40U),
                 static_cast<std::uint8_t>(noise >> 48U), static_cast<std::uint8_t>(noise >> 56U)};
}

InputSession session_with(const InputFault& fault) {
    return {kPlayers, recorded, fault};
}

bool as_recorded(Inputs inputs, std::size_t column, std::uint64_t tick) {
    return inputs[column].present != 0 && tests::bytes_of(inputs[column]) == recorded(column, tick);
}

ShrunkInputs shrink_inputs_of(const InputSession& session, const ShrinkLimits& limits = {}) {
    const auto tick = tests::divergence_of(session, {}, kTicks);
    EXPECT_TRUE(tick) << "the fault does not show";
    InputsToShrink original;
    original.players = session.players;
    original.diverged_at = tick.value_or(Tick{});
    original.recorded = [](const InputCell& cell) {
        return recorded(cell.player == ISOTICK_WORLD ? kPlayers : cell.player, cell.tick.value);
    };
    original.variants = [](const NeededInput& needed) {
        std::vector<Bytes> variants;
        for (std::size_t i = 0; i < needed.bytes.size(); ++i) {
            variants.push_back(needed.bytes);
            variants.back()[i] = needed.held ? (*needed.held)[i] : 0;
        }
        return variants;
    };
    const ShrunkInputs shrunk = shrink_inputs(original, tests::InputModelRunner(session), limits);
    EXPECT_EQ(tests::divergence_of(session, shrunk.edits, shrunk.diverged_at.value + 1),
              shrunk.diverged_at);
    EXPECT_LE(shrunk.diverged_at, original.diverged_at);
    testing::Test::RecordProperty("from", std::to_string(original.diverged_at.value));
    testing::Test::RecordProperty("to", std::to_string(shrunk.diverged_at.value));
    testing::Test::RecordProperty("trials", std::to_string(shrunk.effort.trials));
    testing::Test::RecordProperty("ticks", std::to_string(shrunk.effort.ticks));
    testing::Test::RecordProperty("left", std::to_string(shrunk.kept.size()) + " inputs, " +
                                              std::to_string(shrunk.edits.size()) + " edits");
    return shrunk;
}

InputCell cell(std::uint32_t player, std::uint64_t tick) {
    return {player, Tick{tick}};
}

/// Three inputs of three players, the last of which shows it.
bool three_inputs(Memory& memory, std::uint64_t tick, Inputs inputs) {
    memory[0] += tick == 5003 && as_recorded(inputs, 0, tick) ? 1U : 0U;
    memory[0] += tick == 12'345 && as_recorded(inputs, 2, tick) ? 1U : 0U;
    return tick == 20'011 && as_recorded(inputs, 3, tick) && memory[0] == 2;
}

TEST(ShrinkInputs, LeavesTheThreeThatAreNeeded) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(three_inputs));
    EXPECT_THAT(shrunk.kept, ElementsAre(cell(0, 5003), cell(2, 12'345), cell(3, 20'011)));
    EXPECT_EQ(shrunk.diverged_at, Tick{20'011});
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::complete);
    EXPECT_LE(shrunk.effort.ticks, 60 * kTicks);
}

TEST(ShrinkInputs, LeavesNoneWhereNoneIsNeeded) {
    const ShrunkInputs shrunk = shrink_inputs_of(
        session_with([](Memory&, std::uint64_t tick, Inputs) { return tick == 7000; }));
    EXPECT_THAT(shrunk.kept, IsEmpty());
    EXPECT_THAT(shrunk.edits, ElementsAre(InputEdit{std::nullopt, Tick{0}, Tick{7000},
                                                    InputEditKind::release, Bytes{}}));
    EXPECT_EQ(shrunk.effort.trials, 1U);
}

/// Forty inputs of player 1 in a row, which show later.
bool forty_inputs(Memory& memory, std::uint64_t tick, Inputs inputs) {
    memory[0] += tick >= 8000 && tick < 8040 && as_recorded(inputs, 1, tick) ? 1U : 0U;
    return tick >= 9000 && memory[0] == 40;
}

TEST(ShrinkInputs, LeavesARunOfInputs) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(forty_inputs));
    ASSERT_EQ(shrunk.kept.size(), 40U);
    for (std::uint64_t i = 0; i < 40; ++i) {
        EXPECT_EQ(shrunk.kept[i], cell(1, 8000 + i));
    }
    EXPECT_LE(shrunk.effort.ticks, 60 * kTicks);
}

/// Six inputs of player 1 in a row and one that comes 25 ticks later, which shows it.
bool six_and_one(Memory& memory, std::uint64_t tick, Inputs inputs) {
    memory[0] += tick >= 8000 && tick < 8006 && as_recorded(inputs, 1, tick) ? 1U : 0U;
    return tick == 8030 && memory[0] == 6 && as_recorded(inputs, 1, tick);
}

TEST(ShrinkInputs, LeavesNoneThatWasKeptUnasked) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(six_and_one));
    EXPECT_THAT(shrunk.kept, ElementsAre(cell(1, 8000), cell(1, 8001), cell(1, 8002), cell(1, 8003),
                                         cell(1, 8004), cell(1, 8005), cell(1, 8030)));
}

/// A button that is kept down for 100 ticks.
bool long_press(Memory& memory, std::uint64_t, Inputs inputs) {
    const isotick_input& input = inputs[2];
    memory[0] = input.present != 0 && input.data[0] == 1 ? memory[0] + 1 : 0;
    return memory[0] == 100;
}

TEST(ShrinkInputs, HoldsAButton) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(long_press));
    EXPECT_THAT(shrunk.kept, ElementsAre(cell(2, shrunk.diverged_at.value - 99)));
    EXPECT_EQ(shrunk.edits.back(), (InputEdit{std::nullopt, Tick{shrunk.diverged_at.value - 98},
                                              shrunk.diverged_at, InputEditKind::hold, Bytes{}}));
    EXPECT_LE(shrunk.effort.ticks, 60 * kTicks);
}

/// The button held for 100 ticks, later an input of player 0, and it shows later still.
bool press_and_input(Memory& memory, std::uint64_t tick, Inputs inputs) {
    memory[0] = memory[0] >= 100 || long_press(memory, tick, inputs) ? 100 : memory[0];
    memory[1] |= memory[0] == 100 && tick == 15'000 && as_recorded(inputs, 0, tick) ? 1U : 0U;
    return tick >= 18'000 && memory[1] == 1;
}

TEST(ShrinkInputs, HoldsAButtonInFrontOfAnInputThatIsNeeded) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(press_and_input));
    ASSERT_EQ(shrunk.kept.size(), 2U);
    EXPECT_EQ(shrunk.kept[0].player, 2U);
    EXPECT_EQ(shrunk.kept[1], cell(0, 15'000));
    EXPECT_LE(shrunk.effort.ticks, 60 * kTicks);
}

/// One byte of one input.
bool one_byte(Memory& memory, std::uint64_t tick, Inputs inputs) {
    const isotick_input& input = inputs[1];
    memory[0] |= tick == 9000 && input.present != 0 && input.size == 4 &&
                         input.data[2] == recorded(1, 9000)->at(2)
                     ? 1U
                     : 0U;
    return tick >= 9500 && memory[0] == 1;
}

TEST(ShrinkInputs, LeavesTheFieldThatIsNeeded) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(one_byte));
    EXPECT_THAT(shrunk.kept, ElementsAre(cell(1, 9000)));
    const Bytes left{0, 0, recorded(1, 9000)->at(2), 0};
    EXPECT_THAT(shrunk.edits,
                Contains(InputEdit{1, Tick{9000}, Tick{9000}, InputEditKind::replace, left}));
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::complete);
}

/// Every input up to tick 2000, as it was recorded.
bool every_input(Memory& memory, std::uint64_t tick, Inputs inputs) {
    for (std::size_t column = 0; column < kPlayers; ++column) {
        memory[0] += as_recorded(inputs, column, tick) ? 1U : 0U;
    }
    return tick == 2000 && memory[0] == 2001 * kPlayers;
}

TEST(ShrinkInputs, EndsWhereEveryInputIsNeeded) {
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(every_input));
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::complete);
    EXPECT_EQ(shrunk.kept.size(), 2001U * kPlayers);
    EXPECT_THAT(shrunk.edits, IsEmpty());
    EXPECT_LE(shrunk.effort.trials, 300U);
}

TEST(ShrinkInputs, KeepsTheBestSoFarWhereTheBudgetEnds) {
    std::size_t left = kTicks * kPlayers;
    for (const std::uint64_t trials : {0U, 10U, 25U, 40U}) {
        ShrinkLimits limits;
        limits.most_trials = trials;
        const ShrunkInputs shrunk = shrink_inputs_of(session_with(three_inputs), limits);
        EXPECT_EQ(shrunk.effort.end, ShrinkEnd::out_of_budget);
        EXPECT_EQ(shrunk.effort.trials, trials);
        EXPECT_LT(shrunk.kept.size(), left) << trials;
        left = shrunk.kept.size();
    }
}

TEST(ShrinkInputs, EndsWhenItIsStopped) {
    ShrinkLimits limits;
    int asked = 0;
    limits.stop = [&asked] { return ++asked > 3; };
    const ShrunkInputs shrunk = shrink_inputs_of(session_with(three_inputs), limits);
    EXPECT_EQ(shrunk.effort.end, ShrinkEnd::stopped);
    EXPECT_EQ(shrunk.effort.trials, 3U);
}

TEST(ShrinkInputs, CutsBehindAnEarlierDivergence) {
    // Without the input to tick 100 it shows at 200 already.
    const ShrunkInputs shrunk =
        shrink_inputs_of(session_with([](Memory& memory, std::uint64_t tick, Inputs inputs) {
            memory[0] |= tick == 100 && inputs[0].present != 0 ? 1U : 0U;
            return (tick >= 200 && memory[0] == 0) || (tick >= 5000 && inputs[3].present != 0);
        }));
    EXPECT_EQ(shrunk.diverged_at, Tick{200});
    EXPECT_THAT(shrunk.kept, IsEmpty());
    EXPECT_EQ(shrunk.edits.back().last, Tick{200});
}

}  // namespace
}  // namespace isotick::harness
