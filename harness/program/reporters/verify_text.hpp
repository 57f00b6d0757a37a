#pragma once
// The result of a run of verify, and the report on it.

#include "../../src/report/field_rows.hpp"
#include "../commands/verify_setup.hpp"
#include "../output/console.hpp"
#include "report.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/verify.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::program {

/// One recording of the run: its report, or why there is none.
struct VerifiedRecording {
    std::string recording;
    harness::Verdict verdict = harness::Verdict::identical;
    std::optional<harness::VerifyReport> report;
    std::string reason;  ///< where there is no report
    double seconds = 0;  ///< that it took; in no report that must be the same each time
    std::optional<ReportedRecording> from_cache{};  ///< then there is no report either
    bool left_out = false;  ///< the run was interrupted before; then there is none, too
};

/// Puts `shared`, what others may get to see, in the place of the environment of failed trials.
inline void show_environment_of(harness::VerifyReport& report, const core::Settings& shared) {
    for (harness::FailedTrial& failure : report.failures) {
        failure.plan.environment = shared;
    }
}

struct VerifyRun {
    core::Settings environment;
    bool leaves_out_values = false;                          ///< those of the environment are `…`
    std::vector<VerifiedRecording> recordings;               ///< in the order asked for
    harness::Verdict verdict = harness::Verdict::identical;  ///< the gravest

    void add(VerifiedRecording one) {
        verdict = graver(verdict, one.verdict);
        recordings.push_back(std::move(one));
    }
    /// Puts what others may get to see in the environment's place.
    void show_environment(const core::Settings& shared) {
        leaves_out_values = leaves_out_values || shared != environment;
        environment = shared;
        for (VerifiedRecording& one : recordings) {
            if (one.report) {
                show_environment_of(*one.report, shared);
            }
        }
    }
};

// A run of verify in words.

/// The failure that is shown whole: the first explained one, or one that crashed and was shrunk, or
/// the first. Requires that there is one.
[[nodiscard]] const harness::FailedTrial& foremost(const harness::VerifyReport& report);

/// The rows about it, and one on the others; none where no trial failed.
[[nodiscard]] std::vector<harness::PageRow> failure_page(const harness::VerifyReport& report,
                                                         const CommonOptions& options);

/// A failure as it is counted among others.
struct CountedFailure {
    harness::Verdict verdict = harness::Verdict::diverged;
    bool diverged = false;
    std::string varied;  ///< `with frame times alone`
};

/// `19 more trials fail: 5 with frame times alone, 3 with rollback alone, 11 in other ways`; empty
/// where there are none besides `shown`. `all`: name all ways.
[[nodiscard]] std::string others_text(std::span<const CountedFailure> others,
                                      const CountedFailure& shown, bool all);

/// What the trial varied, of which one of many is named.
[[nodiscard]] std::string varied_in(const harness::Drive& drive);

/// What a report says of a recording, but for the failure that is shown: `rows` are about it.
[[nodiscard]] ReportedRecording report_of(const VerifiedRecording& one,
                                          const std::vector<harness::PageRow>& rows, Json result,
                                          const VerifyRun& run, const VerifyCommandOptions& options,
                                          const Console& console);

/// The report on the run, its pages in the console's colors.
[[nodiscard]] Report report_of(const VerifyRun& run, const VerifyCommandOptions& options,
                               const Console& console);

}  // namespace isotick::program
