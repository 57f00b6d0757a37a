// A peer's own recording is the session's, where all is well.

#include "peer_trial.hpp"
#include "support/faulty.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/replay/reader.hpp>

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

class OwnRecording : public tests::PeerTrial {
  protected:
    TrialResult run_recorded(const Course& course) {
        plan_.course.emplace();
        plan_.course->recording = empty_file("own.isotick");
        return run(course);
    }

    // What an offline replay of the same inputs records.
    std::string offline(std::uint64_t ticks) {
        const auto head = replay::Reader::open(plan_.recording)->head();
        RecordPlan record;
        record.path = folder_.file("offline.isotick");
        record.overwrite = true;
        record.setup = {
            head.session.rate, head.session.players, head.session.seed, head.session.config, {}};
        record.ticks = ticks;
        record.inputs = InputSource::recording;
        record.recorded_inputs = plan_.recording;
        record.sample_every_tick = true;
        record.edits = plan_.inputs;
        record.hash_every = head.hash_every;
        record.parts_every = head.parts_every;
        record.notes = head.notes;
        const auto recorded = run_record(record, *table_, progress_);
        EXPECT_FALSE(recorded.error);
        return content(record.path);
    }

    std::string own() { return content(folder_.file("own.isotick")); }
};

TEST_F(OwnRecording, IsThatOfAnOfflineReplayByteForByte) {
    for (const std::uint32_t hash_every : {1U, 7U}) {
        record("skirmish", 250, hash_every);
        const auto inputs = tests::recorded_inputs(plan_.recording);
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const TrialResult result =
                run_recorded(tests::random_course(inputs, {.seed = seed, .window = 20}));
            EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
            EXPECT_TRUE(own() == content(plan_.recording)) << seed;
            EXPECT_TRUE(own() == offline(250)) << seed;
        }
    }
}

TEST_F(OwnRecording, IsOfTheInputsThatWereAgreedOn) {
    record("skirmish", 100);
    plan_.inputs = {{1U, {30}, {60}, InputEditKind::release, {}}};
    plan_.hashes = HashFile{empty_file("hashes"), HashFile::Use::write};
    run_recorded(tests::one_rollback(100, 50, 20, 3));
    EXPECT_TRUE(own() == offline(100));
    EXPECT_FALSE(own() == content(plan_.recording));
}

TEST_F(OwnRecording, IsOfAsManyTicksAsAreFinal) {
    record("skirmish", 100, 7);
    Course course = tests::one_rollback(100, 80, 20, 3);
    for (auto step = course.steps.end() - 10; step != course.steps.end(); ++step) {
        *step = {true, false};
    }
    EXPECT_EQ(run_recorded(course).verdict, Verdict::identical);
    EXPECT_TRUE(own() == offline(90));
    plan_.until = core::Tick{65};  // while tick 65 is run again
    EXPECT_EQ(run_recorded(course).verdict, Verdict::identical);
    EXPECT_TRUE(own() == offline(66));
    plan_.until.reset();
    plan_.most_steps = 78;  // of which 61 are final
    EXPECT_EQ(run_recorded(course).verdict, Verdict::identical);
    EXPECT_TRUE(own() == offline(61));
}

TEST_F(OwnRecording, EndsWithTheTickThatDiverged) {
    record(core::simulation_table<tests::Faulty>(), 100);
    set_environment("fault", "build");
    const TrialResult result = run_recorded(tests::one_rollback(100, 25, 10, 3));
    ASSERT_EQ(result.verdict, Verdict::diverged);
    auto reader = replay::Reader::open(folder_.file("own.isotick")).value();
    EXPECT_EQ(reader.indexed_ticks(), 21U);
    EXPECT_EQ(reader.chunk(0).value()->state_hash(20), result.divergence->computed.hash);
}

TEST_F(OwnRecording, HasTheFullChunksWhereTheSimulationFails) {
    record(core::simulation_table<tests::Faulty>(), 150);
    set_environment("fault", "throw");
    set_environment("at", "140");
    const TrialResult result = run_recorded(tests::one_rollback(150, 25, 10, 3));
    EXPECT_EQ(result.verdict, Verdict::crashed) << result.reason;
    auto reader = replay::Reader::open(folder_.file("own.isotick")).value();
    EXPECT_FALSE(reader.indexed_ticks());
    EXPECT_EQ(reader.chunk_count(), 2U);
}

TEST_F(OwnRecording, IsOfWhatItTakesForAgreed) {
    record("skirmish", 100);
    auto inputs = tests::recorded_inputs(plan_.recording);
    std::uint32_t tick = 40;
    while (!inputs[tick][2]) {
        ++tick;
    }
    Course course = tests::lockstep_course(100);
    course.guesses = {{tick, 2, std::nullopt}};
    plan_.hashes = HashFile{empty_file("hashes"), HashFile::Use::write};
    run_recorded(course);
    inputs[tick][2].reset();
    EXPECT_EQ(tests::recorded_inputs(folder_.file("own.isotick")), inputs);
}

}  // namespace
}  // namespace isotick::harness
