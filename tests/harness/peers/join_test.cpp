// A peer that joins begins from a snapshot of another's, and must agree from there on.

#include "peer_trial.hpp"
#include "support/faulty.hpp"

#include <isotick/core/adapter.hpp>

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

class Join : public tests::PeerTrial {
  protected:
    // Snapshots by a peer that goes back over the ticks at which they are taken.
    void host(const char* simulation, std::vector<std::uint64_t> ticks_done) {
        record(simulation, 300);
        inputs_ = tests::recorded_inputs(plan_.recording);
        take(tests::one_rollback(300, 120, 30, inputs_.front().empty() ? 0 : 3));
        for (const std::uint64_t ticks : ticks_done) {
            const std::string name = "state" + std::to_string(ticks);
            plan_.course->save_at.push_back({empty_file(name.c_str()), ticks});
        }
        const TrialResult result = run();
        ASSERT_EQ(result.verdict, Verdict::identical) << result.reason;
        plan_.course->save_at.clear();
    }

    TrialResult join(const Course& course, std::uint64_t ticks_done) {
        take(course);
        plan_.course->begin_from = folder_.file("state" + std::to_string(ticks_done));
        return run();
    }

    Course joiner(std::uint64_t ticks_done) {
        Course course = tests::lockstep_course(300 - ticks_done);
        course.first_tick = ticks_done;
        return course;
    }

    tests::SessionInputs inputs_;
};

TEST_F(Join, AgreesFromWhereverItBegins) {
    host("skirmish", {1, 91, 100, 299, 300});
    for (const std::uint64_t ticks : {1U, 91U, 100U, 299U}) {
        const TrialResult result = join(joiner(ticks), ticks);
        EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
        EXPECT_EQ(result.statistics.hashes_compared, 301 - ticks);  // the first one included
        EXPECT_EQ(result.statistics.ticks_reached, 300U);
    }
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Course course =
            tests::random_course(inputs_, {.seed = seed, .first_tick = 100, .window = 12});
        const TrialResult result = join(course, 100);
        EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
        EXPECT_EQ(result.statistics.final_steps, 200U);
    }
}

TEST_F(Join, HoldsInputsAsThoseBeforeSay) {
    record("skirmish", 300);
    const auto inputs = tests::recorded_inputs(plan_.recording);
    std::uint64_t held = 80;
    while (!inputs[held][1]) {
        ++held;
    }
    plan_.inputs = {{1U, {held + 1}, {held + 30}, InputEditKind::hold, {}}};
    plan_.hashes = HashFile{empty_file("hashes"), HashFile::Use::write};
    take(tests::lockstep_course(300));
    const std::uint64_t joins = held + 10;
    plan_.course->save_at = {{empty_file(("state" + std::to_string(joins)).c_str()), joins}};
    ASSERT_EQ(run().verdict, Verdict::identical);
    plan_.course->save_at.clear();
    plan_.hashes->use = HashFile::Use::compare;
    const TrialResult result = join(joiner(joins), joins);
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(result.statistics.hashes_compared, 301 - joins);
}

TEST_F(Join, DivergesAtOnceWhereTheStateIsAnothers) {
    host("skirmish", {100});
    JoinState state = read_join_state(folder_.file("state100")).value();
    state.ticks_done = 101;
    ASSERT_TRUE(write_join_state(folder_.file("state101"), state));
    const TrialResult result = join(joiner(101), 101);
    ASSERT_EQ(result.verdict, Verdict::diverged) << result.reason;
    EXPECT_EQ(result.divergence->computed.ticks_done, 101U);
    EXPECT_EQ(result.divergence->computed.steps, 0U);
}

TEST_F(Join, SaysWhereItFails) {
    host("skirmish", {100});
    EXPECT_THAT(join(joiner(101), 100).reason,
                HasSubstr("the course begins at tick 101, but the snapshot is of the state that "
                          "100 ticks made"));
    JoinState state = read_join_state(folder_.file("state100")).value();
    state.snapshot.resize(state.snapshot.size() / 2);
    ASSERT_TRUE(write_join_state(folder_.file("state100"), state));
    const TrialResult cut = join(joiner(100), 100);
    EXPECT_EQ(cut.verdict, Verdict::crashed);
    EXPECT_EQ(cut.failed_in->activity, Activity::restoring);
    EXPECT_EQ(join(joiner(100), 7).verdict, Verdict::unreadable);
    EXPECT_THAT(join(joiner(0), 100).reason, HasSubstr("from tick 0 on begins from no snapshot"));
    state.ticks_done = 400;
    ASSERT_TRUE(write_join_state(folder_.file("state400"), state));
    Course late;
    late.first_tick = 400;
    EXPECT_THAT(join(late, 400).reason, HasSubstr("but the recording has only 300 ticks"));
    take(joiner(100));
    plan_.course->begin_from.clear();
    EXPECT_THAT(run().reason, HasSubstr("needs a snapshot to begin from"));
    plan_.course->begin_from = folder_.file("state100");
    plan_.course->recording = empty_file("own.isotick");
    EXPECT_THAT(run().reason, HasSubstr("has no recording of its own"));
}

TEST_F(Join, SnapshotsAreOfTicksThatAreFinal) {
    record("skirmish", 60);
    Course course = tests::one_rollback(60, 40, 10, 3);
    course.steps.back() = {true, false};
    take(course);
    plan_.course->save_at = {{empty_file("state"), 60}};
    EXPECT_THAT(run().reason, HasSubstr("no snapshot can be taken behind 60 ticks"));
    for (const std::uint64_t none : {0U, 61U}) {
        plan_.course->save_at.front().ticks_done = none;
        EXPECT_TRUE(run().refused) << none;
    }
    plan_.course->save_at.front().ticks_done = 59;
    EXPECT_EQ(run().verdict, Verdict::identical);
    EXPECT_EQ(read_join_state(folder_.file("state"))->ticks_done, 59U);
}

}  // namespace
}  // namespace isotick::harness
