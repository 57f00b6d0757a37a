// Hashes that see some bits only, and what cannot be measured bit by bit.

#include "counter.hpp"
#include "session.hpp"

#include <bit>
#include <cstdlib>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Hash { whole, highest_sixteen };
enum class Check { none, refuses, aborts, aborts_on_some };

// Shows no memory. Its snapshot has a checksum, which is minded or not.
template <Hash kHash, Check kCheck>
class Checked : public Counter {
  public:
    static constexpr bool kHasMemory = false;

    void step(const core::Step& step) {
        count(step);
        third += static_cast<double>(total) / 3.0;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        if constexpr (kIsHash<Archive> && kHash == Hash::highest_sixteen) {
            archive(cereal::make_nvp("third", highest(third)));
        } else {
            archive(cereal::make_nvp("third", third));
        }
        archive(cereal::make_nvp("total", total));
        if constexpr (kIsSave<Archive> || kIsLoad<Archive>) {
            std::uint64_t sum = checksum();
            archive(sum);
            check(sum == checksum());
        }
    }

  private:
    static std::uint16_t highest(double value) {
        return static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(value) >> 48U);
    }
    [[nodiscard]] std::uint64_t checksum() const {
        return std::bit_cast<std::uint64_t>(third) * 3 + total;
    }
    void check(bool right) const {
        if (right || kCheck == Check::none) {
            return;
        }
        if (kCheck == Check::refuses) {
            throw std::runtime_error("damaged");
        }
        if (kCheck == Check::aborts || total > 1'000'000) {
            std::abort();
        }
    }

    double third = 0.0;
};

template <Hash kHash, Check kCheck>
AuditReport audit_checked() {
    return Session(core::simulation_table<Checked<kHash, kCheck>>()).audit();
}

TEST(AuditOfBits, AHashThatSeesAllOfThemIsClean) {
    const AuditReport report = audit_checked<Hash::whole, Check::none>();
    EXPECT_EQ(lines(report.blind_spots), "");
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_GT(report.flips.snapshot_taken, 8U);
    EXPECT_EQ(report.liveness.fields.compared, 200U);
}

// No changed snapshot comes through: the fields tell it nevertheless.
TEST(AuditOfBits, AHashThatSeesAQuarterOfAFieldIsFoundByFieldsAlone) {
    for (const AuditReport& report : {audit_checked<Hash::highest_sixteen, Check::aborts>(),
                                      audit_checked<Hash::highest_sixteen, Check::refuses>()}) {
        EXPECT_EQ(report.verdict, Verdict::diverged);
        EXPECT_THAT(lines(report.blind_spots), HasSubstr("hash: third: changes between states"));
    }
}

TEST(AuditOfBits, WhatWasNotMeasuredIsNotClean) {
    const AuditReport report = audit_checked<Hash::whole, Check::aborts>();
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    ASSERT_EQ(report.reasons.size(), 1U);
    EXPECT_THAT(report.reasons.front(),
                AllOf(HasSubstr("hash: not measured: bit "), HasSubstr(" of the snapshot"),
                      HasSubstr("killed by signal 6 (Aborted) in load of a state")));
    const AuditReport refused = audit_checked<Hash::whole, Check::refuses>();
    EXPECT_EQ(refused.verdict, Verdict::inconclusive);
    EXPECT_THAT(refused.reasons.front(), HasSubstr("the changed bit in all of the 64 snapshots"));
}

TEST(AuditOfBits, BitsThatBreakTheSimulationLeaveTheOthersToBeMeasured) {
    const AuditReport report = audit_checked<Hash::whole, Check::aborts_on_some>();
    EXPECT_EQ(report.verdict, Verdict::identical) << lines(report.blind_spots);
    EXPECT_GT(report.flips.broken, 0U);
    EXPECT_GT(report.flips.snapshot_taken, 0U);
    EXPECT_THAT(report.notes.front(),
                HasSubstr("breaks the simulation when changed: killed by signal 6"));
}

// Render changes the state from tick 2,000 on; what is forgotten matters from tick 3,600 on.
enum class Late { nothing, render, forgotten };

template <Late kWhat>
class LateFault : public Counter {
  public:
    void step(const core::Step& step) {
        count(step);
        forgotten_ = forgotten_ * 5 + total;
        total += kWhat == Late::forgotten && step.tick.value >= 3600 ? forgotten_ % 7 : 0;
        tick_ = step.tick.value;
    }
    void render(double) { total += kWhat == Late::render && tick_ >= 2000 ? 1 : 0; }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("total", total));
    }

  private:
    std::uint64_t forgotten_ = 0;
    std::uint64_t tick_ = 0;
};

template <Late kWhat>
AuditReport audit_late() {
    return Session(core::simulation_table<LateFault<kWhat>>(), 4000).audit();
}

TEST(AuditOfLongSessions, FindsWhatBeginsLate) {
    EXPECT_EQ(lines(audit_late<Late::nothing>().blind_spots), "");
    EXPECT_THAT(lines(audit_late<Late::render>().blind_spots),
                HasSubstr("liveness: render: changes the state"));
    EXPECT_THAT(lines(audit_late<Late::forgotten>().blind_spots),
                HasSubstr("restored states match at first, but later ticks differ"));
}

TEST(AuditOfLongSessions, SaysHowMuchWasProbed) {
    const AuditReport report = audit_late<Late::nothing>();
    EXPECT_GT(report.probed, 8U * 100);
    EXPECT_LE(report.probed, 8U * 120 + 3 * 64);
    EXPECT_GE(report.restores.back().at, 3500U);
}

}  // namespace
}  // namespace isotick::harness::testing
