#include "bisect_commits.hpp"

#include "../../src/bisect/symbols.hpp"
#include "../../src/report/code_rows.hpp"
#include "../../src/report/field_rows.hpp"
#include "../command/command.hpp"
#include "../output/console.hpp"
#include "../output/text.hpp"
#include "bisect_json.hpp"
#include "bisect_options.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;

// Where --inputs-of stands for the recording, the first argument is a path already.
CommitsOptions with_paths(CommitsOptions options) {
    if (!options.inputs_of.empty() && !options.recording.empty() &&
        !options.recording.ends_with(".isotick")) {
        options.paths.insert(options.paths.begin(), std::move(options.recording));
        options.recording.clear();
    }
    return options;
}

Result<void> check(const CommitsOptions& options) {
    if (options.recording.empty() == options.inputs_of.empty()) {
        return core::fail(ErrorCode::usage, "name a recording, or one with --inputs-of");
    }
    if (!options.inputs_of.empty() && options.good.empty()) {
        return core::fail(ErrorCode::usage,
                          "--inputs-of: name the build that is right with --good");
    }
    if (!options.old_end.empty() && !options.accepted.empty()) {
        return core::fail(ErrorCode::usage, "--accept is of no use to find a fix");
    }
    if (options.glue_from.empty() != options.glue.empty()) {
        return core::fail(ErrorCode::usage, "--glue-from and --glue need each other");
    }
    if (options.overlay.empty() || fs::is_directory(options.overlay)) {
        return {};
    }
    return core::fail(ErrorCode::usage, "--overlay " + options.overlay + ": is no folder");
}

std::string option(const char* name, const std::string& value) {
    return value.empty() ? "" : std::string(" ") + name + " " + shell_word(value);
}

std::string options_of(const char* name, const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) {
        text += option(name, value);
    }
    return text;
}

// Limits that are not the usual ones.
std::string limits(const CommitsOptions& options) {
    const CommitsOptions usual;
    const auto number = [](const char* name, auto value, auto standard) {
        return value == standard ? std::string() : fmt::format(" {} {}", name, value);
    };
    return number("--build-timeout", options.build_timeout_seconds, usual.build_timeout_seconds) +
           number("--build-memory", options.build_memory_mib, usual.build_memory_mib) +
           number("--jobs", options.build_jobs, usual.build_jobs) +
           number("--timeout", options.worker.timeout_seconds, usual.worker.timeout_seconds) +
           number("--memory-limit", options.worker.memory_limit_mib, usual.worker.memory_limit_mib);
}

}  // namespace

void declare_commits(OptionList& list, CommitsOptions& options) {
    list.argument("recording", options.recording, "The recording");
    list.more_arguments("paths", options.paths,
                        "After --: the simulation's paths; commits that touch none are ignored");
    list.text("--repo", options.repository, "FOLDER", "The git repository, which stays as it is");
    list.text("--good", options.good, "REVISION",
              "Matches the recorded hashes; default: searched back from --bad");
    list.text("--bad", options.bad, "REVISION", "Diverging revision; default: HEAD");
    list.text("--old", options.old_end, "REVISION",
              "To find a fix, instead of --good: a revision that still diverges");
    list.text("--new", options.new_end, "REVISION",
              "To find a fix, instead of --bad: one that matches; default: HEAD");
    list.needs("--new", "--old");
    list.excludes("--old", {"--good", "--bad"});
    list.texts("--accept", options.accepted, "REVISION",
               "Intended change: from there on, its hashes are right; repeatable");
    list.text("--inputs-of", options.inputs_of, "FILE",
              "Instead of the recording: FILE's inputs; the good end makes the hashes");
    list.text("--build", options.build, "COMMAND",
              "sh command that builds the checkout {src} into {out}");
    list.required("--build");
    list.text("--sim", options.simulation, "NAME|PATH",
              "The built plug-in or exec:COMMAND, with {out} or {src} in it");
    list.required("--sim");
    list.text("--overlay", options.overlay, "FOLDER", "Files to lay over each checkout");
    list.text("--glue-from", options.glue_from, "REVISION",
              "Revision to take the --glue paths from");
    list.texts("--glue", options.glue, "PATH",
               "Path to copy from --glue-from into each checkout; repeatable");
    list.flag("--first-parent", options.first_parent, "Follow the first parent of merges only");
    list.text("--work", options.work, "FOLDER",
              "Where builds and logs are kept; default: isotick/bisect in the user's cache");
    list.flag("--rebuild", options.rebuild, "Rebuild even what an earlier run built");
    list.number("--jobs", options.build_jobs,
                "Builds at a time, counting revisions that may come next", 1, 256);
    list.seconds("--build-timeout", options.build_timeout_seconds,
                 "A build that takes longer fails; 0: never");
    list.number("--build-memory", options.build_memory_mib,
                "MiB that each process of a build may use; 0: no limit");
    add_judging(list, options);
}

Result<harness::bisect::BisectPlan> bisect_plan(const CommitsOptions& given, Console& console) {
    CommitsOptions options = with_paths(given);
    ISOTICK_TRY(check(options));
    options.recording = options.inputs_of.empty() ? options.recording : options.inputs_of;
    harness::bisect::BisectPlan plan;
    ISOTICK_TRY_ASSIGN(plan.expect, expect_option(options.expect));
    ISOTICK_TRY_ASSIGN(plan.judge, judge_options(options, console));
    ISOTICK_TRY_ASSIGN(plan.work, make_work_folder(options.work, options.repository));
    plan.repository = options.repository;
    plan.judge.worker.on_failed_start = nullptr;  // the reason says enough of each of many
    plan.for_fix = !options.old_end.empty();
    plan.good = plan.for_fix ? options.old_end : options.good;
    plan.bad = plan.for_fix ? options.new_end : options.bad;
    plan.bad = plan.bad.empty() ? "HEAD" : plan.bad;
    plan.accepted = options.accepted;
    plan.jobs = options.build_jobs;
    plan.inputs_only = !options.inputs_of.empty();
    plan.first_parent = options.first_parent;
    harness::bisect::Recipe& recipe = plan.recipe;
    recipe.command = options.build;
    recipe.simulation = options.simulation;
    recipe.paths = options.paths;
    recipe.overlay = options.overlay;
    recipe.glue_from = options.glue_from;
    recipe.glue = options.glue;
    recipe.rebuild = options.rebuild;
    recipe.limits.timeout_ms = static_cast<std::uint64_t>(options.build_timeout_seconds * 1000);
    recipe.limits.memory_limit = options.build_memory_mib << 20;
    return plan;
}

std::string again(const CommitsOptions& given) {
    const CommitsOptions options = with_paths(given);
    std::string text = shell_word(options.program) + " bisect commits " +
                       (options.recording.empty() ? "" : shell_word(options.recording)) +
                       option("--inputs-of", options.inputs_of) +
                       option("--repo", options.repository) + option("--good", options.good) +
                       option("--bad", options.bad) + option("--old", options.old_end) +
                       option("--new", options.new_end) + option("--build", options.build) +
                       option("--sim", options.simulation) + option("--overlay", options.overlay) +
                       option("--glue-from", options.glue_from);
    text += options_of("--accept", options.accepted) + options_of("--glue", options.glue) +
            options_of("--environment", options.environment) + options_of("--only", options.only) +
            options_of("--ignore", options.ignore) + limits(options);
    text += option("--expect", options.expect) + option("--drive", options.drive) +
            option("--work", options.work) + (options.first_parent ? " --first-parent" : "");
    text += options.paths.empty() ? "" : " --";
    for (const std::string& path : options.paths) {
        text += " " + shell_word(path);
    }
    return text;
}

namespace {

using harness::bisect::BisectReport;
using harness::bisect::CommitFacts;
using harness::bisect::CommitWrite;
using harness::bisect::first_names;
using harness::bisect::Regression;
using harness::bisect::short_hash;
using harness::bisect::Standing;
using harness::bisect::Visit;

constexpr std::size_t kMostFiles = 5;

std::string commit_rows(const CommitFacts& commit) {
    return row("commit", commit.hash) + row("author date", commit.author_date) +
           row("subject", commit.subject) + row("files", first_names(commit.files, kMostFiles));
}

std::string step_line(std::size_t number, const Visit& visit) {
    return printable(fmt::format("{:>6}  {}  {:<18}  {:<6}  {}", number, short_hash(visit.commit),
                                 to_string(visit.standing), visit.from_cache ? "cached" : "built",
                                 visit.signature ? to_string(*visit.signature) : visit.reason));
}

std::string step_rows(const Regression& regression) {
    std::string text = row("steps", counted(regression.steps.size(), "revision"));
    for (std::size_t i = 0; i < regression.steps.size(); ++i) {
        std::string line = step_line(i + 1, regression.steps[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

// `1705218e05 is the first bad commit`
std::string found_text(const Regression& regression) {
    const auto& found = regression.found;
    const char* what = regression.is_fix ? "first fixed commit" : "first bad commit";
    return found.size() == 1 ? short_hash(found.front().hash) + " is the " + what
                             : fmt::format("the {} is one of these {}: skipped ones hide which",
                                           what, found.size());
}

// What the commit's build writes otherwise than its parent's, and whether the commit changed that
// line.
std::string written_text(const CommitWrite& found) {
    const std::string text = write_text(found.write, "the parent commit");
    if (!found.changed) {
        const auto& write = found.write.after ? found.write.after : found.write.before;
        const bool has_lines =
            std::ranges::any_of(write->code, [](const harness::CodePlace& place) {
                return place.line != 0 && fs::path(place.file).is_relative();  // in the repository
            });
        return text + (has_lines ? "; this commit changed none of these lines"
                                 : "; its lines are not known: build with -g");
    }
    return fmt::format("{}; this commit {} {}:{}", text,
                       found.write.after ? "changed" : "removed or changed", found.changed->file,
                       found.changed->line);
}

std::string regression_text(const Regression& regression, const std::string& again) {
    const std::string expected = to_string(regression.expected);
    const std::string signature =
        regression.change.signature ? to_string(*regression.change.signature) : "";
    std::string text = harness::differing_rows(
        {}, regression.change.fields, regression.is_fix ? "fixed → broken" : "before → after",
        kMoreFields);
    text += row(regression.is_fix ? "diverged at" : "diverges at", signature);
    text += row("looked for", expected == signature ? "" : expected);
    text += row("compared", regression.change.by_fields
                                ? "by fields: its state is made of others, so that no hash fits"
                                : "");
    for (const CommitFacts& commit : regression.found) {
        text += commit_rows(commit);
    }
    text += regression.write ? paragraph("written by", written_text(*regression.write)) : "";
    text += step_rows(regression);
    text += row("skipped", skipped_text(regression));
    text += row("log", regression.log + ", as git bisect replay takes it");
    text += row("again", again);
    return text + found_text(regression) + "\n";
}

}  // namespace

std::string visit_text(const Visit& visit) {
    constexpr std::size_t kMany = 3;  // equal failures that may be the command's fault
    return short_hash(visit.commit) + " " + to_string(visit.standing) +
           (visit.signature        ? ": " + to_string(*visit.signature)
            : visit.reason.empty() ? ""
                                   : ": " + visit.reason) +
           (visit.same_failures == kMany ? " (the third build that failed for this reason; if "
                                           "--build is wrong, press Ctrl-C "
                                           "and mend it: builds are kept, failures are not; log: " +
                                               visit.log + ")"
                                         : "");
}

std::string skipped_text(const Regression& regression) {
    std::map<Standing, std::uint64_t> counts;
    for (const Visit& visit : regression.steps) {
        if (is_skipped(visit.standing)) {
            ++counts[visit.standing];
        }
    }
    std::vector<std::string> texts;
    for (const auto& [standing, count] : counts) {
        texts.push_back(fmt::format("{} ({})", count, to_string(standing)));
    }
    return joined(texts);
}

std::string commits_text(const BisectReport& report, const CommitsOptions& options) {
    std::string text = heading(
        (options.recording.empty() ? options.inputs_of : options.recording) + " over " +
        options.repository +
        (report.regressions.size() == 1 ? ": " + found_text(report.regressions.front()) : ""));
    const bool for_fix = !options.old_end.empty();
    text += row(for_fix ? "old" : "good", short_hash(report.good.hash) + " " + report.good.subject);
    text += row(for_fix ? "new" : "bad", short_hash(report.bad.hash) + " " + report.bad.subject);
    if (report.changed_files != 0) {
        text += row("note", counted(report.changed_files, "file") +
                                " in the work tree look changed; only commits are built");
    }
    text += row("hashes", report.recorded_again
                              ? "computed again by the good end, from the recorded inputs"
                              : "");
    text += row("builds", report.reused == 0
                              ? std::to_string(report.builds)
                              : fmt::format("{}, and {} reused (--rebuild builds them again)",
                                            report.builds, report.reused));
    if (report.regressions.empty()) {
        text += row("again", again(options)) + "no commit but those accepted changes the hashes\n";
    }
    for (const Regression& regression : report.regressions) {
        text += regression_text(regression, again(options));
    }
    return text;
}

// isotick bisect commits: finds the commit that changed what a recording comes to.

namespace {

using harness::bisect::BisectReport;
using harness::bisect::Regression;

constexpr int kFound = 0;

int exit_code_of(const BisectReport& report) {
    const bool all = std::ranges::all_of(
        report.regressions, [](const Regression& one) { return one.found.size() == 1; });
    return all ? kFound : exit_code(harness::Verdict::inconclusive);
}

int run_commits(const CommitsOptions& options, Console& console) {
    auto plan = bisect_plan(options, console);
    if (!plan) {
        return fail_with(plan.error(), console);
    }
    plan->on_visit = [&console](const harness::bisect::Visit& visit) {
        console.remark(visit_text(visit));
    };
    // One watch for all who ask: each of its own would forget what the others have seen.
    const auto stop = std::make_shared<std::function<bool()>>(stop_when_interrupted());
    plan->stop = [stop] { return (*stop)(); };
    plan->stop();
    const auto report = harness::bisect::bisect(*plan);
    if (!report) {
        return fail_with(report.error(), console);
    }
    console.print(options.json ? commits_json(*report, options) : commits_text(*report, options));
    return exit_code_of(*report);
}

Action declare_commits(OptionList& list, CommandFrame& frame) {
    auto options = common_options<CommitsOptions>(list, frame);
    declare_commits(list, *options);
    return [options, &frame] { return run_commits(*options, frame.console); };
}

}  // namespace

extern const Command kBisectCommitsCommand;
const Command kBisectCommitsCommand{
    "bisect commits", "Find the first commit at which a recording diverges",
    "Example:\n"
    "  isotick bisect commits s.isotick --good v1.0 --bad HEAD \\\n"
    "    --build 'make -C {src} game.so && cp {src}/game.so {out}' --sim '{out}/game.so'",
    declare_commits};

}  // namespace isotick::program
