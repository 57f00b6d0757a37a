#include "recorded_side.hpp"

#include <isotick/harness/detail/simulations/match.hpp>

namespace isotick::program {

using core::Result;

harness::SimulationName simulation_of(const replay::RecordingHead& head,
                                      const std::string& chosen) {
    return chosen.empty() ? harness::SimulationName::recorded(head.session.simulation)
                          : harness::SimulationName::chosen(chosen);
}

Result<harness::TrialRunner> fitting_runner(const std::string& option,
                                            const harness::SimulationName& simulation,
                                            const replay::RecordingHead& head,
                                            const harness::WorkerOptions& worker) {
    const auto facts = harness::facts_from_worker(simulation, worker);
    const auto fits = facts ? harness::check_match(head, *facts) : tl::unexpected(facts.error());
    if (!fits) {
        core::Error error = fits.error();
        error.message = option.empty() ? error.message : option + ": " + error.message;
        return tl::unexpected(error);
    }
    return harness::in_worker_processes(simulation, worker);
}

Result<std::optional<harness::TrialRunner>> recorded_side(const std::string& chosen,
                                                          const replay::RecordingHead& head,
                                                          const harness::WorkerOptions& worker) {
    if (chosen.empty()) {
        return std::nullopt;
    }
    return fitting_runner("--sim-a", harness::SimulationName::chosen(chosen), head, worker);
}

}  // namespace isotick::program
