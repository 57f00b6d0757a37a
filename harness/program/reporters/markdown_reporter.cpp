// Reports to paste into an issue, or for the summary page of a CI job: the verdicts as a table, and
// each report in words, folded away where there is nothing to see.

#include "reporter.hpp"
#include "verify_text.hpp"

#include <isotick/core/detail/text/printable.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace isotick::program {
namespace {

// Text of somebody else's in a table's cell or a heading.
std::string inline_text(std::string_view text) {
    std::string escaped;
    for (const char each : core::printable(text)) {
        if (std::string_view("\\`*_[]<>|&#").find(each) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += each;
    }
    return escaped;
}

// A fence is longer than any run of backticks in what it holds.
std::string fenced(std::string_view text) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char each : text) {
        run = each == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fmt::format("{}text\n{}{}\n", fence, text, fence);
}

std::string folded(const VerifiedRecording& one, std::string_view text) {
    return fmt::format("\n<details{}><summary>{}</summary>\n\n{}\n</details>\n",
                       one.verdict == harness::Verdict::identical ? "" : " open",
                       inline_text(one.recording), fenced(text));
}

std::string table_row(const VerifiedRecording& one) {
    const auto trials =
        one.report ? fmt::format("{} of {}", one.report->trials_identical, one.report->trials)
                   : std::string("none");
    return fmt::format("| {} | {} | {} |\n", inline_text(one.recording), to_string(one.verdict),
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
    return fmt::format("### isotick: {}\n\n{}", to_string(replayed.result.verdict),
                       fenced(reporters().front()->replay(replayed, options, console)));
}

}  // namespace

extern const Reporter kMarkdownReporter;
const Reporter kMarkdownReporter{"report.md", verify_markdown, replay_markdown};

}  // namespace isotick::program
