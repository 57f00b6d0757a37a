#pragma once
// A GoogleTest matcher for recordings. isotick itself does not link GoogleTest; a test that
// includes this links GTest::gmock beside isotick::harness.
//
//     using isotick::harness::IsBitIdentical;
//     using isotick::harness::replay;
//
//     TEST(Bounce, ReplaysTheKicks) {
//         const auto& bounce = isotick::core::simulation_table<Bounce>();
//         EXPECT_THAT(replay("kicks.isotick", bounce), IsBitIdentical());
//     }

#include <isotick/core/result.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/harness/verdict.hpp>

#include <ostream>

#include <gmock/gmock-matchers.h>

namespace isotick::harness {

namespace detail {

class BitIdenticalMatcher {
  public:
    using is_gtest_matcher = void;

    bool MatchAndExplain(const core::Result<ReplayReport>& report,
                         ::testing::MatchResultListener* listener) const {
        if (!report) {
            return false;  // PrintTo has said all
        }
        const bool identical = report->result.verdict == Verdict::identical;
        if (!identical) {
            *listener << "\n" << describe(*report);
        }
        return identical;
    }

    void DescribeTo(std::ostream* stream) const { *stream << "replays bit by bit as recorded"; }

    void DescribeNegationTo(std::ostream* stream) const {
        *stream << "does not replay bit by bit as recorded";
    }
};

}  // namespace detail

/// Matches what `replay` returned where every hash was the recorded one. A failure shows the whole
/// report: tick, parts, and the fields that differ with both their values. A recording that could
/// not be replayed at all does not match either, so that its negation holds: ask a report for its
/// verdict where a divergence is what the test wants.
[[nodiscard]] inline auto IsBitIdentical() {
    return detail::BitIdenticalMatcher();
}

/// How GoogleTest names a report; the matcher shows it whole.
inline void PrintTo(const core::Result<ReplayReport>& report, std::ostream* stream) {
    if (report) {
        *stream << to_string(report->result.verdict);
    } else {
        *stream << "not replayed: " << core::describe(report.error());
    }
}

}  // namespace isotick::harness
