#include "minimize_run.hpp"

#include "../../../src/shrink/search/failed_step.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/shrink/minimize.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <utility>

namespace isotick::program {
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
    if (!recorded_by.empty()) {
        failing.right = harness::SimulationName::chosen(recorded_by);
    } else if (trial.number != 0) {
        failing.right = simulation;
    }
    return failing;
}

Result<Minimized> minimize_failing(const Failing& failing, const MinimizeOptions& options,
                                   const harness::ShrinkOptions& shrink, const Prepared& prepared) {
    // Inputs are changed tick by tick, and so not under a loop that goes back.
    const bool both =
        failing.right && ticks_done(failing.trial.result) > 0 && !goes_back(failing.trial.plan);
    ISOTICK_TRY_ASSIGN(auto minimized, both ? with_fewer_inputs(failing, options, shrink, prepared)
                                            : cut_only(failing, options));
    ISOTICK_TRY_ASSIGN(const auto written, try_written(failing, options, prepared));
    minimized.fails = fails_alike(written, failing.trial.result);
    minimized.ticks_done = minimized.fails ? ticks_done(written) : 0;
    return minimized;
}

}  // namespace isotick::program
