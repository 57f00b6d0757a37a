#include "why_page.hpp"

#include "../../src/report/replay_text.hpp"
#include "../json/json_pieces.hpp"
#include "../output/text.hpp"
#include "../reporters/reporter.hpp"
#include "../reporters/verify_text.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/version.hpp>
#include <isotick/harness/record.hpp>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace isotick::program {

using harness::RecordedAgain;
using harness::Verdict;

namespace {

// The nominal replay fails: no schedule is to blame.
WhyCause nominal_cause(const harness::Explanation& explanation) {
    if (explanation.only_as_recorded) {
        return WhyCause::how_recorded;
    }
    if (explanation.recorded_side_runs) {
        return WhyCause::build;
    }
    const auto again =
        explanation.nominal ? explanation.nominal->recorded_again : RecordedAgain::untried;
    return again == RecordedAgain::as_before || again == RecordedAgain::as_before_by_bot
               ? WhyCause::how_recorded
               : WhyCause::elsewhere;
}

WhyCause diverged_cause(const harness::FailedTrial& shown) {
    const harness::Drive& drive = shown.plan.drive;
    if (shown.explanation && !shown.explanation->provoking_axes.empty()) {
        return WhyCause::axis;
    }
    if (drive.has_nominal_frames()) {
        return shown.explanation ? nominal_cause(*shown.explanation) : WhyCause::elsewhere;
    }
    if (!core::info_of(drive.loop.kind).constant_dt) {
        return WhyCause::changing_dt;
    }
    return shown.explanation && shown.explanation->rerun ? WhyCause::going_back : WhyCause::frames;
}

}  // namespace

WhyCause cause_of(const harness::VerifyReport& report, const harness::FailedTrial* shown) {
    switch (report.verdict) {
        case Verdict::identical:
            return report.blind_spots.empty() ? WhyCause::nothing : WhyCause::blind_spot;
        case Verdict::diverged:
            return shown != nullptr ? diverged_cause(*shown) : WhyCause::elsewhere;
        case Verdict::nondeterministic:
            return WhyCause::chance;
        case Verdict::crashed:
            return WhyCause::crash;
        case Verdict::timed_out:
            return WhyCause::hang;
        case Verdict::unreadable:
            return WhyCause::unreadable;
        case Verdict::stalled:
        case Verdict::inconclusive:
            break;
    }
    return WhyCause::nothing_shown;
}

std::string title_of(WhyCause cause) {
    switch (cause) {
        case WhyCause::nothing:
            return "Nothing fails: every trial gives the recorded bits";
        case WhyCause::blind_spot:
            return "Nothing fails, but hash or snapshot miss part of the state";
        case WhyCause::frames:
            return "The bits depend on when frames come";
        case WhyCause::going_back:
            return "Loading a snapshot does not bring the whole state back";
        case WhyCause::axis:
            return "The bits depend on something that must not matter";
        case WhyCause::changing_dt:
            return "The loop changes dt, and the bits with it";
        case WhyCause::build:
            return "This build computes other bits than the one that recorded";
        case WhyCause::elsewhere:
            return "This build, or this machine, computes other bits than were recorded";
        case WhyCause::how_recorded:
            return "It was recorded in another way than it is replayed";
        case WhyCause::chance:
            return "The bits change from run to run, with nothing changed";
        case WhyCause::crash:
            return "The simulation crashes";
        case WhyCause::hang:
            return "The simulation hangs";
        case WhyCause::unreadable:
            return "The recording is damaged";
        case WhyCause::nothing_shown:
            return "The trials prove nothing";
    }
    return "";
}

namespace {

using harness::FailedTrial;
using harness::PageRow;
using harness::Verdict;
using harness::VerifyReport;

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

std::string what(const VerifyReport& report, const FailedTrial* shown) {
    if (shown == nullptr) {
        return harness::trials_text(report);
    }
    if (shown->number == 0) {
        return "the nominal replay itself fails, one tick per frame";
    }
    return fmt::format("{} of {} trials fail; the nominal replay does not",
                       report.trials - report.trials_identical, report.trials);
}

std::string smallest_text(const Minimized& smaller, const std::string& file) {
    const std::string inputs =
        smaller.inputs ? fmt::format(" and {}", counted(smaller.inputs_present, "input")) : "";
    return fmt::format("{}{} in {}{}", counted(smaller.ticks, "tick"), inputs, file,
                       smaller.fails ? ", which fails in the same way"
                                     : ", which does not fail when it is run alone");
}

void add_findings(WhyPage& page, const VerifyReport& report, const VerifyCommandOptions& options) {
    const FailedTrial* shown = report.failures.empty() ? nullptr : &foremost(report);
    page.findings.push_back({"trials", what(report, shown)});
    for (const std::string& reason : report.reasons) {
        page.findings.push_back({"reason", reason});
    }
    for (PageRow& row : failure_page(report, options)) {
        if (!row.is_command) {  // those are below
            page.findings.push_back(std::move(row));
        }
    }
    for (const harness::BlindSpot& spot : report.blind_spots) {
        page.findings.push_back({"blind spot", to_string(spot)});
    }
    if (page.cause == WhyCause::blind_spot) {
        page.findings.push_back({"look at",
                                 "what is named above: add it to serialize (or to the "
                                 "hash), or compute it again in each tick"});
    }
}

// A field that can be watched, of those that differ.
std::string watchable(const FailedTrial& shown) {
    if (!shown.explanation || !shown.explanation->fields.known) {
        return "";
    }
    for (const core::FieldDifference& field : shown.explanation->fields.differences.listed) {
        if (field.kind == core::DifferenceKind::value && !field.path.empty()) {
            return field.path;
        }
    }
    return "";
}

void add_bisecting(WhyPage& page, const VerifyReport& report, const VerifyCommandOptions& options) {
    const std::string recording = shell_word(report.recording);
    if (options.recorded_by.empty()) {
        page.commands.push_back(
            {"with the build that recorded it: the exact tick and its fields",
             fmt::format(
                 "{} bisect ticks {} {} --sim-a BUILD --fields", shell_word(options.program),
                 recording,
                 options.simulation.empty() ? "NEW_BUILD" : shell_word(options.simulation))});
    }
    page.commands.push_back(
        {"with its source in git: the commit",
         fmt::format("{} bisect commits {} --good REVISION --build COMMAND --sim '{{out}}/…'",
                     shell_word(options.program), recording)});
}

void add_commands(WhyPage& page, const VerifyReport& report, const VerifyCommandOptions& options,
                  const core::Settings& environment, const FailedTrial* shown) {
    const WhyCause cause = page.cause;
    if (shown != nullptr) {
        page.commands.push_back({page.commands.empty() ? kSeeAgain : "in the whole session",
                                 reproducing_command(shown->plan, options)});
        if (const std::string path = watchable(*shown); !path.empty()) {
            page.commands.push_back(
                {"follow the field tick by tick",
                 reproducing_command(shown->plan, options) + " --watch " + shell_word(path)});
        }
        if (std::string debug = debugging_command(shown->plan, options); !debug.empty()) {
            page.commands.push_back({"in a debugger", std::move(debug)});
        }
    }
    if (cause == WhyCause::build || cause == WhyCause::elsewhere) {
        add_bisecting(page, report, options);
    }
    if (cause == WhyCause::blind_spot || cause == WhyCause::going_back) {
        page.commands.push_back(
            {"what hash and snapshot miss", fmt::format("{} audit {}", shell_word(options.program),
                                                        shell_word(report.recording))});
    }
    if (cause == WhyCause::nothing || cause == WhyCause::nothing_shown) {
        page.commands.push_back(
            {"try more", verifying_command(report.recording, environment, options) +
                             " --seed random --trials 1000 --perturb all --loop all"});
    }
}

void add_versions(WhyPage& page, const VerifyReport& report, const FailedTrial* shown) {
    page.versions.push_back(
        {"isotick", fmt::format("{}, built with {}", harness::kVersion, kCompiler)});
    utsname system{};
    if (uname(&system) == 0) {
        page.versions.push_back(
            {"system", fmt::format("{} {}, {}", system.sysname, system.release, system.machine)});
    }
    if (const auto recorded = report.head.notes.find(harness::kBuildNote)) {
        page.versions.push_back({"recorded by", std::string(*recorded)});
    }
    if (shown != nullptr && !shown->result.build_id.empty()) {
        page.versions.push_back({"replayed by", shown->result.build_id});
    }
}

}  // namespace

WhyPage make_page(const VerifyReport& report, const VerifyCommandOptions& options,
                  const core::Settings& environment, const std::optional<Minimized>& smaller,
                  const std::string& smallest) {
    const FailedTrial* shown = report.failures.empty() ? nullptr : &foremost(report);
    const WhyCause cause = cause_of(report, shown);
    WhyPage page;
    page.recording = report.recording;
    page.verdict = report.verdict;
    page.cause = cause;
    page.title = title_of(cause);
    add_findings(page, report, options);
    if (smaller) {
        page.findings.push_back({"smallest", smallest_text(*smaller, smallest)});
        page.commands.push_back({kSeeAgain, verifying_command(smallest, environment, options)});
    }
    add_commands(page, report, options, environment, shown);
    add_versions(page, report, shown);
    page.smaller = smaller;
    VerifyCommandOptions all = options;
    all.verbose = true;
    page.details = harness::page_text(failure_page(report, all));
    return page;
}

// The page in each of its formats.

namespace {

// `units (50 fields); …: units.position_x[3]  26.5 → 26.6, …`
std::string answer_of(const PageRow& row) {
    return row.text + (row.lines.empty() ? "" : ": " + joined(row.lines));
}

Json findings_json(const std::vector<PageRow>& findings) {
    Json json = Json::array();
    for (const PageRow& finding : findings) {
        json.push_back({{"question", finding.name}, {"answer", answer_of(finding)}});
    }
    return json;
}

}  // namespace

std::string page_text(const WhyPage& page, bool details) {
    const std::string verdict = harness::in_capitals(to_string(page.verdict));
    std::string text = fmt::format("{}  {}: {}\n{}", verdict, printable(page.recording), page.title,
                                   harness::page_text(page.findings));
    for (const Advice& advice : page.commands) {
        text += fmt::format("  {}\n    {}\n", advice.purpose, printable(advice.command));
    }
    text += (details ? page.details : "") + harness::page_text(page.versions);
    return text + verdict + "\n";
}

std::string page_markdown(const WhyPage& page) {
    std::string text = fmt::format("## {}\n\n{}\n\n", page.title, markdown_text(page.recording));
    for (const PageRow& finding : page.findings) {
        text += fmt::format("- **{}**: {}\n", finding.name, markdown_text(answer_of(finding)));
    }
    for (const Advice& advice : page.commands) {
        text += fmt::format("\n{}:\n\n{}", advice.purpose,
                            markdown_code("sh", printable(advice.command) + "\n"));
    }
    if (!page.details.empty()) {
        text += "\n<details><summary>The report</summary>\n\n" +
                markdown_code("text", page.details) + "\n</details>\n";
    }
    text += "\n";
    for (const PageRow& version : page.versions) {
        text += fmt::format("- {}: {}\n", version.name, markdown_text(version.text));
    }
    return text;
}

std::string page_json(const WhyPage& page) {
    Json commands = Json::array();
    for (const Advice& advice : page.commands) {
        commands.push_back({{"purpose", advice.purpose}, {"command", advice.command}});
    }
    Json smaller;
    if (page.smaller) {
        smaller = {{"ticks", page.smaller->ticks}, {"fails", page.smaller->fails}};
    }
    return document({{"recording", page.recording},
                     {"verdict", to_string(page.verdict)},
                     {"title", page.title},
                     {"findings", findings_json(page.findings)},
                     {"commands", std::move(commands)},
                     {"smallest", std::move(smaller)},
                     {"versions", findings_json(page.versions)},
                     {"details", page.details}});
}

}  // namespace isotick::program
