// Nondeterminism: two runs of one trial, the tick at which they part, and the fields.

#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/verify.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kDisagreesAt = 77;

/// What goes wrong in one run, and when.
struct DisagreeingFault {
    const char* name = "";
    std::uint64_t at = kDisagreesAt;
};

core::Settings environment_of(const DisagreeingFault& fault) {
    core::Settings settings;
    EXPECT_TRUE(settings.set("fault", fault.name));
    EXPECT_TRUE(settings.set("at", std::to_string(fault.at)));
    return settings;
}

class Disagreements : public ::testing::Test {
  protected:
    void record(std::uint32_t hash_every = 1, std::uint64_t ticks = 300) {
        RecordPlan plan;
        plan.path = path();
        plan.setup.players = 1;
        plan.ticks = ticks;
        plan.hash_every = hash_every;
        plan.parts_every = 1000;
        ASSERT_FALSE(run_record(plan, table_, progress_).error);
    }

    // Of the trial that verify explains, run in processes of its own.
    Disagreement verified(const char* fault, const ExplainOptions& how = {}) {
        WorkerOptions workers;
        workers.executable = ISOTICK_PROGRAM;
        VerifyOptions options;
        options.trials = 3;
        options.environment = environment_of({fault});
        options.explain = how;
        const auto report = harness::verify(
            path(), options, in_worker_processes(SimulationName::chosen(ISOTICK_FAULTY), workers));
        EXPECT_TRUE(report) << describe(report.error());
        EXPECT_EQ(report->verdict, Verdict::nondeterministic);
        const auto& explanation = report->failures.at(0).explanation;
        return explanation ? explanation->disagreement.value_or(Disagreement()) : Disagreement();
    }

    // Each run has the next of these faults; after the last, none goes wrong.
    TrialRunner one_by_one(std::vector<DisagreeingFault> faults) {
        return [this, faults = std::move(faults)](
                   std::span<const TrialPlan> plans,
                   Isolation) -> core::Result<std::vector<TrialResult>> {
            std::vector<TrialResult> results;
            for (TrialPlan plan : plans) {
                plan.environment =
                    next_ < faults.size() ? environment_of(faults[next_]) : core::Settings();
                ++next_;
                results.push_back(run_trial(plan, table_, progress_));
            }
            return results;
        };
    }

    // The first two of the faults are those of the trial and its confirmation.
    std::optional<Disagreement> found(std::vector<DisagreeingFault> faults,
                                      std::size_t most_fields = 3, TrialPlan plan = {}) {
        plan.recording = path();
        plan.keep_diverged_state = true;
        const TrialRunner run = one_by_one(std::move(faults));
        const auto both = run(std::array{plan, plan}, Isolation::fresh);
        EXPECT_TRUE(both->front().divergence);
        return find_disagreement(plan, both->front(), both->back(), run, most_fields).value();
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<tests::Faulty>();
    Progress progress_;
    std::size_t next_ = 0;
};

std::vector<std::string> kinds(const FieldReport& report) {
    std::vector<std::string> paths;
    for (const core::FieldKind& kind : report.differences.kinds) {
        paths.push_back(kind.path);
    }
    return paths;
}

TEST_F(Disagreements, OfProcessIdsAreFoundAtTheirTickAndField) {
    record();
    const Disagreement disagreement = verified("process");
    EXPECT_EQ(disagreement.ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(disagreement.last_agreed, kDisagreesAt);
    EXPECT_NE(disagreement.a, disagreement.b);
    EXPECT_THAT(disagreement.parts, ElementsAre("counter"));
    EXPECT_THAT(kinds(disagreement.fields), ElementsAre("counter"));
    EXPECT_EQ(disagreement.outcomes, disagreement.runs);
}

TEST_F(Disagreements, OfALoopThatGoesBackAreFoundAtTheirTickAndField) {
    record();
    TrialPlan plan;
    plan.drive.loop.kind = core::LoopKind::reversible;
    plan.drive.schedule = core::Schedule::parse("300x(9xnominal, -133ms)").value();
    const auto disagreement = found({{"build"}, {"none"}, {"build"}}, 3, plan);
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(disagreement->last_agreed, kDisagreesAt);
    EXPECT_THAT(kinds(disagreement->fields), ElementsAre("counter"));
    EXPECT_EQ(disagreement->outcomes, 2U);
}

TEST_F(Disagreements, OfAddressesThatForksShareAreFound) {
    record();
    const Disagreement disagreement = verified("address");
    EXPECT_EQ(disagreement.ticks_done, kDisagreesAt + 1);
    EXPECT_THAT(kinds(disagreement.fields), ElementsAre("counter"));
    EXPECT_GT(disagreement.outcomes, 1U);
}

TEST_F(Disagreements, AreFoundAtTheirTickBetweenStoredHashes) {
    record(100);
    const Disagreement disagreement = verified("process");
    EXPECT_EQ(disagreement.ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(disagreement.last_agreed, kDisagreesAt);
    EXPECT_THAT(kinds(disagreement.fields), ElementsAre("counter"));
}

TEST_F(Disagreements, HaveNoFieldsWhereNobodyAsks) {
    record();
    ExplainOptions how;
    how.most_fields = 0;
    const Disagreement disagreement = verified("process", how);
    EXPECT_EQ(disagreement.ticks_done, kDisagreesAt + 1);
    EXPECT_FALSE(disagreement.fields.known);
    EXPECT_THAT(disagreement.fields.unknown, IsEmpty());
}

TEST_F(Disagreements, AreCountedWhereMostRunsAreTheSame) {
    record();
    const auto disagreement = found({{"build"}, {}, {}, {}, {"build"}, {}});
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(disagreement->runs, 4U);
    EXPECT_EQ(disagreement->outcomes, 2U);
    EXPECT_EQ(disagreement->most_alike, 3U);
    EXPECT_THAT(kinds(disagreement->fields), ElementsAre("counter"));
}

// What came once has left the state that it stood on.
TEST_F(Disagreements, ThatNeverComeAgainHaveTheFieldsOfTheRunThatWasWrong) {
    record();
    const auto disagreement = found({{"build"}, {}});
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(disagreement->last_agreed, kDisagreesAt);
    EXPECT_NE(disagreement->a, disagreement->b);
    EXPECT_EQ(disagreement->runs, 12U);
    EXPECT_EQ(disagreement->outcomes, 1U);
    EXPECT_TRUE(disagreement->b_is_further);
    EXPECT_THAT(disagreement->parts, ElementsAre("counter"));
    ASSERT_TRUE(disagreement->fields.known) << disagreement->fields.unknown;
    ASSERT_EQ(disagreement->fields.differences.listed.size(), 1U);
    EXPECT_EQ(to_string(disagreement->fields.differences.listed[0]), "counter  79 → 78");
}

TEST_F(Disagreements, OfARunThatKeptNoStateAreKnownButForTheFields) {
    record();
    TrialPlan plan;
    plan.recording = path();
    const TrialRunner run = one_by_one({{"build"}, {}});
    const auto both = run(std::array{plan, plan}, Isolation::fresh).value();
    const auto found = find_disagreement(plan, both.front(), both.back(), run, 3).value();
    ASSERT_TRUE(found);
    EXPECT_THAT(found->parts, ElementsAre("counter"));
    EXPECT_FALSE(found->fields.known);
    EXPECT_THAT(found->fields.unknown, HasSubstr("the runs made to show them agreed"));
}

TEST_F(Disagreements, AreThoseOfTheFirstTwoWhereNoOtherRunComesSoFar) {
    record();
    std::vector<DisagreeingFault> faults(200, DisagreeingFault{"throw", 50});
    faults[0] = {"build"};
    faults[1] = {"process"};
    const auto disagreement = found(std::move(faults));
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
    ASSERT_TRUE(disagreement->fields.known) << disagreement->fields.unknown;
    EXPECT_THAT(kinds(disagreement->fields), ElementsAre("counter"));
}

TEST_F(Disagreements, ThatCameEarlierInTheConfirmationAreOfTheEarlierTick) {
    record();
    const auto disagreement = found({{"build"}, {"build", 20}});
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, 21U);
    EXPECT_EQ(disagreement->last_agreed, 20U);
}

TEST_F(Disagreements, ThatComeLaterInFurtherRunsAreFoundThere) {
    record();
    const auto disagreement = found({{"build"},
                                     {},
                                     {"build", 200},
                                     {"build", 150},
                                     {},
                                     {},  // all the same up to where the first two differ
                                     {"build", 200},
                                     {"build", 150},
                                     {"build", 160},
                                     {},
                                     {"build", 150},
                                     {}});
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, 151U);
    EXPECT_EQ(disagreement->last_agreed, 150U);
    EXPECT_THAT(kinds(disagreement->fields), ElementsAre("counter"));
}

TEST_F(Disagreements, WithARunThatEndsBeforeAreFoundInTheOthers) {
    record();
    const auto disagreement =
        found({{"build"}, {"throw", 30}, {"throw", 30}, {"build"}, {}, {"throw", 30}});
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(disagreement->runs, 2U);
}

TEST_F(Disagreements, WithARunThatEndedBeforeAndNeverAgainAreWithTheFurtherRuns) {
    record();
    const auto disagreement = found({{"build"}, {"throw", 30}});
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
    EXPECT_TRUE(disagreement->b_is_further);
    EXPECT_THAT(kinds(disagreement->fields), ElementsAre("counter"));
}

TEST_F(Disagreements, AreNotMissedWhereTheFirstConfirmationIsTheSame) {
    record();
    VerifyOptions options;
    options.trials = 1;
    const DisagreeingFault same{"build"};
    const auto report = harness::verify(
        path(), options, one_by_one({same, {}, same, same, same, {}, same, {}, {}, {}}));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::nondeterministic);
    const auto& disagreement = report->failures.at(0).explanation->disagreement;
    ASSERT_TRUE(disagreement);
    EXPECT_EQ(disagreement->ticks_done, kDisagreesAt + 1);
}

TEST_F(Disagreements, AreFoundWhereShowingTheFieldsEndsTheRun) {
    record();
    TrialPlan plan;
    plan.recording = path();
    const DisagreeingFault fault{"build"};
    const TrialRunner run = one_by_one({fault, {}, fault, {}, fault, {}, fault, {}, fault, {}});
    const auto both = run(std::array{plan, plan}, Isolation::fresh).value();
    const TrialRunner crashing = [&run](std::span<const TrialPlan> plans, Isolation isolation) {
        auto results = run(plans, isolation);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (!plans[i].dumps.empty()) {
                (*results)[i] = TrialResult();
                (*results)[i].verdict = Verdict::crashed;
                (*results)[i].reason = "killed";
            }
        }
        return results;
    };
    const auto found = find_disagreement(plan, both.front(), both.back(), crashing, 3).value();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->ticks_done, kDisagreesAt + 1);
    EXPECT_EQ(found->outcomes, 2U);
    EXPECT_THAT(found->parts, ElementsAre("counter"));
    EXPECT_EQ(found->fields.unknown, "running it again ended crashed: killed");
}

// Another value in every instance, and nothing that shows fields.
struct Instance {
    static constexpr core::SimulationInfo kInfo{.name = "instance"};
    static constexpr bool kHasFields = false;
    static std::uint64_t instances;

    void step(const core::Step&) { ++ticks; }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ticks), CEREAL_NVP(number));
    }
    std::uint64_t ticks = 0;
    std::uint64_t number = ++instances;
};
std::uint64_t Instance::instances = 0;

TEST(Disagreement, OfTheInitialStateIsFoundInPartsAloneWhereThereAreNoFields) {
    const tests::ScratchFolder folder;
    const auto& table = core::simulation_table<Instance>();
    RecordPlan record;
    record.path = folder.file("s.isotick");
    record.inputs = InputSource::none;
    record.ticks = 60;
    Progress progress;
    ASSERT_FALSE(run_record(record, table, progress).error);
    const auto report = verify(record.path, {}, in_this_process(table));
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_EQ(report->verdict, Verdict::nondeterministic);
    const auto& explanation = report->failures.at(0).explanation;
    ASSERT_TRUE(explanation && explanation->disagreement);
    EXPECT_EQ(explanation->disagreement->ticks_done, 0U);
    EXPECT_FALSE(explanation->disagreement->last_agreed);
    EXPECT_THAT(explanation->disagreement->parts, ElementsAre("number"));
    EXPECT_THAT(explanation->disagreement->fields.unknown, HasSubstr("does not show its fields"));
}

}  // namespace
}  // namespace isotick::harness
