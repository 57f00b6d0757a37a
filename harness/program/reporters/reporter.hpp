#pragma once
// The formats of a report: text, Markdown, JSON.

#include "../commands/replay.hpp"
#include "../commands/verify_setup.hpp"
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

// Reports, in one format each. All are made of the same model: VerifyRun, and harness::ReplayReport
// with what the user wanted to see.

/// Each is a section of reporter.cpp, and in its table.
struct Reporter {
    const char* file;  ///< what its report is called in a folder
    std::string (*verify)(const VerifyRun& run, const VerifyCommandOptions& options,
                          const Console& console);
    std::string (*replay)(const Replayed& replayed, const ReplayOptions& options,
                          const Console& console);
};

/// All formats: a folder gets one report of each.
[[nodiscard]] std::span<const Reporter* const> reporters();

/// The one for stdout.
[[nodiscard]] const Reporter& reporter_of(const CommonOptions& options);

}  // namespace isotick::program
