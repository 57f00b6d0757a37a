#pragma once
// The page on a trial that failed: what differs, when, why, where to look, how to see it again.

#include "field_rows.hpp"

#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/shrink.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// What a page says in terms of what its reader has at hand: the options of a program, or of a
/// library. What is empty is left out.
struct PageWords {
    std::string reproduce{};      ///< what to type to see it again
    std::string debug{};          ///< what to type to see it in a debugger
    std::string recorded_side{};  ///< how to name the build that made the recording
    std::string more_fields{};    ///< how to see the fields that are not listed
    std::string unexplained{};    ///< why a divergence is not explained, where it is not
    std::string shrunk{};         ///< what the schedule was before, and what making it smaller took
    std::string confirmed{};      ///< how a divergence was confirmed
    bool plainest = false;        ///< nothing plainer than the schedule was found to fail
    bool details = false;         ///< with bits, hashes, and how all this was found out
};

/// `in 14 trials from 100hz, which diverged at tick 2290`; or why `drive` is still the original.
[[nodiscard]] std::string shrinking_text(const Shrinking& shrinking, const Drive& drive);

/// The rows of the page, in order.
[[nodiscard]] std::vector<PageRow> failure_rows(const replay::RecordingHead& head,
                                                const TrialPlan& plan, const TrialResult& result,
                                                const std::optional<Explanation>& explanation,
                                                const PageWords& words);

/// `tick 17`, or where that is not known exactly, `tick 59 or earlier`.
[[nodiscard]] std::string when(const TrialResult& result,
                               const std::optional<Explanation>& explanation);

}  // namespace isotick::harness
