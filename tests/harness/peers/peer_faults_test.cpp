// What only a rollback shows is found at its tick and field, and a clean twin stays silent.

#include "peer_trial.hpp"
#include "support/faulty.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/fields.hpp>

#include <map>
#include <utility>

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

using ::testing::Each;
using ::testing::StartsWith;

constexpr const char* kFaults[] = {"predicted-leak", "missing-member", "late-input"};

// What the fault makes of the sum of inputs that the state has.
class FaultModel {
  public:
    FaultModel(std::string fault, std::uint64_t at) : fault_(std::move(fault)), at_(at) {}

    void save(std::uint64_t tick) { saved_[tick] = sum_; }
    void load(std::uint64_t tick) {
        loaded_ = true;
        sum_ = fault_ == "missing-member" && last_ >= at_ ? sum_ : saved_[tick];
    }
    std::uint64_t step(std::uint64_t tick, std::uint64_t adds) {
        const bool loaded = std::exchange(loaded_, false);
        const bool is_new = !added_.contains(tick);
        last_ = tick;
        if (fault_ == "predicted-leak" && tick >= at_ && !is_new) {
            return sum_ += added_[tick];
        }
        added_[tick] = adds;
        return sum_ += fault_ == "late-input" && tick >= at_ && loaded ? added_[tick - 1] : adds;
    }

  private:
    std::string fault_;
    std::uint64_t at_;
    std::uint64_t sum_ = 0;
    std::uint64_t last_ = 0;
    bool loaded_ = false;
    std::map<std::uint64_t, std::uint64_t> saved_;
    std::map<std::uint64_t, std::uint64_t> added_;
};

class PeerFaults : public tests::PeerTrial {
  protected:
    void SetUp() override {
        record(core::simulation_table<tests::Faulty>(), 200);
        inputs_ = tests::recorded_inputs(plan_.recording);
    }

    void plant(const char* fault, std::uint64_t at) {
        plan_.environment = {};
        set_environment("fault", fault);
        set_environment("at", std::to_string(at).c_str());
    }

    static std::uint64_t adds(const tests::SessionInputs::value_type& row) {
        std::uint64_t sum = 0;
        for (const auto& input : row) {
            sum += input ? 1 + input->size() : 0;
        }
        return sum;
    }

    // A tick whose inputs are not those of the tick before, and some.
    [[nodiscard]] std::uint64_t telling_tick() const {
        std::uint64_t tick = 20;
        while (adds(inputs_[tick]) == 0 || adds(inputs_[tick]) == adds(inputs_[tick - 1])) {
            ++tick;
        }
        return tick;
    }

    // The state that the first final step made which differs, by a model of the fault.
    std::optional<std::uint64_t> first_wrong(const Course& course, FaultModel model) const {
        std::uint64_t tick = 0;
        std::uint64_t step = 0;
        std::vector<std::uint64_t> right{0};
        for (const CourseFrame& frame : course.frames) {
            tick -= frame.back;
            right.resize(tick + 1);
            if (frame.back > 0) {
                model.load(tick);
            }
            for (std::uint32_t i = 0; i < frame.steps; ++i, ++tick, ++step) {
                auto row = inputs_[tick];
                for (const GuessedInput& guess : course.guesses) {
                    if (guess.step == step) {
                        row[guess.player] = guess.bytes;
                    }
                }
                if (course.steps[step].saves) {
                    model.save(tick);
                }
                const std::uint64_t sum = model.step(tick, adds(row));
                right.push_back(right.back() + adds(inputs_[tick]));
                if (course.steps[step].final && sum != right.back()) {
                    return tick + 1;
                }
            }
        }
        return std::nullopt;
    }

    // The fields in which the state that diverged is not what an offline replay has there.
    std::vector<std::string> wrong_fields(const TrialResult& result) {
        TrialPlan offline;
        offline.recording = plan_.recording;
        offline.dumps = {DumpRequest{empty_file("state"), result.divergence->computed.ticks_done}};
        EXPECT_TRUE(run_trial(offline, *table_, progress_).dumped);
        const std::string right = content(offline.dumps.front().path);
        const auto before = core::read_state_dump(std::as_bytes(std::span(right))).value();
        const auto after = core::read_state_dump(result.diverged_state).value();
        std::vector<std::string> paths;
        const auto differences = core::compare_fields(before.fields, after.fields, 9).value();
        for (const core::FieldDifference& difference : differences.listed) {
            paths.push_back(to_string(difference));
        }
        return paths;
    }

    tests::SessionInputs inputs_;
};

TEST_F(PeerFaults, AreFoundAtTheirTickAndField) {
    const std::uint64_t at = telling_tick();
    const Course course = tests::one_rollback(200, at + 9, 10, 3);
    plan_.keep_diverged_state = true;
    for (const char* fault : kFaults) {
        SCOPED_TRACE(fault);
        plant(fault, at);
        const TrialResult result = run(course);
        ASSERT_EQ(result.verdict, Verdict::diverged) << result.reason;
        const StateRecord& found = result.divergence->computed;
        EXPECT_EQ(found.ticks_done, at + 1);
        EXPECT_EQ(found.steps, at + 11);
        EXPECT_EQ(found.rerun, (Rerun{at + 1, at + 10}));
        EXPECT_EQ(found.context.frame, at + 10);
        EXPECT_EQ(found.context.back, 10U);
        EXPECT_EQ(found.context.tick_in_frame, 0U);
        EXPECT_EQ(result.divergence->last_agreed, at);
        const auto fields = wrong_fields(result);
        EXPECT_EQ(fields.size(), 1U);
        EXPECT_THAT(fields, Each(StartsWith("inputs ")));
    }
}

TEST_F(PeerFaults, AreSilentWithoutARollbackOfTheirTick) {
    const std::uint64_t at = telling_tick();
    for (const char* fault : kFaults) {
        SCOPED_TRACE(fault);
        plant(fault, at);
        EXPECT_EQ(run(tests::lockstep_course(200)).verdict, Verdict::identical);
        plant(fault, at + 20);
        EXPECT_EQ(run(tests::one_rollback(200, at + 9, 10, 3)).verdict, Verdict::identical);
    }
    plan_.environment = {};
    EXPECT_EQ(run(tests::one_rollback(200, at + 9, 10, 3)).verdict, Verdict::identical);
}

TEST_F(PeerFaults, AreFoundWhereAModelOfThemSaysUnderAnyCourse) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Course course = tests::random_course(inputs_, {.seed = seed});
        for (const char* fault : kFaults) {
            SCOPED_TRACE(std::string(fault) + ", seed " + std::to_string(seed));
            plant(fault, 10 * (seed % 10));
            const auto wrong = first_wrong(course, {fault, 10 * (seed % 10)});
            const TrialResult result = run(course);
            EXPECT_EQ(result.verdict, wrong ? Verdict::diverged : Verdict::identical);
            if (wrong && result.divergence) {
                EXPECT_EQ(result.divergence->computed.ticks_done, *wrong);
                ++found;
            }
        }
    }
    EXPECT_GT(found, 60U);
}

TEST_F(PeerFaults, OfOtherKindsAreVerdictsWithTheirPlace) {
    take(tests::one_rollback(200, 29, 10, 3));
    plant("throw", 25);
    const TrialResult result = run();
    EXPECT_EQ(result.verdict, Verdict::crashed);
    EXPECT_EQ(result.failed_in, (Place{Activity::stepping, {25}, 26}));
    plant("build", 25);
    const TrialResult other = run();
    ASSERT_EQ(other.verdict, Verdict::diverged);
    EXPECT_EQ(other.divergence->computed.ticks_done, 26U);
    EXPECT_EQ(other.divergence->computed.steps, 36U);
}

}  // namespace
}  // namespace isotick::harness
