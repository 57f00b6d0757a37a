#include "why_page.hpp"

#include "../../../src/report/verify_words.hpp"
#include "../../output/report_words.hpp"
#include "../../output/text.hpp"
#include "../../reporters/verify_text.hpp"

#include <isotick/harness/detail/version.hpp>
#include <isotick/harness/record.hpp>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace isotick::program {
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
    if (const auto& parted = explanation.disagreement) {
        return place(when(failure.result, failure.explanation), parted->parts, parted->fields);
    }
    return place(when(failure.result, failure.explanation), explanation.parts, explanation.fields);
}

std::string phase(const FailedTrial& failure) {
    if (!failure.explanation) {
        return "";
    }
    const auto& parted = failure.explanation->disagreement;
    const auto& phases = parted ? parted->phases : failure.explanation->phases;
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
        CommonOptions here;  // in one process there are no other builds, and no limits
        here.program = options.program;
        here.simulation = options.simulation;
        page.commands.push_back(
            {"in a debugger",
             "gdb --args " + reproducing_command(shown->plan, here) + " --in-process"});
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

}  // namespace isotick::program
