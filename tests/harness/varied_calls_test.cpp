// Simulations that are called in an unusual way, and what is left of it: nothing.

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <axes/axes.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <run/varied_calls.hpp>
#include <system/process.hpp>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;

int next_descriptor() {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(file);
    return file;
}

// In any order: what was set again is the last.
std::string environment() {
    std::vector<std::string> variables = own_environment();
    std::ranges::sort(variables);
    return core::joined(variables);
}

struct Seen {
    std::vector<const std::uint8_t*> places;
    std::vector<std::vector<std::uint8_t>> inputs;
    std::vector<std::string> folders;
    FloatControl stepping;
    FloatControl hashing;
    double half = 0;
    int descriptor = 0;
};
Seen seen_in_calls;

/// Notes how it is called.
class Witness {
  public:
    static constexpr core::SimulationInfo kInfo{
        .name = "witness", .summary = "", .most_players = 1, .usual_players = 1};

    explicit Witness(const core::SimulationSetup&) {}

    void step(const core::Step& step) {
        const auto input = *step.inputs.of(0);
        seen_in_calls.places.push_back(input.data());
        seen_in_calls.inputs.emplace_back(input.begin(), input.end());
        seen_in_calls.folders.push_back(std::filesystem::current_path());
        seen_in_calls.stepping = FloatControl::now();
        seen_in_calls.half = std::strtod("0.5", nullptr);
        seen_in_calls.descriptor = next_descriptor();
        if (++ticks == 2) {
            std::filesystem::current_path("/usr");
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        seen_in_calls.hashing = FloatControl::now();
        archive(CEREAL_NVP(ticks));
    }

    std::uint64_t ticks = 0;
};

class HowItIsCalled : public ::testing::Test {
  protected:
    HowItIsCalled() {
        seen_in_calls = {};
        setup_.players = 1;
    }

    // Three steps, then a hash.
    void run(const std::vector<AxisValue>& axes) {
        TrialSimulation trial;
        auto simulation = trial.create(core::simulation_table<Witness>(), axes, setup_);
        ASSERT_TRUE(simulation) << describe(simulation.error());
        std::array<std::uint8_t, 3> bytes{1, 2, 3};
        const std::array inputs{isotick_input{0, 1, bytes.size(), bytes.data()},
                                isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
        for (std::uint64_t tick = 0; tick < 3; ++tick) {
            ASSERT_TRUE(simulation->step(core::Tick{tick}, inputs));
        }
        ASSERT_TRUE(simulation->hash());
    }

    core::SimulationSetup setup_;
};

TEST_F(HowItIsCalled, SetsTheWordsOnlyWhereTheSimulationComputes) {
    const FloatControl before = FloatControl::now();
    run({{"fpenv", "upward"}});
    EXPECT_EQ(seen_in_calls.stepping, before.with(FloatChange::upward));
    EXPECT_EQ(seen_in_calls.hashing, before);
    EXPECT_EQ(FloatControl::now(), before);
}

TEST_F(HowItIsCalled, HandsInputsOverFromOtherPlaces) {
    run({{"inputs", "7"}});
    const std::vector<std::uint8_t> bytes{1, 2, 3};
    EXPECT_THAT(seen_in_calls.inputs, ElementsAre(bytes, bytes, bytes));
    ASSERT_EQ(seen_in_calls.places.size(), 3U);
    EXPECT_TRUE(seen_in_calls.places[0] != seen_in_calls.places[1] ||
                seen_in_calls.places[1] != seen_in_calls.places[2]);
}

TEST_F(HowItIsCalled, LeavesTheProcessAsItWas) {
    if (!why_no_locale(kCommaLocale).empty()) {
        GTEST_SKIP() << "no such locale can be made here";
    }
    const int descriptor = next_descriptor();
    const std::string locale = std::setlocale(LC_ALL, nullptr);
    const std::string variables = environment();
    run({{"locale", "comma"}, {"descriptors", "10"}});
    EXPECT_EQ(seen_in_calls.half, 0);
    EXPECT_GE(seen_in_calls.descriptor, descriptor + 10);
    EXPECT_EQ(std::setlocale(LC_ALL, nullptr), locale);
    EXPECT_EQ(environment(), variables);
    EXPECT_EQ(std::strtod("0.5", nullptr), 0.5);
    EXPECT_EQ(next_descriptor(), descriptor);
}

TEST_F(HowItIsCalled, StaysInTheFolderThatTheSimulationWentTo) {
    const auto here = std::filesystem::current_path();
    run({{"working-directory", "/"}});
    EXPECT_THAT(seen_in_calls.folders, ElementsAre("/", "/", "/usr"));
    EXPECT_EQ(std::filesystem::current_path(), here);
}

TEST_F(HowItIsCalled, RefusesAnUnknownLocale) {
    TrialSimulation trial;
    const auto simulation =
        trial.create(core::simulation_table<Witness>(), {{"locale", "xx_NOWHERE"}}, setup_);
    ASSERT_FALSE(simulation);
    EXPECT_EQ(simulation.error().code, core::ErrorCode::usage);
    EXPECT_EQ(simulation.error().message, "this machine has no locale xx_NOWHERE");
}

TEST(Axes, OfCallsAreNotVariedWhereCallsGoToAnotherProcess) {
    for (const char* axis : {"fpenv", "hitch", "inputs", "stack", "working-directory"}) {
        EXPECT_EQ(why_not_varied(axis, ISOTICK_QUEUES_CALLS), "its calls go to another process")
            << axis;
        EXPECT_EQ(why_not_varied(axis, 0), "") << axis;
    }
    EXPECT_EQ(why_not_varied("descriptors", ISOTICK_QUEUES_CALLS), "");
}

TEST(Axes, OfOtherInstancesAreNotVariedWhereEachIsAProcess) {
    for (const char* axis : {"restart", "beside"}) {
        EXPECT_EQ(why_not_varied(axis, ISOTICK_QUEUES_CALLS | ISOTICK_MANY_INSTANCES),
                  "each instance is a process of its own");
        EXPECT_EQ(why_not_varied(axis, ISOTICK_MANY_INSTANCES), "");
    }
    EXPECT_EQ(why_not_varied("reload", ISOTICK_QUEUES_CALLS | ISOTICK_CAN_SAVE), "");
}

}  // namespace
}  // namespace isotick::harness
