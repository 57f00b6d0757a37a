// Who is to blame: the call that did it, and nobody who only stood by.

#include "counter.hpp"
#include "session.hpp"

#include <cfenv>
#include <chrono>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Simulation>
AuditReport audit_of(const AuditOptions& options = {}) {
    const Session session(core::simulation_table<Simulation>());
    std::fesetround(FE_TONEAREST);  // recording runs in this process, too
    AuditReport report = session.audit(options);
    std::fesetround(FE_TONEAREST);
    return report;
}

enum class Rounds { never, render, render_but_step_minds, save, step };

// Divides, which is rounded as the thread's control word says.
template <Rounds kWho>
class Rounder : public Counter {
  public:
    void step(const core::Step& step) {
        if (kWho == Rounds::render_but_step_minds) {
            std::fesetround(FE_TONEAREST);
        } else if (kWho == Rounds::step) {
            std::fesetround(FE_UPWARD);
        }
        count(step);
        third = (third + static_cast<double>(total)) / 3.0;
    }
    void render(double) {
        if (kWho == Rounds::render || kWho == Rounds::render_but_step_minds) {
            std::fesetround(FE_TOWARDZERO);
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("third", third), cereal::make_nvp("total", total));
        if (kIsSave<Archive> && kWho == Rounds::save) {
            std::fesetround(FE_TOWARDZERO);
        }
    }

  private:
    double third = 0.1;
};

struct RoundsWithoutSave : Rounder<Rounds::render> {
    static constexpr bool kCanSave = false;
};

TEST(AuditOfCauses, TheCallThatLeavesARoundingModeIsNamedAlone) {
    const std::string spots = lines(audit_of<Rounder<Rounds::render>>().blind_spots);
    EXPECT_THAT(spots,
                AllOf(HasSubstr("liveness: render: changes the state"),
                      HasSubstr("floating-point control words changed: rounds toward zero (before: "
                                "to nearest)"),
                      Not(HasSubstr("save: ")), Not(HasSubstr("visit_fields: ")),
                      Not(HasSubstr("propose_input: ")), Not(HasSubstr("snapshot: "))));
    EXPECT_EQ(lines(audit_of<Rounder<Rounds::never>>().blind_spots), "");
}

TEST(AuditOfCauses, ASaveThatLeavesARoundingModeIsNamedAndNotItsSnapshot) {
    EXPECT_THAT(lines(audit_of<Rounder<Rounds::save>>().blind_spots),
                AllOf(HasSubstr("liveness: save: changes the state"), Not(HasSubstr("snapshot: ")),
                      Not(HasSubstr("render: "))));
}

TEST(AuditOfCauses, AModeThatMattersToNobodyIsNoBlindSpot) {
    const AuditReport minded = audit_of<Rounder<Rounds::render_but_step_minds>>();
    EXPECT_EQ(lines(minded.blind_spots), "");
    ASSERT_FALSE(minded.notes.empty());
    EXPECT_THAT(minded.notes.front(), AllOf(HasSubstr("render leaves its thread's floating-point"),
                                            HasSubstr("changed no hash")));
    const AuditReport own = audit_of<Rounder<Rounds::step>>();
    EXPECT_EQ(lines(own.blind_spots), "");
    EXPECT_THAT(own.notes.front(), HasSubstr("step leaves its thread's floating-point"));
}

TEST(AuditOfCauses, WhatIsNotOfferedIsNotNamed) {
    EXPECT_THAT(lines(audit_of<RoundsWithoutSave>().blind_spots),
                AllOf(HasSubstr("render: changes the state"), Not(HasSubstr("save")),
                      Not(HasSubstr("begin_frame"))));
}

// Its state holds the time of day.
class Clock : public Counter {
  public:
    void step(const core::Step& step) {
        count(step);
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        time = static_cast<std::uint64_t>(now);
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("time", time), cereal::make_nvp("total", total));
    }

  private:
    std::uint64_t time = 0;
};

TEST(AuditOfCauses, InANondeterministicSimulationNothingElseIsBlamed) {
    const AuditReport report = audit_of<Clock>();
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    EXPECT_EQ(lines(report.blind_spots), "");
    ASSERT_FALSE(report.reasons.empty());
    EXPECT_THAT(report.reasons.front(), HasSubstr("two runs from the same state do not hash alike "
                                                  "after tick 0 in time"));
}

TEST(QuickAuditOfCauses, InANondeterministicSimulationNothingIsBlamed) {
    const auto& table = core::simulation_table<Clock>();
    const Session session(table);
    const auto spots = quick_audit(session.path(), {}, probes_in_this_process(table));
    ASSERT_TRUE(spots) << describe(spots.error());
    EXPECT_EQ(lines(*spots), "");
}

// Two instances compute different states, since each has another address.
class Address : public Counter {
  public:
    void step(const core::Step& step) {
        count(step);
        total += reinterpret_cast<std::uintptr_t>(this) % 4093;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("total", total));
    }
};

TEST(QuickAuditOfCauses, ASnapshotIsNotBlamedForWhatNoTwoInstancesShare) {
    const auto& table = core::simulation_table<Address>();
    const Session session(table);
    const auto spots = quick_audit(session.path(), {}, probes_in_this_process(table));
    ASSERT_TRUE(spots) << describe(spots.error());
    EXPECT_THAT(lines(*spots), AllOf(HasSubstr("liveness: two instances of the same session"),
                                     Not(HasSubstr("snapshot: "))));
}

// A cache that load makes anew, beside a member that nothing saves.
class Cached : public Counter {
  public:
    void step(const core::Step& step) {
        count(step);
        forgotten_ = forgotten_ * 5 + total;
        total += forgotten_ % 7 + half_;
        half_ = total / 2;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("total", total));
        if constexpr (kIsLoad<Archive>) {
            half_ = total / 2;
        }
    }

  private:
    std::uint64_t forgotten_ = 0;
    std::uint64_t half_ = 0;
};

TEST(AuditOfCauses, AnInnocentCacheIsNotForgottenBecauseSomethingElseIs) {
    const AuditReport report = audit_of<Cached>();
    EXPECT_EQ(count(report, RangeKind::forgotten), 1);
    EXPECT_EQ(count(report, RangeKind::derived), 1);
}

// An allocator's size, which never changes, beside its offset, which load finds again.
class CausedPool : public Counter {
  public:
    void step(const core::Step& step) {
        count(step);
        total += offset_ % size_;
        offset_ = (offset_ + 1) % size_;
        ++steps_;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("total", total), cereal::make_nvp("steps", steps_));
        if constexpr (kIsLoad<Archive>) {
            offset_ = static_cast<std::uint32_t>(steps_ % 7);
        }
    }

  private:
    std::uint64_t steps_ = 0;
    alignas(8) std::uint32_t size_ = 7;
    std::uint32_t offset_ = 0;
};

TEST(AuditOfCauses, AWordThatHoldsTwoMembersIsADoubtAndDecidesNothing) {
    AuditOptions unnamed;
    unnamed.names = false;
    const AuditReport report = audit_of<CausedPool>(unnamed);
    EXPECT_EQ(lines(report.blind_spots), "");
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_EQ(count(report, RangeKind::doubtful), 1);
    ASSERT_FALSE(report.notes.empty());
    EXPECT_THAT(report.notes.front(), HasSubstr("in doubt"));
}

#if ISOTICK_HAS_LIBDW
TEST(AuditOfCauses, TheMembersOfThatWordAreToldApartByTheirNames) {
    const AuditReport report = audit_of<CausedPool>();
    EXPECT_EQ(lines(report.blind_spots), "");
    EXPECT_EQ(count(report, RangeKind::doubtful), 0);
    EXPECT_EQ(count(report, RangeKind::constant), 1);
    EXPECT_EQ(count(report, RangeKind::derived), 1);
}
#endif

}  // namespace
}  // namespace isotick::harness::testing
