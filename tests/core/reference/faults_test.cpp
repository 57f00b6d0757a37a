// Each fault must show where its comment says, and nowhere else.

#include "frames.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

constexpr std::uint64_t kTicks = 600;

// What bots put into one of that name.
const std::vector<TickInputs>& session(const char* name = "pile") {
    static const std::vector<TickInputs> pile = bot_inputs("pile", setup_of(2), kTicks);
    static const std::vector<TickInputs> skirmish = bot_inputs("skirmish", setup_of(2), kTicks);
    return std::string_view(name) == "fault:stale-cache" ? skirmish : pile;
}

// One run of a simulation, from the start or from a snapshot.
class Run {
  public:
    explicit Run(const char* name) : name_(name), simulation_(create(name, setup_of(2))) {}

    void step_to(std::uint64_t tick) {
        for (; tick_ < tick; ++tick_) {
            step(simulation_, tick_, session(name_)[tick_]);
        }
    }

    /// Another run, restored from a snapshot of this one.
    [[nodiscard]] Run restored() {
        Run other(name_);
        require(other.simulation_.load(simulation_.save().value()));
        other.tick_ = tick_;
        return other;
    }

    [[nodiscard]] StateHash hash() { return simulation_.hash().value(); }

  private:
    const char* name_;
    Simulation simulation_;
    std::uint64_t tick_ = 0;
};

// How often, of restores at every 25th tick, the restored hash and the one five ticks on differ.
struct Shown {
    int tries = 0;
    int at_once = 0;
    int later = 0;
};

Shown restore_often(const char* name) {
    Shown shown;
    Run run(name);
    for (std::uint64_t tick = 25; tick + 5 < kTicks; tick += 25) {
        run.step_to(tick);
        Run restored = run.restored();
        ++shown.tries;
        shown.at_once += restored.hash() != run.hash() ? 1 : 0;
        restored.step_to(tick + 5);
        run.step_to(tick + 5);
        shown.later += restored.hash() != run.hash() ? 1 : 0;
    }
    return shown;
}

bool two_runs_agree(const char* name) {
    Run one(name);
    Run other(name);
    one.step_to(kTicks);
    other.step_to(kTicks);
    return one.hash() == other.hash();
}

TEST(Fault, PileItselfHasNone) {
    const Shown shown = restore_often("pile");
    EXPECT_EQ(shown.at_once, 0);
    EXPECT_EQ(shown.later, 0);
    EXPECT_TRUE(two_runs_agree("pile"));
}

TEST(Fault, MissingShowsOnlySomeTicksAfterARestore) {
    const Shown shown = restore_often("fault:missing");
    EXPECT_EQ(shown.at_once, 0);
    EXPECT_GT(shown.later, shown.tries / 4);
    EXPECT_LT(shown.later, shown.tries);
    EXPECT_TRUE(two_runs_agree("fault:missing"));
}

TEST(Fault, MissingFromSaveShowsRightAfterARestore) {
    const Shown shown = restore_often("fault:missing-from-save");
    EXPECT_GT(shown.at_once, shown.tries / 4);
    EXPECT_LT(shown.at_once, shown.tries);
    EXPECT_TRUE(two_runs_agree("fault:missing-from-save"));
}

TEST(Fault, StaleCacheShowsAlwaysInTheTicksAfterARestore) {
    const Shown shown = restore_often("fault:stale-cache");
    EXPECT_EQ(shown.at_once, 0);
    EXPECT_EQ(shown.later, shown.tries);
    EXPECT_TRUE(two_runs_agree("fault:stale-cache"));
}

TEST(Fault, PaddingShowsInAnyTwoInstances) {
    const Shown shown = restore_often("fault:padding");
    EXPECT_EQ(shown.at_once, shown.tries);
    EXPECT_EQ(shown.later, shown.tries);
    EXPECT_FALSE(two_runs_agree("fault:padding"));
}

TEST(Fault, PaddingIsInNoOtherPart) {
    const SimulationSetup setup = setup_of(2);
    Simulation one = create("fault:padding", setup);
    Simulation other = create("fault:padding", setup);
    for (std::uint64_t tick = 0; tick < 60; ++tick) {
        step(one, tick, session()[tick]);
        step(other, tick, session()[tick]);
    }
    one.hash().value();
    other.hash().value();
    ASSERT_EQ(one.part_names().back(), "last_drop");
    ASSERT_EQ(one.parts().size(), 7U);
    for (std::size_t part = 0; part < 7; ++part) {
        EXPECT_EQ(one.parts()[part] == other.parts()[part], part != 6);
    }
}

TEST(Fault, PileWithADropHashedByHandComputesWhatPileComputes) {
    const SimulationSetup setup = setup_of(2);
    Trace pile = drive("pile", setup, session(), nominal_frames(60));
    Trace padding = drive("fault:padding", setup, session(), nominal_frames(60));
    for (auto& parts : padding.ticks) {
        parts.pop_back();
    }
    EXPECT_EQ(padding.ticks, pile.ticks);
}

class HiddenFault : public ::testing::TestWithParam<const char*> {};

TEST_P(HiddenFault, IsNotSeenByRunsFromTheStartHoweverTheyAreDriven) {
    const SimulationSetup setup = setup_of(2);
    EXPECT_EQ(drive(GetParam(), setup, session(GetParam()), nominal_frames(300)),
              drive(GetParam(), setup, session(GetParam()), wild_frames(300, 4)));
}

INSTANTIATE_TEST_SUITE_P(Faults, HiddenFault,
                         ::testing::Values("fault:missing", "fault:missing-from-save",
                                           "fault:stale-cache"),
                         [](const auto& test) {
                             std::string name = test.param + 6;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace isotick::core::core_tests
