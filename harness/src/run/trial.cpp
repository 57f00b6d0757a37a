#include "../serve/system_calls.hpp"
#include "branch_point.hpp"
#include "ended_by_error.hpp"
#include "instances/other_instance.hpp"
#include "one_trial.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/harness/detail/simulations/process_simulation.hpp>
#include <isotick/harness/trial.hpp>

#include <cerrno>
#include <exception>
#include <limits>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

// A simulation that was asked for many calls at once may have failed in any of them: asked one by
// one, it fails in the one that counts.
TrialResult placed(TrialResult failed, const TrialPlan& plan, const isotick_simulation_table& table,
                   Progress& progress) {
    TrialPlan one_by_one = plan;
    one_by_one.one_call_at_a_time = true;
    TrialResult again = run_once(one_by_one, table, progress, std::nullopt);
    return again.verdict == Verdict::identical ? failed : again;
}

TrialResult run(const TrialPlan& plan, const isotick_simulation_table& table, Progress& progress,
                const std::optional<BranchPoint>& branch) {
    try {
        if (const auto lived = run_instance_before(plan, table, progress); !lived) {
            TrialResult result;
            end_with(lived.error(), progress.place(), result);
            return result;
        }
        ProcessSimulation::take_notes(table);
        TrialResult result = run_once(plan, table, progress, branch);
        auto [bad_end, shortage] = ProcessSimulation::take_notes(table);
        result.bad_end = std::move(bad_end);
        if (shortage) {
            end_with_shortage(*std::move(shortage), result);
        }
        const bool ahead = (table.info->capabilities & ISOTICK_QUEUES_CALLS) != 0;
        return ahead && result.verdict == Verdict::crashed && !plan.one_call_at_a_time
                   ? placed(std::move(result), plan, table, progress)
                   : result;
    } catch (const std::system_error& thrown) {  // a simulation's own are caught before
        TrialResult result;
        errno = thrown.code().value();
        end_with_shortage(system_failure("cannot start a thread").value(), result);
        return result;
    } catch (const std::exception& thrown) {
        TrialResult result;
        end_with(core::caught(thrown, core::ErrorCode::simulation, "the trial itself failed: "),
                 progress.place(), result);
        return result;
    }
}

}  // namespace

InputEdits without_inputs() {
    return {{.first = {}, .last = core::Tick{std::numeric_limits<std::uint64_t>::max()}}};
}

std::string describe_state(std::uint64_t ticks_done) {
    return ticks_done == 0 ? "the initial state" : "tick " + std::to_string(ticks_done - 1);
}

TrialResult run_trial(const TrialPlan& plan, const isotick_simulation_table& table,
                      Progress& progress) {
    return run(plan, table, progress, std::nullopt);
}

TrialResult run_branching_trial(const TrialPlan& plan, const isotick_simulation_table& table,
                                Progress& progress, const BranchPoint& branch) {
    return run(plan, table, progress, branch);
}

}  // namespace isotick::harness
