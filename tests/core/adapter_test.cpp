#include <isotick/core/adapter.hpp>
#include <isotick/core/simulation.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

struct Counter {
    static constexpr SimulationInfo kInfo{.name = "counter", .most_players = 2};

    explicit Counter(const SimulationSetup& setup) : total(setup.seed) {
        if (setup.config.find("bad")) {
            throw BadSettings("bad is not allowed");
        }
    }
    void step(const Step& step) {
        for (std::size_t player = 0; player < step.inputs.players(); ++player) {
            if (const auto input = step.inputs.of(player)) {
                total += 1 + input->size();
            }
        }
        if (step.tick.value == 5) {
            throw std::runtime_error("five is too many");
        }
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(total));
    }

    std::uint64_t total;
};

SimulationSetup setup_for(std::uint64_t seed) {
    return {.rate = {}, .players = 2, .seed = seed, .config = {}, .environment = {}};
}

TEST(Adapter, DetectsWhatTheTypeDoesNotHave) {
    const auto& table = simulation_table<Counter>();
    EXPECT_TRUE(check_table(&table));
    EXPECT_EQ(table.begin_frame, nullptr);
    EXPECT_EQ(table.render, nullptr);
    EXPECT_EQ(table.propose_input, nullptr);
}

struct Phased {
    static constexpr SimulationInfo kInfo{.name = "phased", .most_players = 2};
    void step(const Step& step) {
        step.checkpoint("first");
        ++total;
        step.checkpoint("second");
        ++total;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(total));
    }
    std::uint64_t total = 0;
};

TEST(Checkpoints, AreToldWithTheStateThere) {
    auto simulation = Simulation::create(simulation_table<Phased>(), setup_for(0)).value();
    std::vector<std::string> names;
    std::vector<StateHash> hashes{simulation.hash().value()};
    simulation.listen([&](const char* name) {
        names.emplace_back(name);
        hashes.push_back(simulation.hash().value());
    });
    const std::array<isotick_input, 3> absent{};
    ASSERT_TRUE(simulation.step(Tick{0}, absent));
    EXPECT_EQ(names, (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(hashes.at(1), hashes.at(0));
    EXPECT_NE(hashes.at(2), hashes.at(1));
    EXPECT_NE(simulation.hash().value(), hashes.at(2));
    simulation.listen({});
    ASSERT_TRUE(simulation.step(Tick{1}, absent));
    EXPECT_EQ(names.size(), 2U);
}

// What lies behind the end of its struct is not to be looked at.
TEST(Checkpoints, AreNotToldToAHostThatKnowsNothingOfThem) {
    int told = 0;
    isotick_step step{};
    step.checkpoints = &told;
    step.checkpoint = [](void* count, const char*) { ++*static_cast<int*>(count); };
    step.struct_size = offsetof(isotick_step, checkpoints);
    isotick_checkpoint(&step, "point");
    EXPECT_EQ(CheckpointListener::of(step).reach, nullptr);
    EXPECT_EQ(told, 0);
    step.struct_size = sizeof step;
    isotick_checkpoint(&step, "point");
    EXPECT_NE(CheckpointListener::of(step).reach, nullptr);
    EXPECT_EQ(told, 1);
}

struct Undefined {
    static constexpr SimulationInfo kInfo{.name = "undefined", .nan_policy = NanPolicy::one};
    void step(const Step& step) {
        value = std::bit_cast<float>(0x7fc00000U + static_cast<std::uint32_t>(step.tick.value));
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
    float value = 0;
};

TEST(Adapter, HashesNansAsTheTypeSays) {
    const auto& table = simulation_table<Undefined>();
    EXPECT_EQ(nan_policy(*table.info), "one");
    auto simulation = Simulation::create(table, {}).value();
    const std::array world{isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
    ASSERT_TRUE(simulation.step(Tick{0}, world));
    const auto first = simulation.hash().value();
    ASSERT_TRUE(simulation.step(Tick{1}, world));
    EXPECT_EQ(simulation.hash().value(), first);
}

TEST(Adapter, StepsWithInputsAndHashesTheState) {
    auto simulation = Simulation::create(simulation_table<Counter>(), setup_for(7)).value();
    const auto before = simulation.hash().value();
    const std::uint8_t byte = 9;
    const isotick_input inputs[] = {
        {0, 1, 1, &byte}, {1, 0, 0, nullptr}, {ISOTICK_WORLD, 0, 0, {}}};
    ASSERT_TRUE(simulation.step(Tick{0}, inputs));
    const auto after = simulation.hash().value();
    EXPECT_NE(before, after);
    EXPECT_EQ(simulation.part_names(), std::vector<std::string>{"total"});

    auto same = Simulation::create(simulation_table<Counter>(), setup_for(9)).value();
    EXPECT_EQ(same.hash().value(), after);
}

TEST(Adapter, AnExceptionBecomesAnErrorThatNamesCallTickAndText) {
    auto simulation = Simulation::create(simulation_table<Counter>(), setup_for(0)).value();
    const auto stepped = simulation.step(Tick{5}, {});
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().code, ErrorCode::simulation);
    EXPECT_EQ(describe(stepped.error()), "tick 5: step failed: five is too many");
}

TEST(Adapter, RefusedSettingsAreTheUsersMistakeNotACrash) {
    auto setup = setup_for(0);
    ASSERT_TRUE(setup.config.set("bad", "1"));
    const auto created = Simulation::create(simulation_table<Counter>(), setup);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, ErrorCode::usage);
    EXPECT_EQ(created.error().message, "bad is not allowed");
}

struct Clock {
    static constexpr SimulationInfo kInfo{.name = "clock", .capabilities = ISOTICK_CHANGING_DT};
    void step(const Step& step) {
        numerator = step.dt_num;
        denominator = step.dt_den;
        seconds = step.dt_seconds;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(numerator), CEREAL_NVP(denominator), CEREAL_NVP(seconds));
    }
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 0;
    double seconds = 0;
};

TEST(Simulation, PassesOnADtOfTheTicksOwn) {
    auto simulation = Simulation::create(simulation_table<Clock>(), {}).value();
    const std::array world{isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
    const auto hash_of = [](std::uint64_t numerator, std::uint64_t denominator, double seconds) {
        const Clock clock{numerator, denominator, seconds};
        HashSink sink;
        hash_state(clock, sink);
        std::vector<PartHash> parts;
        for (const HashSink::Part& part : sink.parts()) {
            parts.push_back(part.hash);
        }
        return hash_parts(parts);
    };
    ASSERT_TRUE(simulation.step(Tick{0}, world));
    EXPECT_EQ(simulation.hash().value(), hash_of(1, 60, 1.0 / 60));
    ASSERT_TRUE(simulation.step(Tick{1}, world, TickDt::make(3, 100).value()));
    EXPECT_EQ(simulation.hash().value(), hash_of(3, 100, 3.0 / 100));
    ASSERT_TRUE(simulation.step(Tick{2}, world));
    EXPECT_EQ(simulation.hash().value(), hash_of(1, 60, 1.0 / 60));
}

TEST(Simulation, RefusesAnotherDtWhereTheSimulationDeclaresNone) {
    auto simulation = Simulation::create(simulation_table<Counter>(), setup_for(0)).value();
    const isotick_input inputs[] = {{0, 0, 0, {}}, {1, 0, 0, {}}, {ISOTICK_WORLD, 0, 0, {}}};
    EXPECT_TRUE(simulation.step(Tick{0}, inputs, TickDt::make(2, 120).value()));
    const auto stepped = simulation.step(Tick{1}, inputs, TickDt::make(1, 30).value());
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().code, ErrorCode::usage);
    EXPECT_EQ(describe(stepped.error()),
              "tick 1: its dt is 1/30 s instead of 1/60 s, but counter does not declare that it "
              "accepts a changing dt");
}

TEST(Simulation, RefusesAWrongNumberOfPlayers) {
    auto setup = setup_for(0);
    setup.players = 3;
    const auto created = Simulation::create(simulation_table<Counter>(), setup);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().message, "counter takes 0 to 2 players, not 3");
}

}  // namespace
}  // namespace isotick::core
