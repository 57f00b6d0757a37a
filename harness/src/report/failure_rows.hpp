#pragma once
// The rows of a report on a trial that failed.

#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/shrink.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <optional>
#include <string>

namespace isotick::harness {

// Trials that failed, in words.

/// What a report says in terms of what its reader has at hand: the options of a program, or of a
/// library. What is empty is left out.
struct ReportWords {
    std::string shrunk;         ///< what the schedule was before, and what making it smaller took
    std::string confirmed;      ///< how a divergence was confirmed, or why it was not
    std::string reproduce;      ///< what to type to see it again
    std::string recorded_side;  ///< how to name the build that made the recording
    std::string more_fields;    ///< how to see the fields that are not listed
    bool plainest = false;      ///< nothing plainer than the schedule was found to fail
};

/// `in 14 trials from 100hz, which diverged at tick 2290`; or why `drive` is still the original.
[[nodiscard]] std::string shrinking_text(const Shrinking& shrinking, const Drive& drive);

/// The rows of a report on one trial that failed: what, where, provoked by what.
[[nodiscard]] std::string failure_rows(const replay::RecordingHead& head, const TrialPlan& plan,
                                       const TrialResult& result,
                                       const std::optional<Explanation>& explanation,
                                       const ReportWords& words);

/// `tick 17`, or where that is not known exactly, `tick 59 (hashes agreed up to tick 0)`.
[[nodiscard]] std::string when(const TrialResult& result,
                               const std::optional<Explanation>& explanation);

}  // namespace isotick::harness
