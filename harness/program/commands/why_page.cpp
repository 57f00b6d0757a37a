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

std::string meaning_of(WhyCause cause) {
    switch (cause) {
        case WhyCause::frames:
            return "Inputs and ticks are the same in all trials. Only the times of the frames "
                   "differ, which a deterministic simulation does not notice.";
        case WhyCause::going_back:
            return "The tick gave the recorded bits the first time. Then the loop went back by a "
                   "snapshot, as rollback does, and the same tick gave others.";
        case WhyCause::axis:
            return "Without it, the same trial gives the recorded bits.";
        case WhyCause::changing_dt:
            return "That is what such a loop does to a simulation that uses dt. For the same bits "
                   "at any frame rate, choose a loop with a constant dt.";
        case WhyCause::build:
            return "Both builds played the same inputs under the same schedule here.";
        case WhyCause::elsewhere:
            return "Even the nominal schedule, one tick per frame, gives other bits. So no frame "
                   "times are to blame.";
        case WhyCause::chance:
            return "The same trial in two processes ends differently. So it reads something that "
                   "is not part of its state or inputs.";
        default:
            return "";
    }
}

std::string where_to_look(WhyCause cause, const harness::HostCalls& calls) {
    switch (cause) {
        case WhyCause::frames: {
            const char* what = calls.begin_frame && calls.render ? "begin_frame and render"
                               : calls.render                    ? "render"
                                                                 : "begin_frame";
            return std::string(what) +
                   ", since nothing else runs between ticks: whatever there changes the fields "
                   "above, or something that step reads, such as a random generator, a position "
                   "moved for the screen, or a frame time that is kept.";
        }
        case WhyCause::going_back:
            return "What save leaves out and what load does not recompute: caches, "
                   "statics, members that serialize does not visit. isotick audit names them.";
        case WhyCause::build:
        case WhyCause::elsewhere:
            return "What changed between the two: code, compiler, flags such as "
                   "-ffast-math or -march, libraries, data files.";
        case WhyCause::chance:
            return "Uninitialized memory, addresses used as keys or for an order, "
                   "unordered containers, clocks, random devices, and threads that race.";
        case WhyCause::blind_spot:
            return "What is named above: add it to serialize (or to the hash), or compute it again "
                   "in each tick.";
        default:
            return "";
    }
}

namespace {

using harness::Explanation;
using harness::FailedTrial;
using harness::FieldReport;
using harness::Verdict;
using harness::VerifyReport;

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

std::string fields_page(const FieldReport& fields) {
    if (!fields.known || fields.differences.listed.empty()) {
        return "";
    }
    const std::uint64_t rest = fields.differences.total - 1;
    return to_string(fields.differences.listed.front()) +
           (rest == 0
                ? ""
                : fmt::format(", and {} more {}", grouped(rest), rest == 1 ? "field" : "fields"));
}

// `after tick 2`, `in the initial state`.
std::string moment(const std::string& state) {
    return (state.starts_with("tick") ? "after " : "in ") + state;
}

// `after tick 2, in units: units.position_x[3]  61.27 → 61.28, and 498 more fields`
std::string place(const std::string& state, const std::vector<std::string>& parts,
                  const FieldReport& fields) {
    std::string text = moment(state);
    text += parts.empty() ? "" : ", in " + joined(parts);
    const std::string differing = fields_page(fields);
    return text + (differing.empty() ? "" : ": " + differing);
}

std::string where(const FailedTrial& failure) {
    if (!failure.result.divergence) {
        return failure.result.reason;
    }
    if (!failure.explanation) {
        return moment(when(failure.result, failure.explanation));
    }
    const Explanation& explanation = *failure.explanation;
    if (const auto& diverged = explanation.disagreement) {
        return place(when(failure.result, failure.explanation), diverged->parts, diverged->fields);
    }
    return place(when(failure.result, failure.explanation), explanation.parts, explanation.fields);
}

std::string phase(const FailedTrial& failure) {
    if (!failure.explanation) {
        return "";
    }
    const auto& diverged = failure.explanation->disagreement;
    const auto& phases = diverged ? diverged->phases : failure.explanation->phases;
    return phases ? to_string(*phases) : "";
}

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

// What drives the failing trial, where that matters.
std::string provoked_by(const FailedTrial& shown) {
    const harness::Drive& drive = shown.plan.drive;
    if (drive.has_nominal_frames() && drive.axes.empty()) {
        return "";
    }
    const bool frames_only = drive.axes.empty() && drive.loop == core::LoopOptions();
    const std::string plainest =
        shown.shrinking && shown.shrinking->unfinished.empty()
            ? fmt::format(" (the plainest found, in {})", counted(shown.shrinking->trials, "trial"))
            : "";
    return (frames_only ? "the frame times " + drive.schedule.to_string() : to_string(drive)) +
           plainest;
}

std::string smallest_text(const Minimized& smaller, const std::string& file) {
    const std::string inputs =
        smaller.inputs ? fmt::format(" and {}", counted(smaller.inputs_present, "input")) : "";
    return fmt::format("{}{} in {}{}", counted(smaller.ticks, "tick"), inputs, file,
                       smaller.fails ? ", which fails in the same way"
                                     : ", which does not fail when it is run alone");
}

void add_section(WhyPage& page, const char* question, std::string answer) {
    if (!answer.empty()) {
        page.findings.push_back({question, std::move(answer)});
    }
}

void add_findings(WhyPage& page, const VerifyReport& report, const FailedTrial* shown,
                  WhyCause cause) {
    add_section(page, "what happens", what(report, shown));
    for (const std::string& reason : report.reasons) {
        add_section(page, "reason", reason);
    }
    if (shown != nullptr) {
        add_section(page, "where", where(*shown));
        add_section(page, "phase", phase(*shown));
        add_section(page, "provoked by", provoked_by(*shown));
    }
    for (const harness::BlindSpot& spot : report.blind_spots) {
        add_section(page, "blind spot", to_string(spot));
    }
    add_section(page, "what it means", meaning_of(cause));
    add_section(page, "look at", where_to_look(cause, report.calls.value_or(harness::HostCalls())));
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
    add_findings(page, report, shown, cause);
    if (smaller) {
        add_section(page, "smallest", smallest_text(*smaller, smallest));
        page.commands.push_back({kSeeAgain, verifying_command(smallest, environment, options)});
    }
    add_commands(page, report, options, environment, shown);
    add_versions(page, report, shown);
    page.smaller = smaller;
    page.details = failures_text(report, options);
    return page;
}

// The page in each of its formats.

namespace {

constexpr std::size_t kWidth = 88;

// Lines of at most kWidth characters, broken at spaces, each but the first behind `indent`.
std::string wrapped(std::string_view text, std::size_t indent) {
    std::string lines;
    std::size_t column = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find(' ', from), text.size());
        const std::string_view word = text.substr(from, end - from);
        if (column != 0 && column + 1 + word.size() > kWidth) {
            lines += "\n" + std::string(indent, ' ');
            column = 0;
        }
        lines += (column == 0 ? "" : " ") + std::string(word);
        column += word.size() + 1;
        from = end + 1;
    }
    return lines;
}

std::string finding_text(const Finding& finding) {
    constexpr std::size_t kIndent = 16;
    return fmt::format("  {:<14}{}\n", finding.question,
                       wrapped(printable(finding.answer), kIndent));
}

Json findings_json(const std::vector<Finding>& findings) {
    Json json = Json::array();
    for (const Finding& finding : findings) {
        json.push_back({{"question", finding.question}, {"answer", finding.answer}});
    }
    return json;
}

}  // namespace

std::string page_text(const WhyPage& page) {
    std::string text = fmt::format("{}: {}.\n\n", printable(page.recording), page.title);
    for (const Finding& finding : page.findings) {
        text += finding_text(finding);
    }
    for (const Advice& advice : page.commands) {
        text += fmt::format("\n  {}\n    {}\n", advice.purpose, printable(advice.command));
    }
    text += page.details.empty() ? "\n" : page.details;
    for (const Finding& version : page.versions) {
        text += row(version.question, version.answer);
    }
    return text;
}

std::string page_markdown(const WhyPage& page) {
    std::string text = fmt::format("## {}\n\n{}\n\n", page.title, markdown_text(page.recording));
    for (const Finding& finding : page.findings) {
        text += fmt::format("- **{}**: {}\n", finding.question, markdown_text(finding.answer));
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
    for (const Finding& version : page.versions) {
        text += fmt::format("- {}: {}\n", version.question, markdown_text(version.answer));
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
