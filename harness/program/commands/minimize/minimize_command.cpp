#include "../../../src/shrink/search/failed_step.hpp"
#include "../../command/command.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../options/recorded_side.hpp"
#include "../../output/output_file.hpp"
#include "../verify/verify_setup.hpp"
#include "minimize_report.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/shrink/minimize.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <filesystem>
#include <utility>

namespace isotick::program {
namespace {

using core::Result;
using harness::FailedTrial;
using harness::Verdict;

/// What is known before a failing session is made smaller.
struct Failing {
    harness::VerifyReport report;
    FailedTrial trial;
    harness::SimulationName simulation;
    std::optional<harness::SimulationName> right;  ///< of the side that is right, if it runs here
};

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

// The trial whose divergence was confirmed and shrunk, or else whose crash was shrunk.
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

// Verifies, and keeps what fails; none where nothing does.
Result<std::optional<Failing>> find_failing(const MinimizeOptions& options,
                                            const harness::VerifyOptions& how,
                                            const Prepared& prepared,
                                            const harness::SimulationName& simulation,
                                            Console& console) {
    ISOTICK_TRY_ASSIGN(auto report,
                       harness::verify(options.recordings.front(), how,
                                       harness::in_worker_processes(simulation, prepared.worker)));
    const FailedTrial* found = failing_trial(report);
    if (found == nullptr) {
        console.remark("nothing to minimize: verify says " +
                       std::string(to_string(report.verdict)) + " of " +
                       std::to_string(report.trials) + " trials");
        return std::nullopt;
    }
    Failing failing{report, *found, simulation, std::nullopt};
    if (!options.recorded_by.empty()) {
        failing.right = harness::SimulationName::chosen(options.recorded_by);
    } else if (found->number != 0) {
        failing.right = simulation;
    }
    return failing;
}

// Makes the smaller session of what fails, runs it, and says what came of it.
Result<int> write_smaller(const Failing& failing, const MinimizeOptions& options,
                          const harness::ShrinkOptions& shrink, const Prepared& prepared,
                          Console& console) {
    // Inputs are changed tick by tick, and so not under a loop that goes back.
    const bool both =
        failing.right && ticks_done(failing.trial.result) > 0 && !goes_back(failing.trial.plan);
    ISOTICK_TRY_ASSIGN(auto minimized, both ? with_fewer_inputs(failing, options, shrink, prepared)
                                            : cut_only(failing, options));
    ISOTICK_TRY_ASSIGN(const auto written, try_written(failing, options, prepared));
    minimized.fails = fails_alike(written, failing.trial.result);
    minimized.ticks_done = minimized.fails ? ticks_done(written) : 0;
    const auto report = options.json ? minimized_json : minimized_text;
    console.print(report(failing.report, failing.trial, minimized, options));
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

int run(const MinimizeOptions& given, Console& console) {
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

Action declare(OptionList& list, CommandFrame& frame) {
    auto options = common_options<MinimizeOptions>(list, frame);
    list.argument("recording", options->recordings, "The recording");
    add_output(list, options->output, options->force);
    add_simulation(list, *options, "Use this instead of the simulation that the recording names");
    list.text("--sim-a", options->recorded_by, "NAME|PATH",
              "The build that made the recording, if another build fails");
    list.number("--trials", options->trials, "How many trials may look for a failure", 1);
    list.text("--seed", options->seed, "SEED", "Root of the trials' seeds; see verify");
    add_host(list, *options, "Minimize the failure under this schedule");
    add_shrink(list, options->shrink);
    add_worker(list, options->worker, true);
    return [options, &frame] { return run(*options, frame.console); };
}

}  // namespace

extern const Command kMinimizeCommand;
const Command kMinimizeCommand{"minimize", "Make the smallest recording that still fails",
                               "Example:\n"
                               "  isotick minimize s.isotick -o small.isotick\n"
                               "  isotick verify small.isotick",
                               declare};

}  // namespace isotick::program
