#include "minimize.hpp"

#include "../../src/axes/axes.hpp"
#include "../../src/report/failure_rows.hpp"
#include "../../src/study/shrink_trials.hpp"
#include "../../src/system/files.hpp"
#include "../command/command.hpp"
#include "../json/report_json.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "verify_setup.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/minimize.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

constexpr std::size_t kMostListed = 10;

std::string minimized_player_name(std::uint32_t player) {
    return player == ISOTICK_WORLD ? "the world" : fmt::format("player {}", player);
}

// `166 inputs left: 7 changes, and what is held on from there`
std::string what_is_left(const harness::FewerInputs& inputs, std::uint64_t present) {
    const std::string left = counted(present, "input") + " left";
    return present == inputs.kept.size() ? left
                                         : fmt::format("{}: {}, each held from there on", left,
                                                       counted(inputs.kept.size(), "change"));
}

std::string input_rows(const harness::FewerInputs& inputs, std::uint64_t present) {
    std::string text =
        row("inputs",
            fmt::format("{}; in {} of both sides{}",
                        present == 0 ? "none is needed" : what_is_left(inputs, present),
                        counted(inputs.trials, "trial"),
                        inputs.unfinished.empty() ? "" : "; not to the end: " + inputs.unfinished));
    for (std::size_t i = 0; i < std::min(inputs.kept.size(), kMostListed); ++i) {
        text += row("", fmt::format("tick {}, {}", inputs.kept[i].tick.value,
                                    minimized_player_name(inputs.kept[i].player)));
    }
    if (inputs.kept.size() > kMostListed) {
        text += row("", fmt::format("and {} more", inputs.kept.size() - kMostListed));
    }
    return text;
}

}  // namespace

std::string minimized_text(const harness::VerifyReport& report, const harness::FailedTrial& trial,
                           const Minimized& minimized, const MinimizeOptions& options) {
    std::string text = heading(options.output);
    text += row("session", session_line(report.head.session, minimized.ticks));
    text += row("from", fmt::format("{}, {}", report.recording, counted(report.ticks, "tick")));
    text += row(trial.result.divergence ? "diverges" : "crashes",
                minimized.fails ? "at " + harness::describe_state(minimized.ticks_done)
                : minimized.otherwise.empty()
                    ? "no longer, in a fresh process"
                    : "not in a fresh process: there, " + minimized.otherwise);
    if (trial.plan.drive.loop != core::LoopOptions()) {
        text += row("loop", to_string(trial.plan.drive.loop));
    }
    text += row("schedule", trial.plan.drive.schedule.to_string());
    text += row("shrunk",
                trial.shrinking ? harness::shrinking_text(*trial.shrinking, trial.plan.drive) : "");
    text += minimized.inputs
                ? input_rows(*minimized.inputs, minimized.inputs_present)
                : row("inputs",
                      "all kept: finding the needed ones takes both sides and a loop that only "
                      "goes forward; name the recording's build with --sim-a");
    return text +
           row("to see it", verifying_command(options.output, trial.plan.environment, options));
}

namespace {

using core::Result;
using harness::FailedTrial;
using harness::Verdict;

harness::BranchRunner quiet_branches(const harness::SimulationName& simulation,
                                     const Prepared& prepared) {
    harness::WorkerOptions quiet = prepared.worker;
    quiet.on_progress = nullptr;
    return harness::branches_in_worker_processes(simulation, quiet);
}

// Of a divergence or crash; of neither, and of those before tick 0, none.
std::uint64_t ticks_done(const harness::TrialResult& result) {
    if (result.divergence) {
        return result.divergence->computed.ticks_done;
    }
    return harness::failed_step(result) ? result.failed_in->tick.value + 1 : 0;
}

bool goes_back(const harness::TrialPlan& plan) {
    return plan.drive.loop.kind == core::LoopKind::reversible;
}

// Where not even the nominal trial agrees, the side that is right is another build's.
harness::TrialPlan right_plan(const Failing& failing) {
    harness::TrialPlan plan;
    plan.recording = failing.trial.plan.recording;
    plan.environment = failing.trial.plan.environment;
    return plan;
}

Result<Minimized> with_fewer_inputs(const Failing& failing, const MinimizeOptions& options,
                                    const harness::ShrinkOptions& shrink,
                                    const Prepared& prepared) {
    harness::TrialPlan wrong = failing.trial.plan;
    wrong.most_frames = 0;
    const core::Tick diverged_at{ticks_done(failing.trial.result) - 1};
    ISOTICK_TRY_ASSIGN(auto fewer,
                       harness::shrink_inputs_of(
                           {right_plan(failing), quiet_branches(*failing.right, prepared), wrong,
                            quiet_branches(failing.simulation, prepared), failing.trial.result},
                           diverged_at, {shrink.most_ticks, shrink.stop}));
    const replay::RecordingHead& head = failing.report.head;
    harness::RecordPlan plan;
    plan.path = options.output;
    plan.overwrite = options.force;
    plan.appearance = replay::Appearance::complete;
    plan.setup = harness::setup_of(head, prepared.environment);
    plan.ticks = fewer.diverged_at.value + 1;
    plan.inputs = harness::InputSource::recording;
    plan.recorded_inputs = failing.trial.plan.recording;
    plan.edits = fewer.edits;
    plan.parts_every = head.parts_every;
    for (const auto& [key, value] : head.notes.entries()) {
        const bool of_old_hashes = key == kScheduleNote || key == kLoopNote;
        ISOTICK_TRY(of_old_hashes ? Result<void>() : plan.notes.set(key, value));
    }
    const harness::Drive& repro = failing.trial.plan.drive;
    ISOTICK_TRY(plan.notes.set(harness::kReproNote, to_string(repro)));
    const auto recorded = record_in_worker(*failing.right, plan, prepared.worker);
    if (!recorded || recorded->error) {
        return tl::unexpected(recorded ? *recorded->error : recorded.error());
    }
    return Minimized{.inputs = std::move(fewer),
                     .inputs_present = recorded->inputs_present,
                     .ticks = plan.ticks};
}

// All inputs, up to the divergence. A loop that goes back comes to it only after later ticks, and
// ends with the session's last.
Result<Minimized> cut_only(const Failing& failing, const MinimizeOptions& options) {
    const harness::Drive& repro = failing.trial.plan.drive;
    const std::uint64_t done = ticks_done(failing.trial.result);
    const core::Tick last = goes_back(failing.trial.plan)
                                ? core::Tick{failing.trial.result.statistics.ticks_reached}
                                : core::Tick{done == 0 ? 0 : done - 1};
    return harness::cut_session({failing.trial.plan.recording, options.output, last, options.force,
                                 harness::kReproNote, to_string(repro)})
        .map([](std::uint64_t ticks) { return Minimized{.ticks = ticks}; });
}

// Does what was written fail, in a process of its own?
Result<harness::TrialResult> try_written(const Failing& failing, const MinimizeOptions& options,
                                         const Prepared& prepared) {
    harness::TrialPlan plan = failing.trial.plan;
    plan.recording = options.output;
    plan.most_frames = 0;
    harness::WorkerOptions quiet = prepared.worker;
    quiet.on_progress = nullptr;
    const auto run = harness::in_worker_processes(failing.simulation, quiet);
    return run(std::array{plan}, harness::Isolation::fresh).map([](auto&& results) {
        return std::move(results.front());
    });
}

}  // namespace

const FailedTrial* failing_trial(const harness::VerifyReport& report) {
    for (const FailedTrial& failure : report.failures) {
        const bool diverged = failure.explanation && failure.result.verdict == Verdict::diverged;
        const bool crashed = failure.shrinking && failure.result.verdict == Verdict::crashed;
        if (diverged || crashed) {
            return &failure;
        }
    }
    return nullptr;
}

Failing failing_of(const harness::VerifyReport& report, const FailedTrial& trial,
                   const harness::SimulationName& simulation, const std::string& recorded_by) {
    Failing failing{report, trial, simulation, std::nullopt};
    // What a share of the session means, it means of the whole one.
    failing.trial.plan.drive.axes =
        harness::within(std::move(failing.trial.plan.drive.axes), report.ticks);
    if (!recorded_by.empty()) {
        failing.right = harness::SimulationName::chosen(recorded_by);
    } else if (trial.number != 0) {
        failing.right = simulation;
    }
    return failing;
}

namespace {

// What was written, and how it failed.
struct Written {
    Minimized minimized;
    harness::TrialResult result;
};

Result<Written> write_minimized(const Failing& failing, const MinimizeOptions& options,
                                const harness::ShrinkOptions& shrink, const Prepared& prepared,
                                bool both) {
    ISOTICK_TRY_ASSIGN(auto minimized, both ? with_fewer_inputs(failing, options, shrink, prepared)
                                            : cut_only(failing, options));
    ISOTICK_TRY_ASSIGN(auto written, try_written(failing, options, prepared));
    minimized.fails = fails_alike(written, failing.trial.result);
    minimized.ticks_done = minimized.fails ? ticks_done(written) : 0;
    minimized.otherwise = minimized.fails ? "" : written.reason;
    minimized.drive = failing.trial.plan.drive;
    return Written{std::move(minimized), std::move(written)};
}

Result<void> copy_file(const std::string& from, const std::string& to) {
    std::error_code error;
    std::filesystem::copy_file(from, to, error);
    return error ? core::fail(core::ErrorCode::io, "cannot copy " + from + ": " + error.message())
                 : Result<void>();
}

// The same failure in `recording`, under a drive that is plainer there. None where there is none.
Result<std::optional<Failing>> shrink_again(const Failing& failing, const std::string& recording,
                                            const Written& before,
                                            const harness::ShrinkOptions& shrink,
                                            const Prepared& prepared) {
    Failing next = failing;
    next.trial.plan.recording = recording;
    next.trial.plan.most_frames = 0;
    next.trial.result = before.result;
    ISOTICK_TRY_ASSIGN(auto shrunk, harness::shrink(next.trial.plan, before.result,
                                                    failing.report.head.session.rate, shrink));
    if (!shrunk || shrunk->plan.drive == failing.trial.plan.drive) {
        return std::nullopt;
    }
    next.trial.plan = std::move(shrunk->plan);
    MinimizeOptions there;
    there.output = recording;
    ISOTICK_TRY_ASSIGN(auto result, try_written(next, there, prepared));
    if (!fails_alike(result, before.result) || ticks_done(result) > before.minimized.ticks_done) {
        return std::nullopt;
    }
    next.trial.result = std::move(result);
    next.trial.shrinking = shrunk->how;
    return next;
}

}  // namespace

Result<Minimized> minimize_failing(const Failing& failing, const MinimizeOptions& options,
                                   const harness::ShrinkOptions& shrink, const Prepared& prepared) {
    constexpr int kMostRounds = 4;
    constexpr std::uint32_t kOwnerAlone = 0700;
    // Inputs are changed tick by tick from tick 0 on: not under a loop that goes back, nor in a
    // trial that loads a snapshot first.
    const bool both = failing.right && ticks_done(failing.trial.result) > 0 &&
                      !goes_back(failing.trial.plan) &&
                      !harness::other_instances(failing.trial.plan.drive.axes).leave_snapshot;
    ISOTICK_TRY_ASSIGN(auto written, write_minimized(failing, options, shrink, prepared, both));
    MinimizeOptions again = options;
    again.force = true;
    std::uint64_t more_trials = 0;
    for (int round = 0; both && shrink.run && written.minimized.fails && round < kMostRounds;
         ++round) {
        ISOTICK_TRY_ASSIGN(const auto folder,
                           harness::TemporaryFolder::make(harness::temporary_place(),
                                                          "isotick-minimize-", kOwnerAlone));
        const std::string before = folder.path() + "/before.isotick";
        ISOTICK_TRY(copy_file(options.output, before));
        Failing smaller = failing;
        smaller.trial.plan.drive = written.minimized.drive;
        ISOTICK_TRY_ASSIGN(auto next, shrink_again(smaller, before, written, shrink, prepared));
        if (!next) {
            break;
        }
        more_trials += next->trial.shrinking->trials;
        ISOTICK_TRY_ASSIGN(auto more, write_minimized(*next, again, shrink, prepared, both));
        more.minimized.inputs->trials += written.minimized.inputs->trials;
        more.minimized.inputs->ticks += written.minimized.inputs->ticks;
        written = std::move(more);
    }
    written.minimized.more_trials = more_trials;
    return std::move(written.minimized);
}

namespace {

using core::Result;
using harness::FailedTrial;
using harness::Verdict;

// Verifies, and keeps what fails; none where nothing does.
Result<std::optional<Failing>> find_failing(const MinimizeOptions& options,
                                            const harness::VerifyOptions& how,
                                            const Prepared& prepared,
                                            const harness::SimulationName& simulation,
                                            Console& console) {
    const auto runner = harness::in_worker_processes(simulation, prepared.worker);
    harness::VerifyOptions frames_alone = how;
    frames_alone.perturb.clear();
    ISOTICK_TRY_ASSIGN(auto report,
                       harness::verify(options.recordings.front(), frames_alone, runner));
    const FailedTrial* found = failing_trial(report);
    if (found == nullptr && report.failures.empty() && !how.perturb.empty()) {
        ISOTICK_TRY_ASSIGN(report, harness::verify(options.recordings.front(), how, runner));
        found = failing_trial(report);
    }
    if (found == nullptr) {
        console.remark("nothing to minimize: verify says " +
                       std::string(to_string(report.verdict)) + " of " +
                       std::to_string(report.trials) + " trials");
        return std::nullopt;
    }
    return failing_of(report, *found, simulation, options.recorded_by);
}

// Makes the smaller session of what fails, and says what came of it.
Result<int> write_smaller(const Failing& failing, const MinimizeOptions& options,
                          const harness::ShrinkOptions& shrink, const Prepared& prepared,
                          Console& console) {
    ISOTICK_TRY_ASSIGN(const auto minimized, minimize_failing(failing, options, shrink, prepared));
    FailedTrial shown = failing.trial;
    shown.plan.drive = minimized.drive;
    if (shown.shrinking) {
        shown.shrinking->trials += minimized.more_trials;
    }
    if (options.json) {
        shown.plan.environment = prepared.shared_environment;
    }
    const auto report = options.json ? minimized_json : minimized_text;
    console.print(report(failing.report, shown, minimized, options));
    return minimized.fails ? 0 : exit_code(Verdict::nondeterministic);
}

Result<int> minimize(const MinimizeOptions& options, const Prepared& prepared, Console& console) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(options.recordings.front()));
    const auto simulation = simulation_of(reader.head(), options.simulation);
    ISOTICK_TRY(fitting_runner("", simulation, reader.head(), prepared.worker));
    ISOTICK_TRY_ASSIGN(const auto recorded,
                       recorded_side(options.recorded_by, reader.head(), prepared.worker));
    ISOTICK_TRY_ASSIGN(auto usual, verify_options(options, prepared));
    ISOTICK_TRY_ASSIGN(
        auto how, how_to_verify(std::move(usual), options, prepared, reader.head(), simulation));
    how.explain.recorded_side = recorded ? &*recorded : nullptr;
    how.explain.most_fields = 0;
    how.probes = nullptr;
    ISOTICK_TRY_ASSIGN(const auto failing,
                       find_failing(options, how, prepared, simulation, console));
    return failing ? write_smaller(*failing, options, how.shrink, prepared, console)
                   : Result<int>(exit_code(Verdict::inconclusive));
}

int run_minimize(const MinimizeOptions& given, Console& console) {
    const auto chosen = with_loops_chosen(given);
    if (!chosen) {
        return fail_with(chosen.error(), console);
    }
    MinimizeOptions options = given;
    static_cast<VerifyCommandOptions&>(options) = *chosen;
    const auto prepared = prepare(options, "minimize", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    auto read = files_read(options, prepared->schedule, options.recorded_by);
    read.push_back(options.recordings.front());
    if (auto free = check_output(options.output, options.force, read); !free) {
        return fail_with(free.error(), console);
    }
    const auto code = minimize(options, *prepared, console);
    return code ? *code : fail_with(about(options.recordings.front(), code.error()), console);
}

Action declare_minimize(OptionList& list, CommandFrame& frame) {
    auto options = common_options<MinimizeOptions>(list, frame);
    list.argument("recording", options->recordings, "The recording");
    add_output(list, options->output, options->force);
    add_simulation(list, *options, "Use this instead of the simulation that the recording names");
    add_with_environment(list, *options);
    list.text("--sim-a", options->recorded_by, "NAME|PATH",
              "The build that made the recording, if another build fails");
    list.number("--trials", options->trials, "How many trials may look for a failure", 1);
    list.text("--seed", options->seed, "SEED", "Root of the trials' seeds; see verify");
    add_host(list, *options, "Minimize the failure under this schedule");
    add_shrink(list, options->shrink);
    add_worker(list, options->worker, true);
    return [options, &frame] { return run_minimize(*options, frame.console); };
}

}  // namespace

extern const Command kMinimizeCommand;
const Command kMinimizeCommand{"minimize", "Make the smallest recording that still fails",
                               "Example:\n"
                               "  isotick minimize s.isotick -o small.isotick\n"
                               "  isotick verify small.isotick",
                               declare_minimize};

}  // namespace isotick::program
