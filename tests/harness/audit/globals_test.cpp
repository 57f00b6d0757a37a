// Simulations of C, whose state is globals and statics, and snapshots that are copies of memory.

#include "session.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::testing {
namespace {

using ::testing::HasSubstr;

AuditReport audit_plugin(const char* path) {
    const PluginLibrary plugin = PluginLibrary::load(path).value();
    return Session(plugin.table()).audit();
}

// What became of the variable of that name.
const UnseenRange* range_of(const AuditReport& report, const std::string& name) {
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& range : type.ranges) {
            if (range.piece.member == name) {
                return &range;
            }
        }
    }
    return nullptr;
}

TEST(AuditOfGlobals, ASnapshotByMemcpyHasNoBlindSpotInItsPadding) {
    const AuditReport report = audit_plugin(ISOTICK_STATICS);
    EXPECT_EQ(lines(report.blind_spots), "");
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_GT(report.flips.snapshot_idle, 0U);
    EXPECT_GT(report.flips.snapshot_taken, report.flips.snapshot_idle);
}

#if ISOTICK_HAS_LIBDW
TEST(AuditOfGlobals, TheyAreFoundInDebugInformation) {
    const AuditReport report = audit_plugin(ISOTICK_STATICS);
    EXPECT_EQ(report.globals.unavailable, "");
    EXPECT_EQ(report.globals.unknown, 0U);
    ASSERT_NE(range_of(report, "wind"), nullptr);
    EXPECT_EQ(range_of(report, "wind")->kind, RangeKind::unused);
    ASSERT_NE(range_of(report, "step::steps"), nullptr);
    EXPECT_EQ(range_of(report, "step::steps")->kind, RangeKind::unused);
    ASSERT_NE(range_of(report, "now.drops[*].height"), nullptr);
    EXPECT_EQ(range_of(report, "now.drops[*].height")->kind, RangeKind::seen);
}

TEST(AuditOfGlobals, OneThatDecidesTheFutureUnseenIsNamed) {
    const AuditReport report = audit_plugin(ISOTICK_STATICS_FORGET);
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_THAT(lines(report.blind_spots),
                HasSubstr("coverage: wind: 8 bytes of a global or static affect later ticks, but "
                          "neither the hash nor snapshots include them"));
    EXPECT_EQ(count(report, RangeKind::forgotten), 1);
    ASSERT_NE(range_of(report, "wind"), nullptr);
    EXPECT_TRUE(range_of(report, "wind")->cures);
}
#endif

TEST(AuditOfGlobals, WhereTheyCannotBeNamedItSaysSo) {
    EXPECT_THAT(audit_plugin(ISOTICK_STATICS_UNNAMED).globals.unavailable,
                HasSubstr("no debug information"));
    EXPECT_THAT(Session(reference("spring")).audit().globals.unavailable,
                HasSubstr("part of this program"));
}

}  // namespace
}  // namespace isotick::harness::testing
