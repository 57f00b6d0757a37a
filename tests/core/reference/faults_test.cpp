// Each fault must show where its comment says, and nowhere else.

#include "reference/pile/faults.hpp"

#include "pile_probe.hpp"

#include <isotick/core/hash_archive.hpp>

#include <memory>
#include <sstream>

#include <cereal/archives/binary.hpp>
#include <gtest/gtest.h>

namespace isotick::core::reference {

// cereal's binary archives stand for isotick's own here.
template <>
inline constexpr bool is_snapshot_archive_v<cereal::BinaryOutputArchive> = true;
template <>
inline constexpr bool is_snapshot_archive_v<cereal::BinaryInputArchive> = true;

}  // namespace isotick::core::reference

namespace isotick::core::testing {
namespace {

using reference::Blind;
using reference::PaddingPile;
using reference::Pile;
using reference::SlowMotionPile;
using reference::StaleCachePile;

constexpr std::uint64_t kTicks = 600;

const std::vector<TickInputs>& session() {
    static const std::vector<TickInputs> inputs = bot_inputs("pile", setup_of(2), kTicks);
    return inputs;
}

// One run of a simulation, from the start or from a snapshot.
template <class T>
class Run {
  public:
    void step_to(std::uint64_t tick) {
        for (; tick_ < tick; ++tick_) {
            std::vector<isotick_input> entries;
            for (std::uint32_t i = 0; i < session()[tick_].size(); ++i) {
                const auto& bytes = session()[tick_][i];
                entries.push_back({i, bytes ? 1U : 0U, bytes ? bytes->size() : 0,
                                   bytes ? bytes->data() : nullptr});
            }
            simulation_->step({Tick{tick_}, 1.0 / 60.0, 1, 60, Inputs(entries)});
        }
    }

    /// Another run, restored from a snapshot of this one.
    [[nodiscard]] Run restored() const {
        std::stringstream bytes;
        cereal::BinaryOutputArchive{bytes}(*simulation_);
        Run other;
        cereal::BinaryInputArchive{bytes}(*other.simulation_);
        other.tick_ = tick_;
        return other;
    }

    [[nodiscard]] StateHash hash() const {
        HashSink sink;
        hash_state(*simulation_, sink);
        std::vector<PartHash> parts;
        for (const HashSink::Part& part : sink.parts()) {
            parts.push_back(part.hash);
        }
        return hash_parts(parts);
    }

  private:
    std::unique_ptr<T> simulation_ = std::make_unique<T>(setup_of(2));
    std::uint64_t tick_ = 0;
};

// How often, of restores at every 25th tick, the restored hash and the one five ticks on differ.
struct Shown {
    int tries = 0;
    int at_once = 0;
    int later = 0;
};

template <class T>
Shown restore_often() {
    Shown shown;
    Run<T> run;
    for (std::uint64_t tick = 25; tick + 5 < kTicks; tick += 25) {
        run.step_to(tick);
        Run<T> restored = run.restored();
        ++shown.tries;
        shown.at_once += restored.hash() != run.hash() ? 1 : 0;
        restored.step_to(tick + 5);
        run.step_to(tick + 5);
        shown.later += restored.hash() != run.hash() ? 1 : 0;
    }
    return shown;
}

template <class T>
bool two_runs_agree() {
    Run<T> one;
    Run<T> other;
    one.step_to(kTicks);
    other.step_to(kTicks);
    return one.hash() == other.hash();
}

TEST(Fault, PileItselfHasNone) {
    const Shown shown = restore_often<Pile>();
    EXPECT_EQ(shown.at_once, 0);
    EXPECT_EQ(shown.later, 0);
    EXPECT_TRUE(two_runs_agree<Pile>());
}

TEST(Fault, MissingShowsOnlySomeTicksAfterARestore) {
    using Missing = SlowMotionPile<Blind::hash_and_save>;
    const Shown shown = restore_often<Missing>();
    EXPECT_EQ(shown.at_once, 0);
    EXPECT_GT(shown.later, shown.tries / 4);
    EXPECT_LT(shown.later, shown.tries);
    EXPECT_TRUE(two_runs_agree<Missing>());
}

TEST(Fault, MissingFromSaveShowsRightAfterARestore) {
    using MissingFromSave = SlowMotionPile<Blind::save>;
    const Shown shown = restore_often<MissingFromSave>();
    EXPECT_GT(shown.at_once, shown.tries / 4);
    EXPECT_LT(shown.at_once, shown.tries);
    EXPECT_TRUE(two_runs_agree<MissingFromSave>());
}

TEST(Fault, StaleCacheShowsAlwaysInTheTicksAfterARestore) {
    const Shown shown = restore_often<StaleCachePile>();
    EXPECT_EQ(shown.at_once, 0);
    EXPECT_EQ(shown.later, shown.tries);
    EXPECT_TRUE(two_runs_agree<StaleCachePile>());
}

TEST(Fault, PaddingShowsInAnyTwoInstances) {
    const Shown shown = restore_often<PaddingPile>();
    EXPECT_EQ(shown.at_once, shown.tries);
    EXPECT_EQ(shown.later, shown.tries);
    EXPECT_FALSE(two_runs_agree<PaddingPile>());
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
    EXPECT_EQ(drive(GetParam(), setup, session(), nominal_frames(300)),
              drive(GetParam(), setup, session(), wild_frames(300, 4)));
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
}  // namespace isotick::core::testing
