// One thing wrong at a time, and things that look wrong but are not.

#include "tiny.hpp"

#include "session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using tests::Tiny;
using tests::TinySimulation;

template <Tiny kIs, std::uint64_t kCapabilities = ISOTICK_MANY_INSTANCES>
AuditReport audit_tiny(const AuditOptions& options = {}) {
    using Simulation = TinySimulation<kIs, kCapabilities>;
    return Session(core::simulation_table<Simulation>()).audit(options);
}

// There is one blind spot, and it says this.
void expect_blind(const AuditReport& report, const char* says) {
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_EQ(report.blind_spots.size(), 1U) << lines(report.blind_spots);
    EXPECT_THAT(lines(report.blind_spots), StartsWith(says));
}

void expect_clean(const AuditReport& report) {
    EXPECT_EQ(lines(report.blind_spots), "");
    EXPECT_EQ(report.verdict, Verdict::identical);
}

TEST(AuditOfTiny, TheCleanOneIsClean) {
    expect_clean(audit_tiny<Tiny::clean>());
}

TEST(AuditOfTiny, AHashThatMissesAFieldIsToldByTheFieldsPath) {
    const AuditReport report = audit_tiny<Tiny::hash_misses_bonus>();
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_THAT(lines(report.blind_spots),
                HasSubstr("hash: bonus: changing it in memory does not change the hash"));
    EXPECT_THAT(lines(report.blind_spots), HasSubstr("hash: bonus: changing it in a loaded"));
}

TEST(AuditOfTiny, ASnapshotThatCannotBeLoadedIsABlindSpot) {
    expect_blind(audit_tiny<Tiny::load_refuses>(), "snapshot: the state after tick");
}

TEST(AuditOfTiny, LoadThatDoesNotReplaceEverythingShowsInAnInstanceThatHasRun) {
    expect_blind(audit_tiny<Tiny::load_merges>(), "snapshot: total: loading into a used instance");
}

TEST(AuditOfTiny, ACacheThatLoadMakesAnewIsDerived) {
    const AuditReport report = audit_tiny<Tiny::cache_of_load>();
    expect_clean(report);
    EXPECT_EQ(count(report, RangeKind::derived), 1);
}

TEST(AuditOfTiny, ACacheThatKnowsWhatItHoldsIsNotSaidToBeRecomputedByLoad) {
    const AuditReport report = audit_tiny<Tiny::cache_with_key>();
    expect_clean(report);
    EXPECT_EQ(count(report, RangeKind::derived), 0);
    EXPECT_EQ(count(report, RangeKind::harmless), 1);
}

TEST(AuditOfTiny, ACounterThatDecidesNothingAsItIsMayBeReset) {
    const AuditReport report = audit_tiny<Tiny::age>();
    expect_clean(report);
    EXPECT_EQ(count(report, RangeKind::derived), 0);
    EXPECT_EQ(count(report, RangeKind::resettable), 1);
}

TEST(AuditOfTiny, WhatTheSetupDecidesIsConstant) {
    const AuditReport report = audit_tiny<Tiny::from_setup>();
    expect_clean(report);
    EXPECT_EQ(count(report, RangeKind::constant), 1);
}

TEST(AuditOfTiny, AForgottenMemberOfElementsIsFound) {
    const AuditReport report = audit_tiny<Tiny::forgotten_in_bodies>();
    // By name where this was built with debug information.
    EXPECT_THAT(lines(report.blind_spots), AnyOf(HasSubstr("Body +4: the 4 bytes there"),
                                                 HasSubstr("coverage: forgotten: 4 bytes of")));
    EXPECT_EQ(count(report, RangeKind::forgotten), 1);
}

TEST(AuditOfTiny, ATickThatNeverEndsOncePoisonedIsNoBlindSpot) {
    AuditOptions impatient;
    impatient.hang_ms = 500;
    const AuditReport report = audit_tiny<Tiny::endless_if_poisoned>(impatient);
    expect_clean(report);
    EXPECT_EQ(count(report, RangeKind::pointer), 1);
}

TEST(AuditOfTiny, ARenderThatChangesTheStateIsNamed) {
    expect_blind(audit_tiny<Tiny::render_counts>(), "liveness: render: changes the state");
}

TEST(AuditOfTiny, ABotThatChangesTheStateIsNamed) {
    expect_blind(audit_tiny<Tiny::propose_counts>(), "liveness: propose_input: changes the state");
}

TEST(AuditOfTiny, AHashThatChangesTheStateIsNamedAndNoOtherCallIs) {
    EXPECT_THAT(
        lines(audit_tiny<Tiny::hash_counts>().blind_spots),
        AllOf(HasSubstr("liveness: hash: changes the state"), Not(HasSubstr("render: changes")),
              Not(HasSubstr("propose_input: changes")), Not(HasSubstr("save: changes"))));
}

TEST(AuditOfTiny, InputsThatNeverMatterAreABlindSpot) {
    expect_blind(audit_tiny<Tiny::deaf>(), "liveness: inputs: never mattered");
}

TEST(AuditOfTiny, AHashThatNeverChangesIsABlindSpot) {
    EXPECT_THAT(lines(audit_tiny<Tiny::frozen>().blind_spots),
                HasSubstr("liveness: hash: never changed"));
}

TEST(AuditOfTiny, TwoInstancesThatComputeDifferentStatesAreABlindSpot) {
    EXPECT_THAT(lines(audit_tiny<Tiny::address_in_state>().blind_spots),
                HasSubstr("liveness: two instances of the same session compute different states, "
                          "after tick 0 in total: total"));
}

TEST(AuditOfTiny, OneInstanceAtATimeIsEnough) {
    const AuditReport report = audit_tiny<Tiny::clean, 0>();
    expect_clean(report);
    EXPECT_EQ(report.restores.size(), 8U);
    EXPECT_FALSE(report.liveness.twins_compared);
    const AuditReport blind = audit_tiny<Tiny::forgotten_in_bodies, 0>();
    EXPECT_THAT(lines(blind.blind_spots), HasSubstr("fixes the restored run"));
}

TEST(AuditOfTiny, ThreadsOfItsOwnLeaveOutWhatNeedsCopies) {
    constexpr std::uint64_t kThreads = ISOTICK_MANY_INSTANCES | ISOTICK_OWN_THREADS;
    const AuditReport report = audit_tiny<Tiny::from_setup, kThreads>();
    expect_clean(report);
    EXPECT_EQ(report.restores.size(), 8U);
    EXPECT_THAT(report.flips_unavailable, HasSubstr("its own threads"));
    EXPECT_GT(count(report, RangeKind::untried), 0);
    EXPECT_EQ(count(report, RangeKind::constant), 0);
    expect_blind(audit_tiny<Tiny::load_merges, kThreads>(), "snapshot: total: loading into");
}

struct Mute : TinySimulation<Tiny::from_setup> {
    static constexpr bool kCanSave = false;
    static constexpr bool kHasFields = false;
    static constexpr bool kHasMemory = false;
    using TinySimulation::TinySimulation;
};

TEST(Audit, OfASimulationThatShowsNothingIsInconclusive) {
    const AuditReport report = Session(core::simulation_table<Mute>()).audit();
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    EXPECT_THAT(report.snapshot_unavailable, HasSubstr("declares no save"));
    EXPECT_THAT(report.coverage_unavailable, HasSubstr("does not show its memory"));
    ASSERT_EQ(report.reasons.size(), 1U);
    EXPECT_THAT(report.reasons.front(), HasSubstr("cannot be measured"));
}

struct Forgetful : TinySimulation<Tiny::cache_of_load> {
    static constexpr bool kCanSave = false;
    using TinySimulation::TinySimulation;
};

TEST(Audit, WithoutSaveStateAndCachesCannotBeToldApart) {
    const AuditReport report = Session(core::simulation_table<Forgetful>()).audit();
    EXPECT_EQ(count(report, RangeKind::unclear), 1);
    EXPECT_THAT(lines(report.blind_spots),
                HasSubstr("without save, a cache cannot be told from state"));
}

TEST(Audit, OfOneTickProvesNothing) {
    using Simulation = TinySimulation<Tiny::clean>;
    const AuditReport report = Session(core::simulation_table<Simulation>(), 1).audit();
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace isotick::harness::testing
