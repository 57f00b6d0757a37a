#pragma once
// What one machine found out about a recording of whose trials it ran a share; and the report on
// all of them.

#include "report.hpp"
#include "verify_text.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

/// A failure, as far as merging needs it.
struct SharedFailure {
    std::uint64_t number = 0;
    std::string varied;      ///< see CountedFailure; of a trial that is not shown
    bool of_frames = false;  ///< it diverged, and varied nothing but frame times
};

/// The failure that a share's page shows.
struct ShownFailure {
    std::uint64_t number = 0;
    /// By what verify would choose it among those of other shares: the least comes first.
    std::array<std::uint64_t, 5> rank{};
    bool is_mixture_of_frames = false;  ///< of all that it varied, frame times alone were left
};

/// What merging needs to know of a share besides ReportedRecording.
struct RecordingShare {
    harness::VerifyReport report;  ///< its failures are no more than report_to_bytes keeps
    std::vector<SharedFailure> failures;
    std::optional<ShownFailure> shown;  ///< none: no trial failed
    core::Settings environment;
    bool leaves_out_values = false;
    bool strict = false;
};

[[nodiscard]] RecordingShare share_of(const harness::VerifyReport& report, const VerifyRun& run,
                                      const VerifyCommandOptions& options);

/// The way of a share through a result file; share_from throws std::exception.
[[nodiscard]] Json share_json(const RecordingShare& share);
[[nodiscard]] RecordingShare share_from(const Json& json);

/// What the whole run says of a recording. `parts`: what its parts say, in the order of their
/// numbers; `paths`: their files, for errors. Fails with `damaged` where they had different
/// recordings.
[[nodiscard]] core::Result<ReportedRecording> merge_shares(
    const std::vector<ReportedRecording>& parts, const std::vector<std::string>& paths,
    bool verbose, const Console& console);

}  // namespace isotick::program
