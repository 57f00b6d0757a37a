#include "peer_parting.hpp"

#include "differing_parts.hpp"
#include "run_pair.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::harness {

core::Result<StateParting> compare_partings(const StateSource& before, const StateSource& after,
                                            const StepsToStates& steps, std::size_t most) {
    TrialPlan first = before.plan;
    TrialPlan second = after.plan;
    first.hashes.reset();
    second.hashes.reset();
    first.trace = StateRange{steps.before, steps.before};
    second.trace = StateRange{steps.after, steps.after};
    ISOTICK_TRY_ASSIGN(const auto runs, run_pair({first, *before.run}, {second, *after.run}));
    StateParting parting;
    const auto& [a, b] = runs;
    if (!a.trace.empty() && !b.trace.empty()) {
        parting.parts = differing_parts({a.part_names, a.trace.back().parts},
                                        {b.part_names, b.trace.back().parts});
    }
    if (most > 0) {
        ISOTICK_TRY_ASSIGN(auto report, compare_states(before, after, steps, most));
        parting.fields = std::move(report.fields);
    }
    return parting;
}

}  // namespace isotick::harness
