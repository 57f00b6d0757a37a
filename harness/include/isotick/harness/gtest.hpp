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
//
// Many schedules in one expectation: verify("kicks.isotick", options, in_this_process(bounce)).
// Peers over a bad network: EXPECT_THAT(run_lockstep("kicks.isotick", options,
// in_this_process(bounce)), AllPeersAgree()).
// Where a namespace alias `replay` is in the way, the function is isotick::harness::replay.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/lockstep.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/harness/verify.hpp>

#include <ostream>

#include <gmock/gmock-matchers.h>

namespace isotick::harness {

namespace detail {

inline Verdict verdict_of(const ReplayReport& report) {
    return report.result.verdict;
}

inline Verdict verdict_of(const VerifyReport& report) {
    return report.verdict;
}

inline Verdict verdict_of(const LockstepReport& report) {
    return report.verdict;
}

template <class Report>
void print_verdict(const core::Result<Report>& report, std::ostream& stream) {
    if (report) {
        stream << to_string(verdict_of(*report));
    } else {
        stream << "not replayed: " << core::describe(report.error());
    }
}

template <class Report>
bool match_and_explain(const core::Result<Report>& report,
                       ::testing::MatchResultListener* listener) {
    if (!report) {
        return false;  // PrintTo has said all
    }
    const bool identical = verdict_of(*report) == Verdict::identical;
    if (!identical) {
        *listener << "\n" << describe(*report);
    }
    return identical;
}

class BitIdenticalMatcher {
  public:
    using is_gtest_matcher = void;

    template <class Report>
    bool MatchAndExplain(const core::Result<Report>& report,
                         ::testing::MatchResultListener* listener) const {
        return match_and_explain(report, listener);
    }

    void DescribeTo(std::ostream* stream) const { *stream << "replays bit by bit as recorded"; }

    void DescribeNegationTo(std::ostream* stream) const {
        *stream << "does not replay bit by bit as recorded";
    }
};

class AgreementMatcher {
  public:
    using is_gtest_matcher = void;

    bool MatchAndExplain(const core::Result<LockstepReport>& report,
                         ::testing::MatchResultListener* listener) const {
        return match_and_explain(report, listener);
    }

    void DescribeTo(std::ostream* stream) const {
        *stream << "has peers that agree with the offline replay bit by bit";
    }

    void DescribeNegationTo(std::ostream* stream) const {
        *stream << "has peers that do not agree with the offline replay bit by bit";
    }
};

}  // namespace detail

/// Matches what `replay` or `verify` returned where every hash was the recorded one. A failure
/// shows the whole report: tick, parts, and the fields that differ with both their values. A
/// recording that could not be replayed at all does not match either, so that its negation holds:
/// ask a report for its verdict where a divergence is what the test wants.
[[nodiscard]] inline auto IsBitIdentical() {
    return detail::BitIdenticalMatcher();
}

/// Matches what `run_lockstep` returned where, in every trial, all peers had the hashes of the
/// offline replay. A failure shows the whole report, with the plan that runs the trial again. A
/// session that could not be run does not match either.
[[nodiscard]] inline auto AllPeersAgree() {
    return detail::AgreementMatcher();
}

/// How GoogleTest names a report; the matcher shows it whole.
inline void PrintTo(const core::Result<ReplayReport>& report, std::ostream* stream) {
    detail::print_verdict(report, *stream);
}
inline void PrintTo(const core::Result<VerifyReport>& report, std::ostream* stream) {
    detail::print_verdict(report, *stream);
}
inline void PrintTo(const core::Result<LockstepReport>& report, std::ostream* stream) {
    detail::print_verdict(report, *stream);
}

}  // namespace isotick::harness
