// A simulation that queues its calls is asked for many at once; what is found is the same.

#include "support/faulty.hpp"
#include "support/queued.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

const isotick_simulation_table& built_in(std::string_view name) {
    for (const isotick_simulation_table* table : core::reference_simulations()) {
        if (name == table->info->name) {
            return *table;
        }
    }
    throw std::invalid_argument("no such simulation");
}

class QueuedTrial : public ::testing::Test {
  protected:
    void record(const isotick_simulation_table& table, std::uint32_t hash_every = 1) {
        RecordPlan plan;
        plan.path = plan_.recording = folder_.file("s.isotick");
        plan.setup.players = table.info->usual_players;
        plan.ticks = 3000;
        plan.overwrite = true;
        plan.hash_every = hash_every;
        plan.inputs = InputSource::random;
        const auto recorded = run_record(plan, table, progress_);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    }

    void set_environment(const char* key, const char* value) {
        ASSERT_TRUE(plan_.environment.set(key, value));
    }

    // What a trial finds with its calls queued, held against what it finds without.
    TrialResult run_both(const isotick_simulation_table& table) {
        const tests::QueuedTable queued(table);
        const TrialResult ahead = run_trial(plan_, queued, progress_);
        const TrialResult direct = run_trial(plan_, table, progress_);
        EXPECT_GT(queued.longest_queue(), 10U) << "nothing was queued";
        EXPECT_EQ(ahead.verdict, direct.verdict) << ahead.reason;
        EXPECT_EQ(ahead.reason, direct.reason);
        EXPECT_EQ(ahead.last_hash, direct.last_hash);
        EXPECT_EQ(ahead.part_names, direct.part_names);
        expect_same(ahead.statistics, direct.statistics);
        EXPECT_EQ(ahead.trace.size(), direct.trace.size());
        for (std::size_t i = 0; i < std::min(ahead.trace.size(), direct.trace.size()); ++i) {
            expect_same(ahead.trace[i], direct.trace[i]);
        }
        EXPECT_EQ(ahead.divergence.has_value(), direct.divergence.has_value());
        if (ahead.divergence && direct.divergence) {
            expect_same(ahead.divergence->computed, direct.divergence->computed);
            EXPECT_EQ(ahead.divergence->recorded, direct.divergence->recorded);
            EXPECT_EQ(ahead.divergence->recorded_parts, direct.divergence->recorded_parts);
            EXPECT_EQ(ahead.divergence->last_agreed, direct.divergence->last_agreed);
        }
        return ahead;
    }

    static void expect_same(const TrialStatistics& a, const TrialStatistics& b) {
        EXPECT_EQ(a.ticks, b.ticks);
        EXPECT_EQ(a.frames, b.frames);
        EXPECT_EQ(a.hashes_compared, b.hashes_compared);
        EXPECT_EQ(a.least_ticks_per_frame, b.least_ticks_per_frame);
        EXPECT_EQ(a.most_ticks_per_frame, b.most_ticks_per_frame);
        EXPECT_EQ(a.inputs_present, b.inputs_present);
        EXPECT_EQ(a.schedule_repeats, b.schedule_repeats);
        EXPECT_EQ(a.hash_changed, b.hash_changed);
    }

    static void expect_same(const StateRecord& a, const StateRecord& b) {
        EXPECT_EQ(a.ticks_done, b.ticks_done);
        EXPECT_EQ(a.hash, b.hash);
        EXPECT_EQ(a.parts, b.parts);
        EXPECT_EQ(a.context.frame, b.context.frame);
        EXPECT_EQ(a.context.frame_time, b.context.frame_time);
        EXPECT_EQ(a.context.tick_in_frame, b.context.tick_in_frame);
        EXPECT_EQ(a.context.ticks_in_frame, b.context.ticks_in_frame);
        EXPECT_EQ(a.context.idle_frames, b.context.idle_frames);
        EXPECT_EQ(a.context.last_alpha, b.context.last_alpha);
    }

    tests::ScratchFolder folder_;
    Progress progress_;
    TrialPlan plan_;
};

TEST_F(QueuedTrial, IsIdenticalUnderAnySchedule) {
    record(built_in("skirmish"));
    for (const char* schedule : {"60hz", "144hz", "mix(seed=1)", "3x20ms, 1x200ms"}) {
        plan_.drive.schedule = core::Schedule::parse(schedule).value();
        EXPECT_EQ(run_both(built_in("skirmish")).verdict, Verdict::identical) << schedule;
    }
}

TEST_F(QueuedTrial, FindsADivergenceAtItsTickWithTheStatisticsOfThatTick) {
    for (const char* name :
         {"control:alpha", "control:frame-time", "control:long-frame", "control:render-random"}) {
        for (const std::uint32_t hash_every : {1U, 60U}) {
            record(built_in(name), hash_every);
            int diverged = 0;
            for (const char* schedule : {"144hz", "mix(seed=2)", "100x60hz, 1x101.4ms"}) {
                plan_.drive.schedule = core::Schedule::parse(schedule).value();
                diverged += run_both(built_in(name)).verdict == Verdict::diverged ? 1 : 0;
            }
            EXPECT_GT(diverged, 0) << name;
        }
    }
}

TEST_F(QueuedTrial, KeepsTheTraceThatIsAskedFor) {
    record(built_in("skirmish"));
    plan_.trace = {1017, 1130};
    EXPECT_EQ(run_both(built_in("skirmish")).trace.size(), 114U);
}

TEST_F(QueuedTrial, StopsWhereItIsTold) {
    record(built_in("skirmish"));
    plan_.until = core::Tick{1017};
    EXPECT_EQ(run_both(built_in("skirmish")).statistics.ticks, 1018U);
}

class QueuedFailure : public QueuedTrial, public ::testing::WithParamInterface<const char*> {};

TEST_P(QueuedFailure, HasItsTickAndItsCall) {
    const auto& faulty = core::simulation_table<tests::Faulty>();
    record(faulty);
    set_environment("fault", "throw");
    set_environment("at", "1337");
    set_environment("in", GetParam());
    EXPECT_EQ(run_both(faulty).verdict, Verdict::crashed);
}

INSTANTIATE_TEST_SUITE_P(In, QueuedFailure,
                         ::testing::Values("begin_frame", "step", "hash", "render"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace isotick::harness
