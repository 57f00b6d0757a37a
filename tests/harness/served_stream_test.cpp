// The serving side of harness/PROTOCOL.md in memory, and what it keeps from a simulation.

#include "simulations/connection.hpp"
#include "simulations/serve.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/detail/checkpoint.hpp>

#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::Bytes;

/// Counts how often it is asked for anything.
struct StreamWitness {
    static constexpr core::SimulationInfo kInfo{
        .name = "witness", .most_players = 2, .usual_players = 2};

    void begin_frame(core::FrameTime) { ++asked; }
    void step(const core::Step& step) {
        ++asked;
        for (const std::string& name : passed) {
            step.checkpoint(name.c_str());
        }
    }
    void render(double) { ++asked; }
    static bool propose_input(const core::Proposal&, std::vector<std::uint8_t>&) {
        ++asked;
        return false;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(state));
    }

    static inline int asked = 0;
    static inline std::vector<std::string> passed;  // checkpoints, in every step
    std::uint32_t state = 0;
};

Bytes hello() {
    Bytes out;
    const Message message(out, Verb::hello);
    core::put_bytes(out, std::as_bytes(std::span(kHelloMagic)));
    core::put(out, kProtocolVersion);
    return out;
}

Bytes create() {
    Bytes out;
    put_create(out, {.struct_size = sizeof(isotick_setup),
                     .players = 2,
                     .seed = 1,
                     .rate_numerator = 60,
                     .rate_denominator = 1,
                     .config_count = 0,
                     .environment_count = 0,
                     .config = nullptr,
                     .environment = nullptr,
                     .reads = nullptr,
                     .read_config = nullptr,
                     .read_environment = nullptr});
    return out;
}

/// Tick 0 of that session, all inputs absent, and everything else right.
isotick_step right_step() {
    static const std::array<isotick_input, 4> kAbsent{};
    return {.struct_size = sizeof(isotick_step),
            .input_count = 3,
            .tick = 0,
            .dt_seconds = 1.0 / 60,
            .dt_num = 1,
            .dt_den = 60,
            .inputs = kAbsent.data(),
            .checkpoints = nullptr,
            .checkpoint = nullptr};
}

Bytes request(Verb verb, const Bytes& body = {}) {
    Bytes out;
    const Message message(out, verb);
    core::put_bytes(out, body);
    return out;
}

Bytes step(const isotick_step& step) {
    Bytes out;
    put_step(out, step);
    return out;
}

Bytes render(double alpha) {
    Bytes body;
    core::put(body, std::bit_cast<std::uint64_t>(alpha));
    return request(Verb::render, body);
}

Bytes propose(std::uint32_t player) {
    Bytes body;
    core::put(body, player);
    core::put(body, std::uint64_t{0});
    core::put(body, std::uint64_t{0});
    return request(Verb::propose_input, body);
}

class ServedWitness : public ::testing::Test {
  protected:
    void start() { stream_.emplace(core::simulation_table<StreamWitness>()); }

    /// The statuses of the answers to all that is there.
    std::vector<Status> answers_to(const Bytes& requests) {
        stream_->add(requests);
        Bytes answers;
        for (core::Result<bool> more = true; more && *more;) {
            more = stream_->answer_next(answers);
            failed_ = !more;
        }
        std::vector<Status> statuses;
        core::ByteReader reader(answers);
        while (!reader.at_end()) {
            const auto body = reader.take(reader.get<std::uint32_t>());
            EXPECT_TRUE(reader.ok());
            statuses.push_back(static_cast<Status>(body.front()));
            last_body_.assign(body.begin() + 1, body.end());
        }
        return statuses;
    }

    void begin() {
        ASSERT_EQ(answers_to(hello()), std::vector{Status::ok});
        ASSERT_EQ(answers_to(create()), std::vector{Status::ok});
        StreamWitness::asked = 0;
    }

    /// The simulation sees nothing of the request, nor of what comes after it.
    void refuses(const Bytes& request, const std::string& what) {
        SCOPED_TRACE(what);
        start();
        begin();
        EXPECT_EQ(answers_to(request), std::vector{Status::failed});
        EXPECT_EQ(answers_to(step(right_step())), std::vector{Status::failed});
        EXPECT_EQ(StreamWitness::asked, 0);
    }

    /// The checkpoints that the answer to this step names.
    std::vector<std::string> passed_in(std::uint64_t tick, std::vector<std::string> names) {
        StreamWitness::passed = std::move(names);
        isotick_step next = right_step();
        next.tick = tick;
        EXPECT_EQ(answers_to(step(next)), std::vector{Status::ok});
        StreamWitness::passed.clear();
        const auto told = checkpoints_in(last_body_);
        EXPECT_TRUE(told);
        return told.value_or(std::vector<std::string>());
    }

    Bytes last_body_;
    std::optional<ServedStream> stream_{core::simulation_table<StreamWitness>()};
    bool failed_ = false;
};

TEST_F(ServedWitness, IsAskedWhatMakesSense) {
    begin();
    isotick_step next = right_step();
    next.tick = 1;
    Bytes all = step(right_step());
    for (const Bytes& more : {step(next), render(0), propose(1), propose(ISOTICK_WORLD)}) {
        core::put_bytes(all, more);
    }
    EXPECT_EQ(answers_to(all), std::vector(5, Status::ok));
    EXPECT_EQ(StreamWitness::asked, 5);
}

TEST_F(ServedWitness, SeesNoStepWithOtherInputsThanThePlayers) {
    for (const std::uint32_t count : {0U, 2U, 4U}) {
        isotick_step wrong = right_step();
        wrong.input_count = count;
        refuses(step(wrong), std::to_string(count) + " inputs");
    }
    const std::vector<std::uint8_t> long_bytes(ISOTICK_LONGEST_INPUT + 1);
    const std::array<isotick_input, 3> too_long{{{0, 1, long_bytes.size(), long_bytes.data()}}};
    isotick_step wrong = right_step();
    wrong.inputs = too_long.data();
    refuses(step(wrong), "an input that is too long");
}

TEST_F(ServedWitness, SeesNoTimeThatMakesNoSense) {
    isotick_step wrong = right_step();
    wrong.tick = 1;
    refuses(step(wrong), "tick 1 at first");
    for (const double seconds : {std::numeric_limits<double>::quiet_NaN(), -1.0, 1.0 / 30}) {
        wrong = right_step();
        wrong.dt_seconds = seconds;
        refuses(step(wrong), "a dt of " + std::to_string(seconds) + " s");
    }
    for (const auto& [numerator, denominator] : {std::pair{1, 0}, {0, 0}, {1, 30}}) {
        wrong = right_step();
        wrong.dt_num = static_cast<std::uint64_t>(numerator);
        wrong.dt_den = static_cast<std::uint64_t>(denominator);
        refuses(step(wrong), std::to_string(numerator) + "/" + std::to_string(denominator));
    }
    for (const double alpha : {1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
        refuses(render(alpha), "alpha " + std::to_string(alpha));
    }
}

TEST_F(ServedWitness, IsAskedAboutNobodyElse) {
    refuses(propose(2), "player 2");
    refuses(propose(ISOTICK_WORLD - 1), "the last player there can be");
}

TEST_F(ServedWitness, TellsOfEachCheckpointOnce) {
    using Told = std::vector<std::string>;
    begin();
    EXPECT_EQ(passed_in(0, {"ai", "physics", "ai"}), (Told{"ai", "physics"}));
    EXPECT_EQ(passed_in(1, {"physics", "boss"}), Told{"boss"});
    EXPECT_EQ(passed_in(2, {"ai"}), Told());
    EXPECT_TRUE(last_body_.empty());
}

TEST_F(ServedWitness, TellsOfNoMoreCheckpointsThanAreCounted) {
    begin();
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= kMostReached; ++i) {
        names.push_back(std::to_string(i));
    }
    EXPECT_EQ(passed_in(0, names).size(), kMostReached);
    EXPECT_TRUE(passed_in(1, {"more"}).empty());
}

TEST_F(ServedWitness, IsGreetedAndCreatedOnce) {
    refuses(hello(), "hello");
    refuses(create(), "create");
}

TEST_F(ServedWitness, AnswersRequestsInWhateverPiecesTheyCome) {
    begin();
    Bytes all = step(right_step());
    core::put_bytes(all, request(Verb::hash));
    std::vector<Status> statuses;
    for (const std::byte byte : all) {
        for (const Status status : answers_to({byte})) {
            statuses.push_back(status);
        }
    }
    EXPECT_EQ(statuses, std::vector(2, Status::ok));
    EXPECT_TRUE(stream_->end());
    EXPECT_EQ(answers_to({all.begin(), all.end() - 2}).size(), 1U);
    EXPECT_FALSE(stream_->end());
}

TEST_F(ServedWitness, TakesNoRequestThatIsTooLong) {
    const auto head = [](std::uint32_t size, Verb verb) {
        Bytes bytes;
        core::put(bytes, size);
        core::put(bytes, static_cast<std::uint8_t>(verb));
        return bytes;
    };
    const std::pair<Bytes, bool> tries[] = {{head(kLongestRequest, Verb::step), false},
                                            {head(kLongestRequest + 1, Verb::step), true},
                                            {head(kLongestMessage, Verb::load), false},
                                            {head(kLongestMessage + 1, Verb::load), true},
                                            {Bytes(kSizeBytes), true}};
    for (const auto& [bytes, fails] : tries) {
        start();
        EXPECT_TRUE(answers_to(bytes).empty());
        EXPECT_EQ(failed_, fails);
    }
}

}  // namespace
}  // namespace isotick::harness
