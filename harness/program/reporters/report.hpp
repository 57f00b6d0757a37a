#pragma once
// The report on a run, from which every format is made; and its findings: which failures have the
// same cause.

#include "../../src/report/field_rows.hpp"
#include "../json/json_pieces.hpp"
#include "../options/shard.hpp"

#include <isotick/harness/detail/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace isotick::program {

/// What is the same in failures that have the same cause.
struct FailureSignature {
    std::string cause;               ///< in words: `the contents of fresh heap memory`
    std::vector<std::string> parts;  ///< of the state that differ first, by name, sorted
    std::string phase;               ///< the first checkpoint where they do; empty: not known
};

struct RecordingShare;

/// One recording of a run.
struct ReportedRecording {
    std::string recording;
    std::string simulation;  ///< empty where the recording cannot be read
    harness::Verdict verdict = harness::Verdict::identical;
    std::string reason;  ///< for the verdict, beyond what failed; or empty
    std::uint64_t ticks = 0;
    std::string trials;  ///< `3 of 20 trials identical`
    std::uint64_t trials_run = 0;
    std::uint64_t trials_identical = 0;
    std::string seed;                      ///< of its trials
    std::string drive;                     ///< of the trial that is shown
    std::vector<harness::PageRow> rows{};  ///< on the trial that is shown; none: none failed
    std::string page;                      ///< the whole text, with the console's colors
    bool left_out = false;                 ///< the run was interrupted before: it has no page
    FailureSignature signature{};          ///< where it failed
    std::vector<std::string> fields{};     ///< that differ: `units[*].velocity.y`
    bool fails_strictly = false;           ///< --strict was given, and does not let it pass
    bool from_cache = false;               ///< of an earlier run, since nothing has changed
    double seconds = 0;                    ///< that it took: another number each time
    Json result;                           ///< what --json prints of it
    std::string time_line{};               ///< of its peers, as SVG; or empty
    /// For merging, where only some of the trials were to run; else null.
    std::shared_ptr<const RecordingShare> share{};
};

struct Report {
    std::string command;
    harness::Verdict verdict = harness::Verdict::identical;  ///< the gravest
    std::string headline;                                    ///< it, as the console shows it
    bool all_pages = false;  ///< text has them whole, also of recordings that fail like another
    std::vector<ReportedRecording> recordings{};  ///< in the order asked for
    std::string json{};  ///< what --json prints of it all, where that is not made of `result`s
    std::string run{};   ///< see run_id
    Shard shard{};       ///< that this is of the run
    std::vector<std::string> asked{};  ///< the recordings of the whole run
    /// A table of recordings and legs, its first row the heads, where the report is on several
    /// legs; `recordings` are one for each cell then.
    std::vector<std::vector<std::string>> legs{};
};

/// Of how many recordings there is no verdict, since the run was interrupted.
[[nodiscard]] std::size_t left_out(const Report& report);

/// What the program ends with after this report.
[[nodiscard]] int exit_code(const Report& report);

/// The rows of a page, for formats that are JSON or hold it.
[[nodiscard]] Json rows_json(const std::vector<harness::PageRow>& rows);

// Findings: a thousand recordings that fail for one reason are one.

/// Recordings that fail alike: with the same verdict, cause and phase, and in the same parts, or in
/// some of those.
struct CommonFailure {
    harness::Verdict verdict = harness::Verdict::diverged;
    FailureSignature signature{};
    std::vector<std::size_t> recordings;  ///< their places in the report, in order
    std::size_t smallest = 0;             ///< the place of the one with the fewest ticks
};

/// By the first recording of each. What is inconclusive has not failed.
[[nodiscard]] std::vector<CommonFailure> findings_of(const Report& report);

/// The finding that has the recording at this place; null where it did not fail.
[[nodiscard]] const CommonFailure* finding_with(std::span<const CommonFailure> findings,
                                                std::size_t recording);

/// Whether the recording at this place fails like a smaller one, which is shown in its stead.
[[nodiscard]] bool is_like_another(std::span<const CommonFailure> findings, std::size_t recording);

/// The `result` of the recording at this place, without what plots take where a smaller one is
/// shown in its stead.
[[nodiscard]] Json shown_result(std::span<const CommonFailure> findings, const Report& report,
                                std::size_t recording);

/// `3 recordings: the smallest, with 250 ticks, is boss.isotick`
[[nodiscard]] std::string recordings_of(const CommonFailure& finding, const Report& report);

/// `diverged in units[*].velocity.y: frame times`
[[nodiscard]] std::string title_of(const CommonFailure& finding, const Report& report);

/// `40 of 43 recordings fail, for 2 reasons`; of fewer than two that fail, as `1 of 43 recordings`,
/// how many have the verdict of the whole.
[[nodiscard]] std::string summary_of(std::span<const CommonFailure> findings, const Report& report);

}  // namespace isotick::program
