// Which write is the first that two sides do not share, and whose it is.

#include "study/parting_write.hpp"

#include "support/scratch_folder.hpp"
#include "system/write_watch.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/record.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Not isotick's own, which are left out where code is named.
namespace game {

constexpr std::uint64_t kAt = 20;

/// Goes wrong at one tick, in the way that `fault` names.
class Ledger {
  public:
    static constexpr isotick::core::SimulationInfo kInfo{.name = "ledger", .most_players = 1};
    explicit Ledger(const isotick::core::SimulationSetup& setup)
        : fault_(setup.environment.find("fault").value_or("")),
          is_busy_(setup.environment.find("busy").has_value()),
          is_long_(setup.environment.find("long").has_value()),
          leftover_(setup.environment.find("leftover").has_value() ? 2 : 1),
          run_(++runs) {}

    void step(const isotick::core::Step& step) {
        now_ = step.tick.value == kAt;
        if (now_) {
            for (std::uint64_t i = 0; i < 5'500 && is_busy_; ++i) {
                *const_cast<volatile std::uint64_t*>(&wasted_) = i;
            }
            [[maybe_unused]] volatile std::uint64_t spent =
                0;  // on the stack, which is not watched
            for (std::uint64_t i = 0; i < 60'000 && is_long_; ++i) {
                spent = i;
            }
            move_what_is_owned();
            if (is("wastes a draw")) {
                waste_a_draw();
            }
        }
        gold += draw() % 100;
        if (now_) {
            go_on();
            go_on_with_what_is_no_state();
        }
        ++ticks;
    }

    void render(double) {
        if (is("renders") && ticks == kAt) {
            ++gold;
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ticks), CEREAL_NVP(random), CEREAL_NVP(gold), CEREAL_NVP(bonus),
                CEREAL_NVP(weights), CEREAL_NVP(text), CEREAL_NVP(owned), CEREAL_NVP(items),
                CEREAL_NVP(finds));
        archive(cereal::make_nvp("far", *far_));  // in no object that serialize shows
        std::vector<std::uint64_t> copies(40, gold);
        std::uint64_t copy = gold;
        for (std::uint64_t& one : copies) {
            archive(one);
        }
        archive(copy);
    }

    std::uint64_t ticks = 0;
    std::uint64_t random = 1;
    std::uint64_t gold = 0;
    std::int32_t bonus = 0;
    std::vector<float> weights{1, 2, 3};
    std::string text = "quiet";
    std::unique_ptr<std::uint32_t> owned = std::make_unique<std::uint32_t>(7);
    std::vector<std::uint64_t> items{1, 2, 3};
    std::vector<std::uint64_t> finds;
    inline static std::uint64_t runs = 0;

  private:
    [[nodiscard]] bool is(std::string_view fault) const { return fault_ == fault; }

    [[gnu::noinline]] std::uint64_t draw() {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return random >> 33U;
    }

    [[gnu::noinline]] void waste_a_draw() { wasted_ = draw() + 1; }

    // What is no state afterwards, and addresses, are others in each run.
    void move_what_is_owned() {
        kept_.push_back(std::make_unique<std::uint64_t>(run_));
        owned = std::make_unique<std::uint32_t>(7);
        items.back() = 1000 * run_;
        items.pop_back();
    }

    void go_on() {
        if (!is("forgets the bonus")) {
            bonus = 5;
        }
        if (is("weighs otherwise")) {
            weights[1] = 2.25F;
        } else {
            weights[1] = 2.5F;
        }
        *far_ += is("writes far away") ? 2U : 1U;
        text = is("talks otherwise") ? "noisy" : "loud!";
        if (is("appends otherwise")) {
            items.resize(100, 9);
        } else {
            items.resize(100, 8);
        }
        gold += is("is another each time") ? run_ : 0;
    }

    [[gnu::noinline]] std::uint64_t read_leftover() const { return leftover_; }

    // To pages of its own, which nothing protects.
    void have_the_system_write() {
        finds.reserve(100'000);
        finds.resize(2);
        std::array<int, 2> ends{};
        if (pipe(ends.data()) == 0) {
            const bool written = write(ends[1], &leftover_, sizeof leftover_) > 0;
            if (!written || read(ends[0], &finds[1], sizeof leftover_) < 0) {
                finds.clear();
            }
            close(ends[0]);
            close(ends[1]);
        }
    }

    [[gnu::noinline]] std::uint64_t hash_address() const { return somewhere_ / 16 % 1024; }

    [[gnu::noinline]] static bool is_in_front(std::uintptr_t one, std::uintptr_t other) {
        return one < other;
    }

    [[gnu::noinline]] bool is_much() const { return leftover_ > 1; }

    [[gnu::noinline]] void keep(std::uint64_t value) { scratch_[leftover_ % 4] = value; }

    // The same code on both sides: only what it reads is another.
    void go_on_with_what_is_no_state() {
        if (is("reads a leftover")) {
            gold += read_leftover();
        } else if (is("hashes an address")) {
            gold += hash_address();
        } else if (is("keeps it elsewhere")) {
            scratch_[1] = 0;
            keep(7);
            gold += scratch_[1];
        } else if (is("orders addresses")) {
            gold += is_in_front(somewhere_, somewhere_else_) ? 10U : 20U;
        } else if (is("decides by a leftover")) {
            if (is_much()) {
                gold += 10;
            }
        } else if (is("keeps a leftover")) {
            scratch_[3] = read_leftover();
            keep(7);
            gold += scratch_[3];
        } else if (is("finds a leftover")) {
            finds = {6, read_leftover()};
        } else if (is("finds a leftover for a while")) {
            finds = {6, read_leftover()};
            finds.back() = 7;
        } else if (is("talks at length")) {
            text = leftover_ > 1 ? "a tale of gold, row 2" : "a tale of gold, row 1";
            close(-1);  // the system writes nothing there
        } else if (is("has the system write a leftover")) {
            have_the_system_write();
        }
    }

    std::string fault_;
    bool is_busy_;  // with what is no state, but next to it
    bool is_long_;
    std::uint64_t leftover_;
    std::uintptr_t somewhere_ = 0x5555'0000'0000 + 16 * leftover_;  // as Linux places heaps
    std::uintptr_t somewhere_else_ = 0x5555'0000'0018;              // between the two
    std::array<std::uint64_t, 4> scratch_{};
    std::uint64_t run_;
    bool now_ = false;
    std::uint64_t wasted_ = 0;
    std::vector<std::unique_ptr<std::uint64_t>> kept_;
    std::unique_ptr<std::uint32_t> store_ = std::make_unique<std::uint32_t>(30);
    std::uint32_t* far_ = store_.get();
};

}  // namespace game

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

class PartingWriteTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!WriteWatch::is_possible()) {
            GTEST_SKIP() << "not on this system";
        }
        RecordPlan recording;
        recording.path = folder_.file("s.isotick");
        recording.setup.players = 1;
        recording.inputs = InputSource::none;
        recording.ticks = 50;
        const auto recorded = run_record(recording, table_, progress_);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    }

    StateSource side(const char* fault, const core::Settings& environment = {}) {
        TrialPlan plan;
        plan.recording = folder_.file("s.isotick");
        plan.environment = environment;
        EXPECT_TRUE(plan.environment.set("fault", fault));
        TrialPlan until = plan;
        until.trace = StateRange{game::kAt + 1, game::kAt + 1};
        return {plan, &run_, run_trial(until, table_, progress_).trace.back().hash};
    }

    PartingWrite found(const char* fault, const core::Settings& environment = {}) {
        return find_parting_write(side("none", environment), side(fault, environment),
                                  {game::kAt + 1, game::kAt + 1})
            .value();
    }

    // Where the environment differs, not the fault.
    PartingWrite of_leftovers(const char* fault, const core::Settings& environment = {}) {
        core::Settings other = environment;
        EXPECT_TRUE(other.set("leftover", "yes"));
        return find_parting_write(side(fault, environment), side(fault, other),
                                  {game::kAt + 1, game::kAt + 1})
            .value();
    }

    std::optional<ValueOrigin> origin(const char* fault, const core::Settings& environment = {}) {
        const PartingWrite write = of_leftovers(fault, environment);
        EXPECT_EQ(write.unknown, "");
        return write.origin;
    }

    // Both sides write to `path`: the one this value, the other that one.
    static void expect_values(const PartingWrite& write, const char* path, const char* before,
                              const char* after) {
        ASSERT_TRUE(write.before && write.after) << write.unknown;
        EXPECT_EQ(write.after->path, path);
        EXPECT_EQ(write.before->after, before);
        EXPECT_EQ(write.after->after, after);
    }

    static std::string name(const StateWrite& write, std::size_t depth) {
        return depth < write.code.size() ? write.code[depth].function : "";
    }

    const isotick_simulation_table& table_ = core::simulation_table<game::Ledger>();
    TrialRunner run_ = in_this_process(table_);
    Progress progress_;
    tests::ScratchFolder folder_;
};

TEST_F(PartingWriteTest, OfBothHasBothValues) {
    const PartingWrite write = found("weighs otherwise");
    ASSERT_NO_FATAL_FAILURE(expect_values(write, "weights[1]", "2.5", "2.25"));
    EXPECT_EQ(write.after->before, "2");
    EXPECT_EQ(write.after->during, Activity::stepping);
}

TEST_F(PartingWriteTest, IsSeenBehindThousandsOfWritesBesideTheState) {
    core::Settings busy;
    ASSERT_TRUE(busy.set("busy", "1"));
    const PartingWrite write = found("weighs otherwise", busy);
    ASSERT_TRUE(write.before && write.after) << write.unknown;
    EXPECT_EQ(write.after->path, "weights[1]");
}

TEST_F(PartingWriteTest, OfOneSideOnlyIsTold) {
    const PartingWrite missing = found("forgets the bonus");
    ASSERT_TRUE(missing.before) << missing.unknown;
    EXPECT_FALSE(missing.after);
    EXPECT_EQ(missing.before->path, "bonus");
    EXPECT_EQ(missing.before->after, "5");
    const PartingWrite rendered = found("renders");
    ASSERT_TRUE(rendered.after) << rendered.unknown;
    EXPECT_FALSE(rendered.before);
    EXPECT_EQ(rendered.after->path, "gold");
    EXPECT_EQ(rendered.after->during, Activity::rendering);
}

TEST_F(PartingWriteTest, OfADrawTooManyIsThatDraw) {
    const PartingWrite write = found("wastes a draw");
    ASSERT_TRUE(write.after) << write.unknown;
    EXPECT_EQ(write.after->path, "random");
#ifdef ISOTICK_HAS_LIBDW
    EXPECT_FALSE(write.before) << "the draws are the same, but for who makes them";
    EXPECT_EQ(name(*write.after, 0), "Ledger::draw");
    EXPECT_EQ(name(*write.after, 1), "Ledger::waste_a_draw");
    EXPECT_TRUE(write.after->code[1].file.ends_with("parting_write_test.cpp"));
#endif
}

TEST_F(PartingWriteTest, IsSeenBehindAPointerToo) {
    const PartingWrite write = found("writes far away");
    ASSERT_NO_FATAL_FAILURE(expect_values(write, "far", "31", "32"));
    EXPECT_EQ(write.after->before, "30");
}

TEST_F(PartingWriteTest, OfAShortTextIsSeenInItsObject) {
    const PartingWrite write = found("talks otherwise");
    ASSERT_TRUE(write.before && write.after) << write.unknown;
    EXPECT_EQ(write.after->path, "text[0]");
    EXPECT_EQ(write.after->after.substr(0, 3), "\"no");
    EXPECT_EQ(write.before->after.substr(0, 3), "\"lo");
}

TEST_F(PartingWriteTest, InNewMemoryIsNotSeenInALongTick) {
    core::Settings environment;
    ASSERT_TRUE(environment.set("long", "yes"));
    const PartingWrite write = found("appends otherwise", environment);
    EXPECT_FALSE(write.before || write.after);
    EXPECT_THAT(write.unknown, HasSubstr("the state's before the tick are the same"));
    EXPECT_THAT(write.unknown, HasSubstr("41 of its values are")) << "the copies";
}

TEST_F(PartingWriteTest, OfTwinsThereIsNone) {
    const PartingWrite write = found("none");
    EXPECT_FALSE(write.before || write.after);
    EXPECT_THAT(write.unknown, HasSubstr("the state's before the tick are the same"));
}

TEST_F(PartingWriteTest, OfWhatIsAnotherEachTimeIsNotShown) {
    const PartingWrite write = found("is another each time");
    EXPECT_FALSE(write.before || write.after);
    EXPECT_EQ(write.unknown, "watching its writes changed the result of the tick");
}

#ifdef ISOTICK_HAS_ZYDIS
TEST_F(PartingWriteTest, InNewMemoryIsTheFirstValueThatDiffers) {
    const PartingWrite write = found("appends otherwise");
    ASSERT_NO_FATAL_FAILURE(expect_values(write, "items[2]", "8", "9"));
    EXPECT_EQ(write.after->before, "");
    EXPECT_EQ(write.after->during, Activity::stepping);
    EXPECT_EQ(name(*write.after, 0), "Ledger::go_on");
}

TEST_F(PartingWriteTest, InNewMemoryIsPartOfALongText) {
    const PartingWrite write = of_leftovers("talks at length");
    ASSERT_NO_FATAL_FAILURE(expect_values(write, "text[16]", "\"row 1\"", "\"row 2\""));
    EXPECT_EQ(name(*write.after, 0), "Ledger::go_on_with_what_is_no_state");
}

TEST_F(PartingWriteTest, InNewMemoryComesFromWhereWhatIsNoStateIsRead) {
    const PartingWrite write = of_leftovers("finds a leftover");
    ASSERT_NO_FATAL_FAILURE(expect_values(write, "finds[1]", "1", "2"));
    EXPECT_EQ(name(*write.after, 0), "Ledger::go_on_with_what_is_no_state");
    ASSERT_TRUE(write.origin);
    EXPECT_EQ(write.origin->kind, ValueOrigin::Kind::memory);
    EXPECT_EQ(write.origin->code.at(0).function, "Ledger::read_leftover");
}

TEST_F(PartingWriteTest, InNewMemoryCountsOnlyWhatIsThereInTheEnd) {
    const PartingWrite write = of_leftovers("finds a leftover for a while");
    EXPECT_FALSE(write.before || write.after);
    EXPECT_THAT(write.unknown, HasSubstr("the state's before the tick are the same"));
}

TEST_F(PartingWriteTest, InNewMemoryIsNotKnownIfTheSystemMayHaveWrittenIt) {
    const PartingWrite write = of_leftovers("has the system write a leftover");
    EXPECT_FALSE(write.before || write.after);
    EXPECT_THAT(write.unknown, HasSubstr("the state's before the tick are the same"));
}

TEST_F(PartingWriteTest, ComesFromWhereWhatIsNoStateIsRead) {
    for (const char* fault : {"reads a leftover", "keeps a leftover"}) {
        const auto found = origin(fault);
        ASSERT_TRUE(found) << fault;
        EXPECT_EQ(found->kind, ValueOrigin::Kind::memory) << fault;
        EXPECT_EQ(found->code.at(0).function, "Ledger::read_leftover") << fault;
    }
}

TEST_F(PartingWriteTest, ComesFromWhereANumberIsMadeOfAnAddress) {
    const auto found = origin("hashes an address");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, ValueOrigin::Kind::address);
    EXPECT_EQ(found->code.at(0).function, "Ledger::hash_address");
}

TEST_F(PartingWriteTest, ComesFromWhatDecidesWhereAValueIsKept) {
    const auto found = origin("keeps it elsewhere");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, ValueOrigin::Kind::memory);
    EXPECT_EQ(found->code.at(0).function, "Ledger::keep");
}

TEST_F(PartingWriteTest, ComesFromWhereAddressesAreOrdered) {
    const auto found = origin("orders addresses");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, ValueOrigin::Kind::address);
    EXPECT_EQ(found->code.at(0).function, "Ledger::is_in_front");
}

TEST_F(PartingWriteTest, ComesFromWhatDecidesThatItIsMade) {
    const auto found = origin("decides by a leftover");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, ValueOrigin::Kind::memory);
    EXPECT_EQ(found->code.at(0).function, "Ledger::is_much");
}

TEST_F(PartingWriteTest, OfALongTickTheEndIsTraced) {
    core::Settings environment;
    ASSERT_TRUE(environment.set("long", "yes"));
    const auto found = origin("reads a leftover", environment);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, ValueOrigin::Kind::earlier);
    EXPECT_EQ(found->code.at(0).function, "Ledger::read_leftover");
}
#endif

TEST_F(PartingWriteTest, OfAnInitialStateThereIsNone) {
    const PartingWrite write = find_parting_write(side("none"), side("none"), {0, 0}).value();
    EXPECT_THAT(write.unknown, HasSubstr("initial state"));
}

TEST_F(PartingWriteTest, OfTwoRunsThatWereWatchedOnce) {
    const auto run_watched = [&](const char* fault, const SharedFile& file) {
        TrialPlan plan = side(fault).plan;
        plan.trace = StateRange{game::kAt + 1, game::kAt + 1};
        watch_first_writes(plan, game::kAt + 1, file, 0);
        return run_trial(plan, table_, progress_);
    };
    const SharedFile file_a = SharedFile::make().value();
    const SharedFile file_b = SharedFile::make().value();
    const TrialResult a = run_watched("is another each time", file_a);
    const TrialResult b = run_watched("is another each time", file_b);
    const PartingWrite write = parting_write_of({a, file_a}, {b, file_b});
    ASSERT_TRUE(write.before && write.after) << write.unknown;
    EXPECT_EQ(write.before->path, "gold");
    EXPECT_EQ(write.before->before, write.after->before);
    EXPECT_NE(write.before->after, write.after->after);
}

}  // namespace
}  // namespace isotick::harness
