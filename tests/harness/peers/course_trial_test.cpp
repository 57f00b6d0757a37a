// A trial of a course does what the course says, and finds what goes wrong in it.

#include "peer_trial.hpp"

#include <isotick/harness/detail/process_simulation.hpp>

#include <array>

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CourseTrial : public tests::PeerTrial {
  protected:
    void expect_done(const Course& course) {
        const auto sums = sum_up(course, 3);
        ASSERT_TRUE(sums) << describe(sums.error());
        const TrialResult result = run(course);
        EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
        const TrialStatistics& did = result.statistics;
        EXPECT_EQ(did.ticks, sums->steps);
        EXPECT_EQ(did.ticks, did.final_steps + did.ticks_undone);
        EXPECT_EQ(did.ticks_undone, sums->undone);
        EXPECT_EQ(did.final_steps, sums->final_steps);
        EXPECT_EQ(did.hashes_compared, sums->final_steps);
        EXPECT_EQ(did.state_loads, sums->loads);
        EXPECT_EQ(did.frames, course.frames.size());
        EXPECT_EQ(did.ticks_reached, sums->ticks_done);
    }

    // A session of the simulation's, as many peers.
    void expect_peers_to_agree(const char* simulation, std::uint64_t peers) {
        record(simulation, 300);
        const tests::SessionInputs inputs = tests::recorded_inputs(plan_.recording);
        std::uint64_t guesses = 0;
        for (std::uint64_t seed = 0; seed < peers; ++seed) {
            SCOPED_TRACE(std::string(simulation) + ", seed " + std::to_string(seed));
            const Course course =
                tests::random_course(inputs, {.seed = seed, .window = 2 + seed % 30});
            expect_done(course);
            guesses += course.guesses.size();
        }
        EXPECT_GT(guesses, 10 * peers);
    }
};

TEST_F(CourseTrial, OfALockstepPeerIsIdentical) {
    record("skirmish", 200);
    expect_done(tests::lockstep_course(200));
}

TEST_F(CourseTrial, RunsWhatRollbacksForceAndNoMore) {
    expect_peers_to_agree("skirmish", 20);
}

TEST_F(CourseTrial, IsIdenticalInWhateverTakesSnapshots) {
    record("spring", 100);
    expect_done(tests::one_rollback(100, 60, 10, 1));
    record("pile", 100);
    expect_done(tests::one_rollback(100, 99, 30, 0));
}

TEST_F(CourseTrial, ShowsTheSimulationWrongGuesses) {
    record("skirmish", 60);
    const tests::SessionInputs inputs = tests::recorded_inputs(plan_.recording);
    Course course = tests::one_rollback(60, 40, 10, 3);
    ASSERT_TRUE(inputs[31][0] || inputs[31][1] || inputs[31][2]) << "choose another tick";
    plan_.trace = StateRange{32, 42};
    const TrialResult guessed = run(course);
    course.guesses.clear();
    const TrialResult knew = run(course);
    ASSERT_EQ(guessed.trace.size(), 11U);
    EXPECT_NE(guessed.trace.front().hash, knew.trace.front().hash);
    EXPECT_EQ(guessed.trace.back().hash, knew.trace.front().hash);
    EXPECT_EQ(guessed.trace.back().rerun, (Rerun{32, 41}));
    EXPECT_EQ(guessed.trace.back().context.back, 10U);
}

TEST_F(CourseTrial, OfAPeerWhoTakesAnotherInputForAgreedDivergesThere) {
    record("skirmish", 60);
    Course course = tests::lockstep_course(60);
    const tests::SessionInputs inputs = tests::recorded_inputs(plan_.recording);
    std::uint64_t tick = 30;
    while (!inputs[tick][1]) {
        ++tick;
    }
    course.guesses.push_back({tick, 1, std::nullopt});
    const TrialResult result = run(course);
    ASSERT_EQ(result.verdict, Verdict::diverged) << result.reason;
    EXPECT_EQ(result.divergence->computed.ticks_done, tick + 1);
    EXPECT_EQ(result.divergence->last_agreed, tick);
}

TEST_F(CourseTrial, EndsWithTheLastTimeThatATickIsRun) {
    record("skirmish", 60);
    take(tests::one_rollback(60, 40, 10, 3));
    plan_.until = core::Tick{30};
    EXPECT_EQ(run().statistics.ticks, 31U);
    plan_.until = core::Tick{31};
    EXPECT_EQ(run().statistics.ticks, 42U);
    plan_.until = core::Tick{41};
    EXPECT_EQ(run().statistics.ticks, 52U);
    plan_.until.reset();
    plan_.most_steps = 45;
    EXPECT_EQ(run().statistics.ticks, 45U);
    plan_.most_frames = 7;
    EXPECT_EQ(run().statistics.frames, 7U);
}

TEST_F(CourseTrial, DumpsTheStateOfAnyStep) {
    record("skirmish", 60);
    take(tests::one_rollback(60, 40, 10, 3));
    std::array<std::string, 3> dumps;
    std::size_t next = 0;
    for (const std::uint64_t steps : {32U, 42U, 50U}) {
        plan_.dumps = {DumpRequest{empty_file("state"), steps}};
        EXPECT_TRUE(run().dumped);
        dumps.at(next++) = content(plan_.dumps.front().path);
    }
    EXPECT_FALSE(dumps[0] == dumps[1]);  // tick 31 on a guess, and as it was
    plan_.course.reset();
    plan_.dumps = {DumpRequest{empty_file("state"), 32}};
    EXPECT_TRUE(run().dumped);
    EXPECT_TRUE(content(plan_.dumps.front().path) == dumps[1]);
    EXPECT_FALSE(dumps[2] == dumps[1]);
}

TEST_F(CourseTrial, DumpsItsLastState) {
    record("skirmish", 60);
    take(tests::one_rollback(60, 59, 10, 3));
    plan_.dumps = {DumpRequest{empty_file("state"), std::nullopt}};
    EXPECT_TRUE(run().dumped);
    const std::string of_peer = content(plan_.dumps.front().path);
    plan_.course.reset();
    EXPECT_TRUE(run().dumped);
    EXPECT_TRUE(content(plan_.dumps.front().path) == of_peer);
}

TEST_F(CourseTrial, WatchesFieldsOfEveryStep) {
    record("skirmish", 20);
    take(tests::one_rollback(20, 10, 2, 3));
    plan_.watch = WatchRequest{empty_file("watched"), {"tick"}};
    run();
    EXPECT_THAT(content(plan_.watch->path), StartsWith("{\"column\":0,\"missing\""));
    plan_.watch = WatchRequest{empty_file("watched"), {"world.ticks"}};
    EXPECT_EQ(run().verdict, Verdict::identical);
    const std::string lines = content(plan_.watch->path);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 22);
}

TEST_F(CourseTrial, ComparesWithTheHashesOfATrialThatHasThem) {
    record("skirmish", 60);
    plan_.inputs = {{std::nullopt, {20}, {30}, InputEditKind::release, {}}};
    plan_.hashes = HashFile{empty_file("hashes"), HashFile::Use::write};
    EXPECT_EQ(run().verdict, Verdict::identical);
    plan_.hashes->use = HashFile::Use::compare;
    const TrialResult result = run(tests::one_rollback(60, 40, 15, 3));
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(result.statistics.hashes_compared, 60U);
    plan_.inputs.clear();
    EXPECT_EQ(run(tests::one_rollback(60, 40, 15, 3)).verdict, Verdict::diverged);
}

TEST_F(CourseTrial, IsOfWhatTheRecordingHas) {
    record("skirmish", 60);
    const TrialResult result = run(tests::lockstep_course(61));
    ASSERT_TRUE(result.refused);
    EXPECT_EQ(result.refused->code, core::ErrorCode::usage);
    EXPECT_THAT(result.reason, HasSubstr("the course runs tick 60, which the recording does not"));
    EXPECT_EQ(run(tests::lockstep_course(60)).verdict, Verdict::identical);
}

TEST_F(CourseTrial, IsRefusedWhereTheCourseCannotBeRun) {
    record("skirmish", 60);
    Course course = tests::one_rollback(60, 40, 10, 3);
    course.guesses.back().player = 3;
    EXPECT_THAT(run(course).reason, HasSubstr("is for player 3, but the session has 3"));
    course.frames.pop_back();
    EXPECT_TRUE(run(course).refused);
    plan_.course->path = folder_.file("none");
    EXPECT_EQ(run().verdict, Verdict::unreadable);
}

TEST_F(CourseTrial, NeedsSnapshotsWhereItGoesBack) {
    record("skirmish", 60);
    isotick_simulation_table without = *table_;
    isotick_info info = *table_->info;
    info.capabilities &= ~static_cast<std::uint64_t>(ISOTICK_CAN_SAVE);
    without.info = &info;
    table_ = &without;
    const TrialResult result = run(tests::one_rollback(60, 40, 10, 3));
    ASSERT_TRUE(result.refused);
    EXPECT_EQ(result.refused->code, core::ErrorCode::usage);
    EXPECT_THAT(result.reason, HasSubstr("skirmish takes no snapshots"));
    EXPECT_EQ(run(tests::lockstep_course(60)).verdict, Verdict::identical);
}

TEST_F(CourseTrial, WithoutAFinalTickProvesNothing) {
    record("skirmish", 60);
    Course course = tests::lockstep_course(60);
    course.steps.assign(60, {true, false});
    const TrialResult result = run(course);
    EXPECT_EQ(result.verdict, Verdict::inconclusive);
    EXPECT_THAT(result.reason, HasSubstr("no tick's hash was compared"));
}

TEST_F(CourseTrial, WaitsForQueuedCallsWhereItSavesAndLoads) {
    const auto process = ProcessSimulation::ask(ISOTICK_PROGRAM " serve --sim skirmish").value();
    record("skirmish", 200);
    const tests::SessionInputs inputs = tests::recorded_inputs(plan_.recording);
    table_ = &process.table();
    ASSERT_NE(table_->info->capabilities & ISOTICK_QUEUES_CALLS, 0U);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        expect_done(tests::random_course(inputs, {.seed = seed, .wrong_percent = 10}));
    }
    expect_done(tests::lockstep_course(200));
}

}  // namespace
}  // namespace isotick::harness
