#include "../../command/command.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../options/recorded_side.hpp"
#include "../../output/output_file.hpp"
#include "../verify/verify_setup.hpp"
#include "minimize_report.hpp"
#include "minimize_run.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/reader.hpp>

#include <utility>

namespace isotick::program {
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
