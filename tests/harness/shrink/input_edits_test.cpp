// Edits change the inputs they name, and no others.

#include <isotick/core/random.hpp>
#include <isotick/harness/detail/input_edits.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::Tick;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;
using Cell = std::optional<Bytes>;

constexpr auto kReleaseEdit = InputEditKind::release;
constexpr auto kHoldEdit = InputEditKind::hold;
constexpr auto kReplaceEdit = InputEditKind::replace;
constexpr std::uint32_t kEditPlayers = 2;

/// What player (2: the world) puts into a tick: its number and the tick's; nothing in every fifth.
Cell recorded_cell(std::uint32_t column, std::uint64_t tick) {
    if (tick % 5 == 4) {
        return std::nullopt;
    }
    return Bytes{static_cast<std::uint8_t>(column), static_cast<std::uint8_t>(tick)};
}

/// Plays ticks through an editor and keeps what comes out.
class Session {
  public:
    explicit Session(const InputEdits& edits) : editor_(*InputEditor::make(edits, kEditPlayers)) {}

    std::vector<Cell> next() {
        std::vector<Cell> cells;
        std::vector<isotick_input> recorded;
        for (std::uint32_t column = 0; column <= kEditPlayers; ++column) {
            cells.push_back(recorded_cell(column, tick_));
        }
        for (std::uint32_t column = 0; column <= kEditPlayers; ++column) {
            const Cell& cell = cells[column];
            recorded.push_back({column == kEditPlayers ? ISOTICK_WORLD : column, cell ? 1U : 0U,
                                cell ? cell->size() : 0, cell ? cell->data() : nullptr});
        }
        std::vector<Cell> edited;
        for (const isotick_input& input : editor_.apply(Tick{tick_}, recorded)) {
            EXPECT_EQ(input.player, recorded[edited.size()].player);
            edited.push_back(input.present != 0 ? Cell(Bytes(input.data, input.data + input.size))
                                                : std::nullopt);
        }
        ++tick_;
        return edited;
    }

    std::vector<Cell> column(std::uint32_t wanted, std::uint64_t ticks) {
        std::vector<Cell> cells;
        for (std::uint64_t tick = 0; tick < ticks; ++tick) {
            cells.push_back(next().at(wanted));
        }
        return cells;
    }

    InputEditor& editor() { return editor_; }

  private:
    InputEditor editor_;
    std::uint64_t tick_ = 0;
};

TEST(InputEditor, LeavesWhatNoEditNames) {
    EXPECT_THAT(Session({}).next(), ElementsAre(Bytes{0, 0}, Bytes{1, 0}, Bytes{2, 0}));
    Session others({{0, Tick{0}, Tick{9}, kReleaseEdit}});
    EXPECT_THAT(others.next(), ElementsAre(std::nullopt, Bytes{1, 0}, Bytes{2, 0}));
}

TEST(InputEditor, ReleasesFromTheFirstToTheLastTick) {
    Session session({{0, Tick{1}, Tick{2}, kReleaseEdit}});
    EXPECT_THAT(session.column(0, 4),
                ElementsAre(Bytes{0, 0}, std::nullopt, std::nullopt, Bytes{0, 3}));
}

TEST(InputEditor, ChangesAllPlayersAndTheWorldWhereNoPlayerIsNamed) {
    Session session({{std::nullopt, Tick{0}, Tick{0}, kReleaseEdit}});
    EXPECT_THAT(session.next(), ElementsAre(std::nullopt, std::nullopt, std::nullopt));
    EXPECT_THAT(session.next(), ElementsAre(Bytes{0, 1}, Bytes{1, 1}, Bytes{2, 1}));
}

TEST(InputEditor, ChangesTheWorldAlone) {
    Session session({{ISOTICK_WORLD, Tick{0}, Tick{0}, kReplaceEdit, {7}}});
    EXPECT_THAT(session.next(), ElementsAre(Bytes{0, 0}, Bytes{1, 0}, Bytes{7}));
}

TEST(InputEditor, HoldsTheLastInputThatWasKept) {
    Session session({{1, Tick{2}, Tick{3}, kHoldEdit}});
    EXPECT_THAT(session.column(1, 4),
                ElementsAre(Bytes{1, 0}, Bytes{1, 1}, Bytes{1, 1}, Bytes{1, 1}));
}

TEST(InputEditor, HoldsNothingWhereNothingWasKept) {
    Session session({{1, Tick{0}, Tick{1}, kHoldEdit}});
    EXPECT_THAT(session.column(1, 3), ElementsAre(std::nullopt, std::nullopt, Bytes{1, 2}));
}

TEST(InputEditor, HoldsAnAbsentInputToo) {
    Session session({{1, Tick{5}, Tick{5}, kHoldEdit}});
    EXPECT_EQ(session.column(1, 6).back(), std::nullopt);
}

TEST(InputEditor, HoldsAcrossARelease) {
    Session session({{1, Tick{1}, Tick{1}, kReleaseEdit}, {1, Tick{2}, Tick{2}, kHoldEdit}});
    EXPECT_THAT(session.column(1, 3), ElementsAre(Bytes{1, 0}, std::nullopt, Bytes{1, 0}));
}

TEST(InputEditor, ReplacesAndHoldsWhatItReplacedBy) {
    Session session({{1, Tick{1}, Tick{1}, kReplaceEdit, {}}, {1, Tick{2}, Tick{2}, kHoldEdit}});
    EXPECT_THAT(session.column(1, 4), ElementsAre(Bytes{1, 0}, Bytes{}, Bytes{}, Bytes{1, 3}));
}

TEST(InputEditor, GoesOnWithOtherEditsAsIfTheyHadStoodFromTheStart) {
    const InputEdits after = {{0, Tick{1}, Tick{2}, kReleaseEdit},
                              {0, Tick{4}, Tick{7}, kHoldEdit}};
    Session changed({{0, Tick{1}, Tick{1}, kReleaseEdit}, {0, Tick{2}, Tick{2}, kReleaseEdit}});
    std::vector<Cell> cells = changed.column(0, 4);
    ASSERT_TRUE(changed.editor().continue_with(after));
    for (const Cell& cell : changed.column(0, 4)) {
        cells.push_back(cell);
    }
    EXPECT_EQ(cells, Session(after).column(0, 8));
    EXPECT_EQ(cells[7], (Bytes{0, 3}));
}

TEST(InputEditor, ChangesNothingWhereOtherEditsAreRefused) {
    Session session({{0, Tick{0}, Tick{9}, kReleaseEdit}});
    EXPECT_FALSE(session.editor().continue_with({{7, Tick{0}, Tick{0}, kReleaseEdit}}));
    EXPECT_EQ(session.next()[0], std::nullopt);
}

TEST(InputEditor, CopiesWithWhatItHolds) {
    Session original({{0, Tick{1}, Tick{3}, kHoldEdit}});
    (void)original.next();
    Session copy = original;
    original = Session({});
    EXPECT_EQ(copy.next()[0], (Bytes{0, 0}));
}

/// Reads the edits afresh for every cell, the slow way.
Cell edited_cell(const InputEdits& edits, std::uint32_t column, std::uint64_t tick) {
    Cell held;
    for (std::uint64_t t = 0; t <= tick; ++t) {
        Cell now = recorded_cell(column, t);
        bool kept = true;
        for (const InputEdit& edit : edits) {
            const std::uint32_t player = column == kEditPlayers ? ISOTICK_WORLD : column;
            if (edit.player.value_or(player) != player || t < edit.first.value ||
                t > edit.last.value) {
                continue;
            }
            kept = edit.kind == kReplaceEdit;
            now = edit.kind == kReplaceEdit ? Cell(edit.bytes)
                  : edit.kind == kHoldEdit  ? held
                                            : std::nullopt;
        }
        held = kept ? now : held;
        if (t == tick) {
            return now;
        }
    }
    return std::nullopt;
}

InputEdits random_edits(std::uint64_t seed) {
    core::Pcg32 random(seed);
    InputEdits edits;
    std::vector<std::uint64_t> free_from(kEditPlayers + 1, 0);
    for (std::uint64_t tick = 0; tick < 60; ++tick) {
        const std::uint32_t column = random.below(kEditPlayers + 2);
        const bool all = column > kEditPlayers;
        bool free = true;
        for (std::uint32_t c = 0; c <= kEditPlayers; ++c) {
            free = free && ((c != column && !all) || free_from[c] <= tick);
        }
        if (!free || random.chance(1, 3)) {
            continue;
        }
        const std::uint64_t last = tick + random.below(5);
        const auto kind = static_cast<InputEditKind>(random.below(3));
        for (std::uint32_t c = 0; c <= kEditPlayers; ++c) {
            free_from[c] = c == column || all ? last + 1 : free_from[c];
        }
        InputEdit edit{std::nullopt, Tick{tick}, Tick{last}, kind, {}};
        if (!all) {
            edit.player = column == kEditPlayers ? ISOTICK_WORLD : column;
        }
        if (kind == kReplaceEdit) {
            edit.bytes = Bytes(random.below(3), 99);
        }
        edits.push_back(edit);
    }
    return edits;
}

TEST(InputEditor, AgreesWithReadingTheEditsAfreshForEveryInput) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const InputEdits edits = random_edits(seed);
        ASSERT_GT(edits.size(), 5U) << "seed " << seed;
        Session session(edits);
        for (std::uint64_t tick = 0; tick < 70; ++tick) {
            const std::vector<Cell> cells = session.next();
            for (std::uint32_t column = 0; column <= kEditPlayers; ++column) {
                ASSERT_EQ(cells[column], edited_cell(edits, column, tick))
                    << "seed " << seed << ", tick " << tick << ", column " << column;
            }
        }
    }
}

struct Refused {
    const char* name;
    InputEdits edits;
    const char* words;
};

void PrintTo(const Refused& refused, std::ostream* out) {
    *out << refused.name;
}

class RefusedInputEdits : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedInputEdits, SaysWhichAndWhy) {
    const auto checked = check_input_edits(GetParam().edits, kEditPlayers);
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().message, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    Of, RefusedInputEdits,
    ::testing::Values(
        Refused{"NoSuchPlayer", {{2, Tick{0}, Tick{0}, kReleaseEdit}}, "edit 0 is of a player"},
        Refused{"Backwards", {{0, Tick{2}, Tick{1}, kReleaseEdit}}, "edit 0 ends before"},
        Refused{"Unordered",
                {{0, Tick{2}, Tick{2}, kReleaseEdit}, {1, Tick{1}, Tick{1}, kReleaseEdit}},
                "edit 1 begins before"},
        Refused{"Twice",
                {{0, Tick{2}, Tick{3}, kReleaseEdit}, {std::nullopt, Tick{3}, Tick{4}, kHoldEdit}},
                "edit 1 changes an input that another"},
        Refused{"TwiceBehindAnother",
                {{std::nullopt, Tick{2}, Tick{9}, kReleaseEdit},
                 {0, Tick{10}, Tick{10}, kHoldEdit},
                 {1, Tick{9}, Tick{9}, kHoldEdit}},
                "edit 2 begins before"},
        Refused{"Bytes", {{0, Tick{2}, Tick{3}, kHoldEdit, {1}}}, "edit 0 has bytes"},
        Refused{"LongBytes",
                {{0, Tick{2}, Tick{3}, kReplaceEdit, Bytes(ISOTICK_LONGEST_INPUT + 1)}},
                "edit 0 is longer"}),
    [](const auto& param) { return std::string(param.param.name); });

// Not a parameter above: gtest copies those whenever the program starts, and this one is large.
TEST(InputEdits, AreRefusedIfTheyAreTooMany) {
    const auto checked = check_input_edits(InputEdits(kMostInputEdits + 1), kEditPlayers);
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().message, HasSubstr("too many"));
}

}  // namespace
}  // namespace isotick::harness
