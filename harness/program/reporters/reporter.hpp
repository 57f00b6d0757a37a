#pragma once
// The formats of a report: text, Markdown, JSON, JUnit, HTML.

#include "../commands/replay.hpp"
#include "../commands/verify_setup.hpp"
#include "../json/json_pieces.hpp"
#include "../output/console.hpp"
#include "verify_text.hpp"

#include <span>
#include <string>
#include <string_view>

namespace isotick::program {

// Text of somebody else's in Markdown, where it must not become markup.

/// One line of text, for a heading, a list or a table's cell.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// Lines as they are, the last with its line feed, as code of `language`.
[[nodiscard]] std::string markdown_code(std::string_view language, std::string_view lines);

// Reports, in one format each.

/// Each is in the table of reporter.cpp.
struct Reporter {
    const char* kind;  ///< as `--report` names it: `json`
    const char* file;  ///< what its report is called in a folder
    std::string (*write)(const Report& report);
};

/// All formats: a folder gets one report of each.
[[nodiscard]] std::span<const Reporter* const> reporters();

/// What stdout shows of a run, and of one replay.
[[nodiscard]] std::string report_text(const Report& report);
[[nodiscard]] std::string report_json(const Report& report);
[[nodiscard]] std::string replay_text(const Replayed& replayed, const ReplayOptions& options,
                                      const Console& console);
[[nodiscard]] std::string replay_json(const Replayed& replayed, const ReplayOptions& options);

/// Text without the escape sequences that color it.
[[nodiscard]] std::string without_colors(std::string_view text);

/// What `--json` prints of one recording.
[[nodiscard]] Json recording_json(const VerifiedRecording& one,
                                  const VerifyCommandOptions& options);

/// All formats: a folder gets one report of each.
[[nodiscard]] std::span<const Reporter* const> reporters();

/// The one for stdout.
[[nodiscard]] const Reporter& reporter_of(const CommonOptions& options);

}  // namespace isotick::program
