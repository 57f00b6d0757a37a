#pragma once
// What one machine found out about a recording whose trials were divided (--shard-trials), and how
// the parts become one report.

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
    std::string varied;      ///< as in CountedFailure, if another failure is shown
    bool of_frames = false;  ///< it diverged, and varied nothing but frame times
};

/// The failure that a share's page shows.
struct ShownFailure {
    std::uint64_t number = 0;
    /// verify would show the failure with the lowest rank of all shares.
    std::array<std::uint64_t, 5> rank{};
    bool is_mixture_of_frames = false;  ///< it varied more, but shrinking left only frame times
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

/// To and from the JSON of a result file; share_from throws std::exception if that is malformed.
[[nodiscard]] Json share_json(const RecordingShare& share);
[[nodiscard]] RecordingShare share_from(const Json& json);

/// Merges what the parts say of a recording, `parts` in the order of their numbers; `paths`: their
/// files, for errors. Fails with `damaged` if they did not verify the same recording.
[[nodiscard]] core::Result<ReportedRecording> merge_shares(
    const std::vector<ReportedRecording>& parts, const std::vector<std::string>& paths,
    bool verbose, const Console& console);

}  // namespace isotick::program
