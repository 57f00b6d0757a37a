// A timestep that changes from tick to tick: recorded live, and replayed by the same bits.

#include "support/queued.hpp"
#include "support/scratch_folder.hpp"
#include "text/text_files.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/detail/probe.hpp>
#include <isotick/harness/detail/process_simulation.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/recorder.hpp>

#include <array>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::TickDt;
using ::testing::HasSubstr;

constexpr std::uint64_t kOwnDtTicks = 600;
constexpr std::uint64_t kFirstOwn = 40;  // the ticks before it have the constant dt

TickDt dt_of(std::uint64_t numerator, std::uint64_t denominator) {
    return TickDt::make(numerator, denominator).value();
}

// 1/60, 1/30 and 1/100 in turn, then as long as a frame that was measured.
std::optional<TickDt> dt_at(std::uint64_t tick) {
    if (tick < kFirstOwn) {
        return std::nullopt;
    }
    if (tick < 300) {
        return dt_of(1, std::array{30U, 100U, 60U}[tick % 3]);
    }
    return TickDt::of({15'000'000 + static_cast<std::int64_t>(tick * 7919 % 4'000'000)});
}

class OwnDts : public ::testing::Test {
  protected:
    OwnDts() {
        record(path_, [](std::uint64_t tick) { return dt_at(tick); });
    }

    // A live game that steps by dt_at, but tells the recorder what `told` says.
    template <class Told>
    void record(const std::string& path, const Told& told) const {
        auto simulation = core::Simulation::create(spring_, setup()).value();
        replay::RecordingHead head;
        head.session.simulation = "spring";
        head.session.players = 1;
        auto hash = simulation.hash().value();
        head.part_names = simulation.part_names();
        auto recorder = replay::Recorder::create(path, head, {hash, simulation.parts()},
                                                 {.patience_ms = 60'000});
        ASSERT_TRUE(recorder) << describe(recorder.error());
        for (core::Tick tick; tick.value < kOwnDtTicks; ++tick.value) {
            const auto push = static_cast<std::uint8_t>(tick.value / 7 * 37);
            const isotick_input inputs[] = {
                {0, tick.value % 7 == 0 ? 1U : 0U, tick.value % 7 == 0 ? 1U : 0U, &push},
                {ISOTICK_WORLD, 0, 0, nullptr}};
            ASSERT_TRUE(simulation.step(tick, inputs, dt_at(tick.value)));
            hash = simulation.hash().value();
            const replay::TickHashes hashes{hash, simulation.parts()};
            ASSERT_TRUE(recorder->record(tick, inputs, &hashes, told(tick.value)));
        }
        ASSERT_TRUE(recorder->finish({hash, simulation.parts()}));
    }

    static core::SimulationSetup setup() {
        core::SimulationSetup setup;
        setup.players = 1;
        return setup;
    }

    // Records a twin whose tick `altered` claims to have had another dt.
    [[nodiscard]] std::string twin(std::uint64_t altered) const {
        const std::string path = folder_.file("twin.isotick");
        record(path, [=](std::uint64_t tick) {
            return tick == altered ? std::optional(dt_of(1, 99)) : dt_at(tick);
        });
        return path;
    }

    static TrialResult run(const std::string& path, const isotick_simulation_table& table,
                           const std::string& schedule) {
        TrialPlan plan;
        plan.recording = path;
        plan.drive.schedule = core::Schedule::parse(schedule).value();
        Progress progress;
        return run_trial(plan, table, progress);
    }

    static void expect_identical(const std::string& path, const isotick_simulation_table& table) {
        for (const char* schedule : {"nominal", "30hz", "144hz", "mix(seed=1)", "mix(seed=2)",
                                     "7ms, 100ms, 0ns", "60x60hz, 1x3s"}) {
            const TrialResult result = run(path, table, schedule);
            EXPECT_EQ(result.verdict, Verdict::identical) << schedule << ": " << result.reason;
            EXPECT_EQ(result.statistics.hashes_compared, kOwnDtTicks) << schedule;
        }
    }

    static void expect_divergence(const std::string& path, const isotick_simulation_table& table,
                                  std::uint64_t tick) {
        for (const char* schedule : {"nominal", "mix(seed=1)", "mix(seed=2)"}) {
            const TrialResult result = run(path, table, schedule);
            ASSERT_TRUE(result.divergence) << schedule;
            EXPECT_EQ(result.divergence->computed.ticks_done, tick + 1) << schedule;
        }
    }

    // The spring, if it did not declare that it takes a changing dt.
    [[nodiscard]] static isotick_info without_changing_dt() {
        isotick_info info = *core::find_reference_simulation("spring")->info;
        info.capabilities &= ~ISOTICK_CHANGING_DT;
        return info;
    }

    tests::ScratchFolder folder_;
    std::string path_ = folder_.file("s.isotick");
    const isotick_simulation_table& spring_ = *core::find_reference_simulation("spring");
};

TEST_F(OwnDts, ReplayIdenticallyUnderEverySchedule) {
    expect_identical(path_, spring_);
}

TEST_F(OwnDts, OneThatIsAlteredDivergesAtItsTick) {
    for (const std::uint64_t tick :
         {std::uint64_t{0}, kFirstOwn, std::uint64_t{333}, kOwnDtTicks - 1}) {
        expect_divergence(twin(tick), spring_, tick);
        std::filesystem::remove(folder_.file("twin.isotick"));
    }
}

TEST_F(OwnDts, ReplayLikewiseWhereCallsAreQueued) {
    const tests::QueuedTable queued(spring_);
    expect_identical(path_, queued);
    expect_divergence(twin(333), queued, 333);
}

TEST_F(OwnDts, ReplayLikewiseInAProcess) {
    const auto process = ProcessSimulation::ask(ISOTICK_PROGRAM " serve --sim spring").value();
    expect_identical(path_, process.table());
    expect_divergence(twin(333), process.table(), 333);
}

TEST_F(OwnDts, AreRefusedBySimulationsThatDeclareNoChangingDt) {
    const isotick_info info = without_changing_dt();
    isotick_simulation_table table = spring_;
    table.info = &info;
    for (const char* schedule : {"nominal", "mix(seed=1)"}) {
        const TrialResult result = run(path_, table, schedule);
        ASSERT_TRUE(result.refused) << schedule;
        EXPECT_EQ(result.refused->code, core::ErrorCode::usage);
        EXPECT_EQ(result.refused->tick, kFirstOwn);
        EXPECT_THAT(result.refused->message, HasSubstr("its dt is 1/100 s instead of 1/60 s, but "
                                                       "spring does not declare"));
    }
    EXPECT_TRUE(run(path_, tests::QueuedTable(table), "nominal").refused);
    const auto audited = audit(path_, {}, probes_in_this_process(table));
    ASSERT_FALSE(audited);
    EXPECT_EQ(audited.error().tick, kFirstOwn);
}

TEST_F(OwnDts, AreKeptWhereTextIsHashedAnew) {
    const std::string text = text_of(path_);
    EXPECT_THAT(text, HasSubstr("{\"t\":39,\"hash\""));
    EXPECT_THAT(text, HasSubstr("{\"t\":40,\"dt\":\"1/100\",\"hash\""));
    const std::string copy = folder_.file("copy.isotick");
    const auto imported = import_from(text, copy, false, true);
    ASSERT_TRUE(imported) << describe(imported.error());
    EXPECT_TRUE(imported->computed);
    EXPECT_EQ(bytes_of(copy), bytes_of(path_));
}

TEST_F(OwnDts, AreSteppedByInAudits) {
    const auto report = audit(path_, {}, probes_in_this_process(spring_));
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_EQ(report->verdict, Verdict::identical);
    EXPECT_TRUE(report->liveness.reproduced) << report->liveness.unreproduced;
}

}  // namespace
}  // namespace isotick::harness
