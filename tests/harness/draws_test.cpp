// Which draws from a random generator two sides do not share.

#include "study/draws.hpp"

#include "run/state_writes.hpp"
#include "support/scratch_folder.hpp"
#include "system/write_watch.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/record.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

// Not isotick's own, which are left out where code is named.
namespace dice {

constexpr std::uint64_t kAt = 20;

/// xoshiro256**, whose draw writes four words.
struct Generator {
    std::array<std::uint64_t, 4> words{1, 2, 3, 4};

    [[gnu::noinline]] std::uint64_t next() {
        const auto turned = [](std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); };
        auto [a, b, c, d] = words;
        const std::uint64_t result = turned(b * 5, 7) * 9;
        const std::uint64_t shifted = b << 17U;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        words = {a, b, c, turned(d, 45)};
        return result;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        for (std::uint64_t& word : words) {
            archive(cereal::make_nvp("word", word));
        }
    }
};

struct Player {
    Generator random;
    std::uint64_t score = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(random), CEREAL_NVP(score));
    }
};

/// Players who roll; goes wrong at one tick, in the way that `fault` names.
class Game {
  public:
    static constexpr isotick::core::SimulationInfo kInfo{.name = "dice", .most_players = 1};
    explicit Game(const isotick::core::SimulationSetup& setup)
        : fault_(setup.environment.find("fault").value_or("")) {
        players[1].random.words[0] = 7;
    }

    void step(const isotick::core::Step& step) {
        now_ = step.tick.value == kAt;
        for (int i = 0; i < 3; ++i) {
            attack();
        }
        if (is("rolls twice")) {
            waste();
        }
        if (!is("does not defend")) {
            defend();
        }
        if (is("seeds again")) {
            players[0].random.words[1] ^= 1U;
        }
        attack();
        players[1].score += players[1].random.next() % 6;
        ++ticks;
    }

    void render(double) {
        now_ = ticks == kAt;
        if (is("sparkles")) {
            sparkle();
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ticks), cereal::make_nvp("first", players[0]),
                cereal::make_nvp("second", players[1]));
    }

    std::uint64_t ticks = 0;
    std::array<Player, 2> players;

  private:
    [[nodiscard]] bool is(std::string_view fault) const { return now_ && fault_ == fault; }

    [[gnu::noinline]] void attack() { players[0].score += players[0].random.next() % 6; }
    [[gnu::noinline]] void defend() { players[0].score -= players[0].random.next() % 6; }
    [[gnu::noinline]] void waste() {
        wasted_ = players[0].random.next() + players[0].random.next();
    }
    [[gnu::noinline]] void sparkle() { wasted_ = players[0].random.next() + 1; }

    std::string fault_;
    bool now_ = false;
    std::uint64_t wasted_ = 0;
};

}  // namespace dice

namespace isotick::harness {
namespace {

using Side = Draws::Side;

class DrawsTest : public ::testing::Test {
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

    StateSource side(const char* fault) {
        TrialPlan plan;
        plan.recording = folder_.file("s.isotick");
        EXPECT_TRUE(plan.environment.set("fault", fault));
        TrialPlan until = plan;
        until.trace = StateRange{dice::kAt + 1, dice::kAt + 1};
        return {plan, &run_, run_trial(until, table_, progress_).trace.back().hash};
    }

    Draws found(const char* fault, const std::string& of = "first.random") {
        return find_draws(side("none"), side(fault), {dice::kAt + 1, dice::kAt + 1}, of).value();
    }

    // `attack attack -defend +waste`: who draws, and on which side only.
    static std::string drawn(const Draws& draws) {
        std::string text;
        for (const Draws::Draw& draw : draws.draws) {
            auto caller = std::ranges::find(draw.code, "Generator::next", &CodePlace::function);
            caller += caller == draw.code.end() ? 0 : 1;
            const std::string name = caller == draw.code.end() ? "?" : caller->function;
            text += text.empty() ? "" : " ";
            text += draw.side == Side::before ? "-" : draw.side == Side::after ? "+" : "";
            text += name.substr(name.rfind(':') + 1);
        }
        return text;
    }

    const isotick_simulation_table& table_ = core::simulation_table<dice::Game>();
    TrialRunner run_ = in_this_process(table_);
    Progress progress_;
    tests::ScratchFolder folder_;
};

TEST_F(DrawsTest, OfOneSideAreFoundBetweenThoseOfBoth) {
    const Draws draws = found("rolls twice");
    ASSERT_EQ(draws.unknown, "");
    EXPECT_EQ(draws.before, 5U) << "four words each";
    EXPECT_EQ(draws.after, 7U) << "two draws in one line are two";
    EXPECT_EQ(draws.same, 3U);
    EXPECT_FALSE(draws.cut);
#ifdef ISOTICK_HAS_LIBDW
    EXPECT_EQ(drawn(draws), "+waste +waste defend attack");
#endif
}

TEST_F(DrawsTest, ThatAreMissingAreOfTheOtherSide) {
    const Draws draws = found("does not defend");
    EXPECT_EQ(draws.before, 5U) << draws.unknown;
    EXPECT_EQ(draws.after, 4U);
    EXPECT_EQ(draws.same, 3U);
#ifdef ISOTICK_HAS_LIBDW
    EXPECT_EQ(drawn(draws), "-defend attack");
#endif
}

TEST_F(DrawsTest, OfFramesComeBeforeTheStep) {
    const Draws draws = found("sparkles");
    EXPECT_EQ(draws.same, 0U) << draws.unknown;
    ASSERT_EQ(draws.draws.size(), 6U);
    EXPECT_EQ(draws.draws.front().side, Side::after);
    EXPECT_EQ(draws.draws.front().during, Activity::rendering);
    EXPECT_EQ(draws.draws.back().during, Activity::stepping);
}

TEST_F(DrawsTest, ByTheSameCodeFromOtherValuesAreOfBoth) {
    const Draws draws = found("seeds again");
    EXPECT_EQ(draws.same, 4U) << draws.unknown;
#ifdef ISOTICK_HAS_LIBDW
    ASSERT_EQ(draws.draws.size(), 2U);
    EXPECT_EQ(draws.draws.front().code.front().function, "Game::step") << "who seeds";
    EXPECT_EQ(draws.draws.front().side, Side::after);
    EXPECT_EQ(draws.draws.back().side, Side::both);
#endif
}

TEST_F(DrawsTest, OfAnotherGeneratorAreTheSame) {
    const Draws draws = found("rolls twice", "second.random");
    EXPECT_EQ(draws.unknown, "");
    EXPECT_EQ(draws.before, 1U);
    EXPECT_EQ(draws.after, 1U);
    EXPECT_EQ(draws.same, 1U);
    EXPECT_TRUE(draws.draws.empty());
}

TEST_F(DrawsTest, OfWhatIsNotThereAreUnknown) {
    EXPECT_EQ(found("rolls twice", "third").unknown,
              "the state has no value \"third\" whose place in memory is known");
    EXPECT_EQ(find_draws(side("none"), side("none"), {0, 0}, "first").value().unknown,
              "the initial state differs, before any tick");
}

TEST(PartOfAState, HasTheValuesBelowIt) {
    EXPECT_TRUE(is_within("random.word", "random"));
    EXPECT_TRUE(is_within("random", "random"));
    EXPECT_FALSE(is_within("randomness", "random"));
    EXPECT_FALSE(is_within("random", "random.word"));
    EXPECT_TRUE(is_within("players[*].random.word", "players[2].random"));
    EXPECT_TRUE(is_within("players[2].random", "players[*].random"));
    EXPECT_FALSE(is_within("players[2].random", "players[3].random"));
    EXPECT_TRUE(is_within("dice[3]", "dice"));
    EXPECT_TRUE(is_within(R"(scores["a]b"].x)", R"(scores["a]b"])"));
    EXPECT_FALSE(is_within(R"(scores["a]b"])", R"(scores["a]c"])"));
}

}  // namespace
}  // namespace isotick::harness
