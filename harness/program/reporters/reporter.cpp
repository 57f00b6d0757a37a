#include "reporter.hpp"

#include "../../src/report/replay_text.hpp"
#include "../json/trial_json.hpp"
#include "../output/text.hpp"
#include "verify_text.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include <fmt/format.h>

namespace isotick::program {

std::string markdown_text(std::string_view text) {
    constexpr std::string_view kMarkup = "\\`*_[]<>|&#";
    std::string escaped;
    for (const char each : core::printable(text)) {
        if (kMarkup.find(each) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += each;
    }
    return escaped;
}

// The fence is longer than any run of backticks in what it holds.
std::string markdown_code(std::string_view language, std::string_view lines) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char each : lines) {
        run = each == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fmt::format("{}{}\n{}{}\n", fence, language, lines, fence);
}

std::string without_colors(std::string_view text) {
    static const std::regex color("\x1b\\[[0-9;]*m");
    return std::regex_replace(std::string(text), color, "");
}

// Reports for machines, one JSON document each (harness/json.schema.json).

namespace {

// But for the ticks that it took: those depend on where the trials ran.
Json shrinking_json(const harness::Shrinking& shrinking) {
    return {{"drive", to_string(shrinking.drive)},
            {"tick", last_tick_json(shrinking.ticks_done)},
            {"trials", shrinking.trials},
            {"unfinished", text_json(shrinking.unfinished)}};
}

Json perturbed_json(const std::vector<harness::PerturbedAxis>& axes) {
    Json json = Json::array();
    for (const harness::PerturbedAxis& axis : axes) {
        json.push_back({{"axis", axis.axis}, {"trials", axis.trials}});
    }
    return json;
}

Json unvaried_json(const std::vector<harness::UnvariedAxis>& axes) {
    Json json = Json::array();
    for (const harness::UnvariedAxis& axis : axes) {
        json.push_back({{"axis", axis.axis}, {"reason", axis.reason}});
    }
    return json;
}

Json bursts_json(const std::optional<harness::BurstCoverage>& bursts) {
    return !bursts ? Json(nullptr)
                   : Json{{"trials", bursts->trials},
                          {"ticks", bursts->ticks},
                          {"covered", bursts->covered},
                          {"skipped", bursts->skipped},
                          {"why_none", text_json(bursts->why_none)}};
}

Json budget_json(const std::optional<harness::SpentBudget>& budget) {
    return !budget ? Json(nullptr)
                   : Json{{"asked_ms", budget->asked.count()},
                          {"spent_ms", budget->spent.count()},
                          {"cpu_ms", budget->cpu.count()}};
}

// Of the trial that is shown: the others would be many.
Json shown_frames_json(const harness::VerifyReport& report, const harness::FailedTrial& failure) {
    const auto frames =
        &failure == &foremost(report)
            ? harness::frames_around(failure, report.head.session.rate, report.ticks)
            : std::nullopt;
    return frames ? frames_json(*frames, report.failures.front().number != 0) : Json(nullptr);
}

Json verified_json(const harness::VerifyReport& report, const VerifyCommandOptions& options) {
    Json failures = Json::array();
    for (const harness::FailedTrial& failure : report.failures) {
        Json trial = trial_json(failure.plan, failure.result, failure.explanation, options);
        trial["trial"] = failure.number;
        trial["frames"] = shown_frames_json(report, failure);
        trial["shrinking"] = failure.shrinking ? shrinking_json(*failure.shrinking) : Json(nullptr);
        failures.push_back(std::move(trial));
    }
    Json loops = Json::array();
    for (const core::LoopOptions& loop : report.loops) {
        loops.push_back(core::to_string(loop));
    }
    Json json{{"recording", report.recording},
              {"verdict", to_string(report.verdict)},
              {"reasons", report.reasons},
              {"note", report.note},
              {"bad_end", text_json(report.bad_end)},
              {"nan", text_json(report.nan)},
              {"session", session_json(report.head.session)},
              {"session_digest", to_string(report.session_digest)},
              {"hash_digest", to_string(report.hash_digest)},
              {"ticks", report.ticks},
              {"unfinished", report.unfinished},
              {"strict", strict_reasons(report, options)},
              {"root_seed", root_seed_text(report.seed)},
              {"varied", axes_json(report.varied)},
              {"perturbed", perturbed_json(report.perturbed)},
              {"unvaried", unvaried_json(report.unvaried)},
              {"loops", std::move(loops)},
              {"repro", text_json(report.repro)},
              {"trials", report.trials},
              {"trials_identical", report.trials_identical},
              {"from_cache", false},
              {"fresh_trials", report.fresh_trials},
              {"bursts", bursts_json(report.bursts)},
              {"budget", budget_json(report.budget)},
              {"calls", report.calls ? calls_json(*report.calls) : Json(nullptr)},
              {"frames_reach_it", report.frames_reach_it},
              {"total", statistics_json(report.total)},
              {"blind_spots", blind_spots_json(report.blind_spots)},
              {"failures", std::move(failures)}};
    if (const auto& share = report.grounds.share) {
        json["share"] = {{"number", share->number}, {"count", share->count}};
    }
    return json;
}

Json field_json(const core::SelectedField& field) {
    return {{"path", field.path},
            {"type", field.type},
            {"value", field.value},
            {"bits", text_json(field.bits)}};
}

Json printed_json(const PrintedState& state) {
    Json paths = Json::array();
    for (const PrintedPath& path : state.paths) {
        Json fields = Json::array();
        for (const core::SelectedField& field : path.fields) {
            fields.push_back(field_json(field));
        }
        paths.push_back({{"path", path.path},
                         {"missing", text_json(path.missing)},
                         {"fields", std::move(fields)}});
    }
    return {{"ticks_done", state.ticks_done}, {"paths", std::move(paths)}};
}

Json findings_json(const Report& report) {
    Json list = Json::array();
    for (const CommonFailure& finding : findings_of(report)) {
        Json recordings = Json::array();
        for (const std::size_t place : finding.recordings) {
            recordings.push_back(report.recordings[place].recording);
        }
        const ReportedRecording& smallest = report.recordings[finding.smallest];
        list.push_back({{"verdict", to_string(finding.verdict)},
                        {"cause", text_json(smallest.signature.cause)},
                        {"phase", text_json(finding.signature.phase)},
                        {"fields", smallest.fields},
                        {"smallest", smallest.recording},
                        {"recordings", std::move(recordings)}});
    }
    return list;
}

}  // namespace

std::string replay_json(const Replayed& replayed, const ReplayOptions& options) {
    const auto& [plan, result] = std::tie(replayed.plan, replayed.result);
    Json json = trial_json(plan, result, replayed.explanation, options);
    json["recording"] = plan.recording;
    json["last_hash"] = result.last_hash ? Json(to_string(*result.last_hash)) : Json(nullptr);
    json["printed"] = replayed.printed ? printed_json(*replayed.printed) : Json(nullptr);
    return document(std::move(json));
}

Json recording_json(const VerifiedRecording& one, const VerifyCommandOptions& options) {
    return one.report ? verified_json(*one.report, options)
                      : Json{{"recording", one.recording},
                             {"verdict", to_string(one.verdict)},
                             {"reasons", Json::array({one.reason})}};
}

std::string report_json(const Report& report) {
    if (!report.json.empty()) {
        return report.json;
    }
    Json recordings = Json::array();
    const std::vector<CommonFailure> findings = findings_of(report);
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        recordings.push_back(shown_result(findings, report, i));
    }
    return document({{"verdict", to_string(report.verdict)},
                     {"findings", findings_json(report)},
                     {"recordings", std::move(recordings)}});
}

extern const Reporter kJsonReporter;
const Reporter kJsonReporter{"json", "report.json", report_json};

// Reports to paste into an issue, or for the summary page of a CI job: the verdicts as a table, and
// each report in words, folded away where there is nothing to see.

namespace {

// The table of legs says all about one that has not failed.
bool is_shown(std::span<const CommonFailure> findings, std::size_t recording,
              const Report& report) {
    return report.legs.empty() || finding_with(findings, recording) != nullptr;
}

std::string legs_markdown(const std::vector<std::vector<std::string>>& table) {
    std::string text;
    for (const std::vector<std::string>& row : table) {
        text += fmt::format("| {} |\n", core::joined(row, " | ", markdown_text));
        if (&row == &table.front()) {
            text += "|" + core::joined(row, "", [](const std::string&) { return "---|"; }) + "\n";
        }
    }
    return text;
}

std::string folded(const ReportedRecording& one) {
    return fmt::format("\n<details{}><summary>{}</summary>\n\n{}\n</details>\n",
                       one.verdict == harness::Verdict::identical ? "" : " open",
                       markdown_text(one.recording), markdown_code("text", one.page));
}

std::string table_row(const ReportedRecording& one) {
    const auto trials = one.trials_run == 0
                            ? std::string("none")
                            : fmt::format("{} of {}", one.trials_identical, one.trials_run);
    return fmt::format("| {} | {} | {} |\n", markdown_text(one.recording), to_string(one.verdict),
                       trials);
}

// All are in the table. Shown whole are the smallest of each finding, and what has not failed.
std::string report_markdown(const Report& report) {
    const std::vector<CommonFailure> findings = findings_of(report);
    std::string text = fmt::format("### isotick: {}\n\n", to_string(report.verdict));
    if (report.recordings.size() > 1) {
        text += summary_of(findings, report) + "\n\n";
        for (const CommonFailure& finding : findings) {
            text += fmt::format("1. {} ({})\n", markdown_text(title_of(finding, report)),
                                markdown_text(recordings_of(finding, report)));
        }
        text += findings.empty() ? "" : "\n";
    }
    if (report.legs.empty()) {
        text += "| recording | verdict | trials identical |\n|---|---|---|\n";
        for (const ReportedRecording& one : report.recordings) {
            text += table_row(one);
        }
    } else {
        text += legs_markdown(report.legs);
    }
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        if (!is_like_another(findings, i) && is_shown(findings, i, report)) {
            text += folded(report.recordings[i]);
        }
    }
    return text;
}

}  // namespace

extern const Reporter kMarkdownReporter;
const Reporter kMarkdownReporter{"markdown", "report.md", report_markdown};

// Reports for people: what stdout shows, and report.txt.

namespace {

// Of a recording that fails like a smaller one, which is shown whole.
std::string like_text(const ReportedRecording& one, const ReportedRecording& smallest) {
    std::vector<harness::PageRow> rows;
    for (const harness::PageRow& row : one.rows) {
        if (row.name == "when" || row.name == "reproduce") {
            rows.push_back(row);
        }
    }
    rows.push_back({"like", smallest.recording});
    return one.page.substr(0, one.page.find('\n') + 1) + harness::page_text(rows);
}

std::string legs_text(const std::vector<std::vector<std::string>>& table) {
    std::vector<std::size_t> widths(table.empty() ? 0 : table.front().size());
    for (const std::vector<std::string>& row : table) {
        for (std::size_t n = 0; n < row.size(); ++n) {
            widths[n] = std::max(widths[n], core::printable(row[n]).size());
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : table) {
        for (std::size_t n = 0; n < row.size(); ++n) {
            const bool is_last = n + 1 == row.size();
            text += fmt::format("{:<{}}{}", core::printable(row[n]), is_last ? 0 : widths[n],
                                is_last ? "\n" : "  ");
        }
    }
    return text;
}

std::string findings_text(std::span<const CommonFailure> findings, const Report& report) {
    std::vector<harness::PageRow> rows;
    for (const CommonFailure& finding : findings) {
        rows.push_back({fmt::format("finding {}", rows.size() + 1),
                        title_of(finding, report) + " (" + recordings_of(finding, report) + ")"});
    }
    return harness::page_text(rows);
}

}  // namespace

std::string replay_text(const Replayed& replayed, const ReplayOptions& options,
                        const Console& console) {
    const std::string verdict = console.verdict(replayed.result.verdict);
    const std::string where = where_diverged(replayed);
    auto words = page_words(replayed.plan, replayed.explanation, std::nullopt, options);
    if (options.in_process) {
        words.unexplained = "not looked for: that takes other processes (without --in-process)";
    }
    return replay_rows(replayed, verdict, words) + verdict + (where.empty() ? "" : " " + where) +
           "\n" + (replayed.printed ? printed_text(*replayed.printed) : "");
}

std::string report_text(const Report& report) {
    const std::vector<CommonFailure> findings = findings_of(report);
    std::string text = legs_text(report.legs);
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        const ReportedRecording& one = report.recordings[i];
        if (!is_shown(findings, i, report)) {
            continue;
        }
        text += text.empty() || one.left_out ? "" : "\n";
        text += !report.all_pages && is_like_another(findings, i)
                    ? like_text(one, report.recordings[finding_with(findings, i)->smallest])
                    : one.page;
    }
    if (report.recordings.size() > 1 || !report.legs.empty()) {
        const bool several =
            findings.size() > 1 || (findings.size() == 1 && findings.front().recordings.size() > 1);
        text += "\n" + (several ? findings_text(findings, report) : "") + report.headline + "  " +
                summary_of(findings, report) + "\n";
    }
    return text;
}

extern const Reporter kTextReporter;
const Reporter kTextReporter{"text", "report.txt", report_text};

extern const Reporter kHtmlReporter;
extern const Reporter kJsonReporter;
extern const Reporter kJunitReporter;
extern const Reporter kMarkdownReporter;
extern const Reporter kTextReporter;

std::span<const Reporter* const> reporters() {
    static constexpr std::array kReporters{&kTextReporter, &kJsonReporter, &kMarkdownReporter,
                                           &kJunitReporter, &kHtmlReporter};
    return kReporters;
}

}  // namespace isotick::program
