// Reports to paste into an issue, or for the summary page of a CI job: the verdicts as a table, and
// each report in words, folded away where there is nothing to see.

#include "../output/markdown.hpp"
#include "reporter.hpp"
#include "verify_text.hpp"

#include <string_view>

#include <fmt/format.h>

namespace isotick::program {
namespace {

std::string folded(const VerifiedRecording& one, std::string_view text) {
    return fmt::format("\n<details{}><summary>{}</summary>\n\n{}\n</details>\n",
                       one.verdict == harness::Verdict::identical ? "" : " open",
                       markdown_text(one.recording), markdown_code("text", text));
}

std::string table_row(const VerifiedRecording& one) {
    const auto trials =
        one.report ? fmt::format("{} of {}", one.report->trials_identical, one.report->trials)
                   : std::string("none");
    return fmt::format("| {} | {} | {} |\n", markdown_text(one.recording), to_string(one.verdict),
                       trials);
}

std::string verify_markdown(const VerifyRun& run, const VerifyCommandOptions& options,
                            const Console& console) {
    std::string text = fmt::format(
        "### isotick: {}\n\n| recording | verdict | trials identical |\n"
        "|---|---|---|\n",
        to_string(run.verdict));
    for (const VerifiedRecording& one : run.recordings) {
        text += table_row(one);
    }
    for (const VerifiedRecording& one : run.recordings) {
        text += folded(one, verified_text(one, run, options, console));
    }
    return text;
}

std::string replay_markdown(const Replayed& replayed, const ReplayOptions& options,
                            const Console& console) {
    return fmt::format(
        "### isotick: {}\n\n{}", to_string(replayed.result.verdict),
        markdown_code("text", reporters().front()->replay(replayed, options, console)));
}

}  // namespace

extern const Reporter kMarkdownReporter;
const Reporter kMarkdownReporter{"report.md", verify_markdown, replay_markdown};

}  // namespace isotick::program
