// Audits of the reference simulations: silent on the clean ones, exact on the planted faults.

#include "session.hpp"

#include <isotick/harness/detail/trial_runner.hpp>

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::testing {
namespace {

using ::testing::HasSubstr;

std::string test_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return letter == ':' || letter == '-'; }, '_');
    return name;
}

class CleanSimulation : public ::testing::TestWithParam<const char*> {};

TEST_P(CleanSimulation, HasNoBlindSpot) {
    const AuditReport report = Session(reference(GetParam())).audit();
    EXPECT_EQ(report.verdict, Verdict::identical) << lines(report.blind_spots);
    EXPECT_EQ(report.restores.size(), 8U);
    EXPECT_FALSE(report.types.empty());
    EXPECT_FALSE(report.flips.classes.empty());
    EXPECT_GT(report.flips.snapshot_taken, 0U);
    EXPECT_TRUE(report.liveness.inputs_mattered);
}

TEST_P(CleanSimulation, HasNoBlindSpotAtAQuickLookEither) {
    const Session session(reference(GetParam()));
    const auto spots =
        quick_audit(session.path(), {}, probes_in_this_process(reference(GetParam())));
    ASSERT_TRUE(spots) << describe(spots.error());
    EXPECT_EQ(lines(*spots), "");
}

INSTANTIATE_TEST_SUITE_P(Reference, CleanSimulation,
                         ::testing::Values("pile", "skirmish", "spring", "twin:alpha",
                                           "twin:render-random"),
                         [](const auto& test) { return test_name(test.param); });

struct Fault {
    const char* simulation;
    Measurement measurement;
    const char* says;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.simulation;
}

class FaultySimulation : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultySimulation, IsBlindWhereTheFaultIs) {
    const auto& [simulation, measurement, says] = GetParam();
    const AuditReport report = Session(reference(simulation), 600).audit();
    EXPECT_EQ(report.verdict, Verdict::diverged);
    const auto& spots = report.blind_spots;
    EXPECT_TRUE(std::any_of(spots.begin(), spots.end(), [&](const BlindSpot& spot) {
        return spot.measurement == measurement && to_string(spot).find(says) != std::string::npos;
    })) << lines(spots);
}

INSTANTIATE_TEST_SUITE_P(
    Reference, FaultySimulation,
    ::testing::Values(
        Fault{"fault:missing", Measurement::snapshot, "fixes the restored run"},
        Fault{"fault:missing", Measurement::coverage, "neither the hash nor snapshots"},
        Fault{"fault:missing-from-save", Measurement::snapshot, "slow_ticks: is not restored"},
        Fault{"fault:stale-cache", Measurement::snapshot, "fixes the restored run"},
        Fault{"fault:stale-cache", Measurement::coverage, "neither the hash nor snapshots"},
        Fault{"fault:padding", Measurement::hash, "last_drop: two instances hash the same state"},
        Fault{"control:render-random", Measurement::liveness, "render: changes the state"},
        Fault{"control:frame-time", Measurement::liveness, "begin_frame: changes the state"}),
    [](const auto& test) {
        return test_name(test.param.simulation) + "_in_" +
               std::string(to_string(test.param.measurement));
    });

TEST(Audit, OneRangeAloneIsForgottenInAPileThatForgetsOneMember) {
    const AuditReport report = Session(reference("fault:missing"), 600).audit();
    EXPECT_EQ(count(report, RangeKind::forgotten), 1);
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& range : type.ranges) {
            EXPECT_EQ(range.cures, range.kind == RangeKind::forgotten);
        }
    }
}

#if ISOTICK_HAS_LIBDW
TEST(Audit, ScratchSpaceBehindPointersIsToldFromState) {
    const AuditReport report = Session(reference("pile")).audit();
    EXPECT_EQ(count(report, RangeKind::pointer), 2);  // two instances hold the same in them
    EXPECT_GE(count(report, RangeKind::unused), 7);
}

TEST(Audit, MembersAreCalledByTheirNames) {
    const std::string spots = lines(Session(reference("fault:stale-cache")).audit().blind_spots);
    EXPECT_THAT(spots, HasSubstr("snapshot: middle_.x, middle_.y: "));
    EXPECT_THAT(spots, HasSubstr("coverage: middle_.x: "));
}

TEST(QuickAudit, LooksUpTheNamesOfWhatItFound) {
    const isotick_simulation_table& table = reference("fault:stale-cache");
    const Session session(table);
    const auto spots = quick_audit(session.path(), {}, probes_in_this_process(table));
    ASSERT_TRUE(spots) << describe(spots.error());
    EXPECT_THAT(lines(*spots), HasSubstr("snapshot: middle_.x, middle_.y: "));
}
#endif

TEST(Audit, WorkersFindWhatThisProcessFinds) {
    const Session session(reference("fault:stale-cache"), 300);
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    options.jobs = 2;
    const auto there =
        audit(session.path(), {},
              probes_in_worker_processes(SimulationName::chosen("fault:stale-cache"), options));
    ASSERT_TRUE(there) << describe(there.error());
    const AuditReport here = session.audit();
    EXPECT_EQ(lines(there->blind_spots), lines(here.blind_spots));
    EXPECT_EQ(there->work, here.work);
    EXPECT_EQ(there->verdict, here.verdict);
}

TEST(Audit, TheWorkIsASmallMultipleOfTheSession) {
    const AuditReport report = Session(reference("spring"), 3000).audit();
    EXPECT_LT(report.work, 3000U * 20 + 40'000U);
}

TEST(Audit, ARecordingOfAnotherSimulationIsRefused) {
    const Session session(reference("spring"));
    const auto report = audit(session.path(), {}, probes_in_this_process(reference("pile")));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, core::ErrorCode::usage);
}

TEST(Audit, AMissingRecordingIsAnError) {
    EXPECT_FALSE(audit("/nonexistent", {}, probes_in_this_process(reference("pile"))));
}

TEST(QuickAudit, FindsAStaleCacheInLessThanTwoThousandTicks) {
    const isotick_simulation_table& table = reference("fault:stale-cache");
    const Session session(table, 600);
    std::uint64_t work = 0;
    const ProbeRunner run = probes_in_this_process(table);
    const auto spots = quick_audit(session.path(), {}, [&](std::span<const ProbePlan> plans) {
        auto results = run(plans);
        for (const ProbeResult& result : *results) {
            work += result.work;
        }
        return results;
    });
    ASSERT_TRUE(spots) << describe(spots.error());
    EXPECT_THAT(lines(*spots), HasSubstr("snapshot: "));
    EXPECT_THAT(lines(*spots), HasSubstr("coverage: "));
    EXPECT_LT(work, 2000U);
}

}  // namespace
}  // namespace isotick::harness::testing
