// `isotick why`.

#include "../command/command.hpp"
#include "../options/options.hpp"
#include "../output/console.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "../reporters/verify_text.hpp"
#include "bisect_build.hpp"
#include "bisect_commits.hpp"
#include "minimize.hpp"
#include "why_page.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <optional>

#include <fmt/format.h>

namespace isotick::program {

// Where in the source the difference of a failing build comes from, where the user says how it is
// built: the commit, or the source file and function that other flags change.

/// What was found.
struct Origin {
    std::vector<harness::PageRow> findings;
    std::string details;  ///< the rows of the reports, which others may get to see
};

/// Finds the commits from which on the recording diverges, says on stderr what is being tried, and
/// adds the answer.
[[nodiscard]] core::Result<void> add_commit(Origin& origin, const CommitsOptions& options,
                                            Console& console);

/// Likewise the source files, and their functions, that make the difference.
[[nodiscard]] core::Result<void> add_files(Origin& origin, const BuildOptions& options,
                                           Console& console);

namespace {

using harness::bisect::CommitFacts;
using harness::bisect::FunctionCulprit;
using harness::bisect::Regression;
using harness::bisect::UnitCulprit;

constexpr std::size_t kShownHash = 10;

// `1705218e05 Let wounded units rest, of 2023-11-14T22:13:37+00:00: tick 40, units[*].health`
std::string commit_text(const Regression& regression) {
    std::vector<std::string> commits;
    for (const CommitFacts& commit : regression.found) {
        commits.push_back(fmt::format("{} {}, of {}", commit.hash.substr(0, kShownHash),
                                      commit.subject, commit.author_date));
    }
    const auto& signature = regression.change.signature;
    return fmt::format("{}{}{}", commits.size() > 1 ? "one of " : "", joined(commits),
                       signature ? ": " + to_string(*signature) : "");
}

// `world.c, in step_world: tick 12, cells[*].value`
std::string file_text(const UnitCulprit& culprit) {
    std::vector<std::string> functions;
    for (const FunctionCulprit& one : culprit.functions) {
        functions.push_back(joined(one.functions));
    }
    const auto& signature = culprit.judgement.signature;
    return joined(culprit.files) + (functions.empty() ? "" : ", in " + joined(functions)) +
           (signature ? ": " + to_string(*signature) : "");
}

}  // namespace

core::Result<void> add_commit(Origin& origin, const CommitsOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto plan, bisect_plan(options, console));
    plan.on_visit = [&console](const harness::bisect::Visit& visit) {
        console.remark(visit_text(visit));
    };
    plan.stop = stop_when_interrupted();
    ISOTICK_TRY_ASSIGN(const auto report, harness::bisect::bisect(plan));
    for (const Regression& regression : report.regressions) {
        origin.findings.push_back({"commit", commit_text(regression)});
    }
    CommitsOptions shared = options;
    shared.environment = shared_environment(options);
    origin.details += commits_text(report, shared);
    return {};
}

core::Result<void> add_files(Origin& origin, const BuildOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto plan, build_plan(options, console));
    plan.on_mixture = [&console](const harness::bisect::Mixed& mixed) {
        console.remark(mixture_text(mixed));
    };
    plan.limits.stop = stop_when_interrupted();
    ISOTICK_TRY_ASSIGN(const auto report, harness::bisect::bisect_build(plan));
    for (const UnitCulprit& culprit : report.culprits) {
        origin.findings.push_back({"file", file_text(culprit)});
    }
    BuildOptions shared = options;
    shared.environment = shared_environment(options);
    origin.details += build_text(report, shared, console);
    return {};
}

namespace {

using core::Result;
using harness::Verdict;

struct WhyOptions : VerifyCommandOptions {
    CommitsOptions commits;  ///< where the commit is to be found, too; else without `build`
    BuildOptions files;      ///< where the source file is to be found, too; else without `other`
    std::string folder;      ///< where to leave the page and the smallest recording; empty: nowhere
    bool force = false;

    [[nodiscard]] std::string file(const char* name) const { return folder + "/" + name; }
};

constexpr const char* kSmallest = "smallest.isotick";
constexpr const char* kScript = "reproduce.sh";

constexpr std::array kFiles{"why.txt", "why.md", "why.json", kSmallest, kScript};

// None where there is to be none. Before any work: may what it holds of an earlier run be replaced?
Result<std::optional<OutputFolder>> output_folder(const WhyOptions& options) {
    if (options.folder.empty()) {
        return std::nullopt;
    }
    for (const char* name : kFiles) {
        ISOTICK_TRY(check_output(options.file(name), options.force, options.recordings));
    }
    return OutputFolder::create("-o", options.folder, {kFiles.begin(), kFiles.end()})
        .map([](OutputFolder&& folder) { return std::optional(std::move(folder)); });
}

// None where nothing that failed can be made smaller.
Result<std::optional<Minimized>> smallest(const Verified& verified, const WhyOptions& options,
                                          const Prepared& prepared,
                                          const std::optional<OutputFolder>& folder) {
    const harness::FailedTrial* failing = failing_trial(verified.report);
    if (failing == nullptr || !folder) {
        return std::nullopt;
    }
    MinimizeOptions smaller;
    static_cast<VerifyCommandOptions&>(smaller) = options;
    smaller.output = folder->place(kSmallest);
    return minimize_failing(
               failing_of(verified.report, *failing, verified.simulation, options.recorded_by),
               smaller, verified.shrink, prepared)
        .map([](Minimized&& minimized) { return std::optional(std::move(minimized)); });
}

// Runs where `why` ran, so that paths in the command are right.
std::string script(const WhyPage& page, const std::string& command) {
    std::string text = "#!/bin/sh\n# " + page.title + ".\n";
    for (const harness::PageRow& version : page.versions) {
        text += "# " + version.name + ": " + core::printable(version.text) + "\n";
    }
    return text + command + "\n";
}

Result<void> leave_in(OutputFolder& folder, const WhyPage& page, bool details) {
    ISOTICK_TRY(folder.write("why.txt", page_text(page, details)));
    ISOTICK_TRY(folder.write("why.md", page_markdown(page)));
    ISOTICK_TRY(folder.write("why.json", page_json(page)));
    if (page.smaller) {
        ISOTICK_TRY(folder.write(kScript, script(page, page.commands.front().command)));
    }
    return folder.complete();
}

// Where nothing failed, what hash and snapshot do not see may still hide what would.
Result<void> look_for_blind_spots(Verified& verified, const Prepared& prepared) {
    if (verified.report.verdict != Verdict::identical || !verified.report.blind_spots.empty()) {
        return {};
    }
    harness::WorkerOptions quiet = prepared.worker;
    quiet.on_progress = nullptr;
    harness::AuditOptions how;
    how.environment = prepared.environment;
    return harness::audit(verified.report.recording, how,
                          harness::probes_in_worker_processes(verified.simulation, quiet))
        .map([&verified](harness::AuditReport&& audited) {
            verified.report.blind_spots = std::move(audited.blind_spots);
        });
}

// What both searches take from the options of this command.
void take_over(JudgingText& text, const WhyOptions& options) {
    text.program = options.program;
    text.recording = options.recordings.front();
    text.environment = options.environment;
    text.worker = options.worker;
}

// In a build that fails whatever the frames, a commit or a flag may be to blame.
Result<Origin> look_for_origin(WhyCause cause, const WhyOptions& options, Console& console) {
    Origin origin;
    if (cause != WhyCause::build && cause != WhyCause::elsewhere) {
        return origin;
    }
    if (!options.commits.build.empty()) {
        CommitsOptions commits = options.commits;
        take_over(commits, options);
        ISOTICK_TRY(add_commit(origin, commits, console));
    }
    if (!options.files.other.empty()) {
        BuildOptions files = options.files;
        files.work = options.commits.work;
        files.simulation = "{out}";
        take_over(files, options);
        ISOTICK_TRY(add_files(origin, files, console));
    }
    return origin;
}

void add(WhyPage& page, const Origin& origin) {
    page.findings.insert(page.findings.end(), origin.findings.begin(), origin.findings.end());
    page.details += origin.details;
}

Result<int> tell(const WhyOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(const auto prepared, prepare(options, "why", console));
    ISOTICK_TRY_ASSIGN(const auto usual, verify_options(options, prepared));
    ISOTICK_TRY(replay::Reader::open(options.recordings.front()));
    ISOTICK_TRY_ASSIGN(auto folder, output_folder(options));
    ISOTICK_TRY_ASSIGN(auto verified,
                       verify_recording(options.recordings.front(), options, usual, prepared));
    ISOTICK_TRY(look_for_blind_spots(verified, prepared));
    ISOTICK_TRY_ASSIGN(const auto smaller, smallest(verified, options, prepared, folder));
    const auto page_with = [&](const core::Settings& environment) {
        show_environment_of(verified.report, environment);
        return make_page(verified.report, options, environment, smaller, options.file(kSmallest));
    };
    WhyPage page = page_with(prepared.environment);
    WhyPage shared = page_with(prepared.shared_environment);
    if (prepared.shared_environment != prepared.environment) {
        shared.versions.push_back({"environment", left_out_text(prepared.shared_environment)});
    }
    ISOTICK_TRY_ASSIGN(const auto origin, look_for_origin(page.cause, options, console));
    add(page, origin);
    add(shared, origin);
    console.print(options.json ? page_json(shared) : page_text(page, options.verbose));
    if (folder) {
        ISOTICK_TRY(leave_in(*folder, shared, options.verbose));
    }
    return exit_code(page.verdict);
}

int run_why(const WhyOptions& options, Console& console) {
    const auto code = tell(options, console);
    return code ? *code : fail_with(about(options.recordings.front(), code.error()), console);
}

Action declare_why(OptionList& list, CommandFrame& frame) {
    auto options = common_options<WhyOptions>(list, frame);
    list.argument("recording", options->recordings, "The recording");
    list.text("-o,--output", options->folder, "FOLDER",
              "Save the page there, with the smallest recording that still fails");
    list.flag("--force", options->force, "Replace what is in the folder");
    add_verbose(list, *options);
    add_with_environment(list, *options);
    add_simulation(list, *options, "Replaces the simulation that the recording names");
    list.number("--trials", options->trials, "Trials, one nominal (1 tick a frame)", 1);
    list.text("--seed", options->seed, "SEED", "Root of the trials' seeds; see verify");
    add_vary(list, options->vary, "KEY=A,B",
             "Setting or axis that must not matter: try each value; see verify");
    list.text("--perturb", options->perturb, "LIST|default|all|none",
              "Axes to vary at random; see verify");
    add_fields(list, options->fields, *options);
    add_host(list, *options, "Use this schedule or capture, not random ones");
    list.text("--repo", options->commits.repository, "FOLDER",
              "To name the commit too: the git repository of the simulation");
    list.text("--good", options->commits.good, "REVISION",
              "Revision that matches the recorded hashes; default: searched back");
    list.text("--bad", options->commits.bad, "REVISION", "The one that was tried; default: HEAD");
    list.text("--build", options->commits.build, "COMMAND",
              "Builds a revision, from {src} into {out}; see bisect commits");
    list.text("--built", options->commits.simulation, "NAME|PATH",
              "What --build makes, as --sim takes it, with {out} in it");
    list.text("--work", options->commits.work, "FOLDER",
              "Where builds are kept; default: isotick/bisect in the user's cache");
    list.text("--with", options->files.other, "FLAGS|COMPILER",
              "To name the file too: what the failing build has been built with; see bisect build");
    list.text("--compile-commands", options->files.compile_commands, "FILE",
              "How the build that is right compiles");
    list.needs("--compile-commands", "--with");
    list.needs("--build", "--built");
    list.needs("--good", "--build");
    list.needs("--bad", "--build");
    add_worker(list, options->worker, true);
    return [options, &frame] { return run_why(*options, frame.console); };
}

}  // namespace

extern const Command kWhyCommand;
const Command kWhyCommand{"why", "Tell on one page why a recording is not reproduced",
                          "Example:\n"
                          "  isotick why s.isotick\n"
                          "  isotick why s.isotick --sim ./new.so --sim-a ./old.so -o why\n"
                          "  isotick why s.isotick --sim ./new.so --good v1.0 \\\n"
                          "    --build 'make -C {src} && cp {src}/game.so {out}' "
                          "--built '{out}/game.so'",
                          declare_why};

}  // namespace isotick::program
