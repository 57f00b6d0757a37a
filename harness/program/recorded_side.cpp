#include "recorded_side.hpp"

#include <isotick/harness/match.hpp>

namespace isotick::program {

using core::Result;

Result<std::optional<harness::TrialRunner>> recorded_side(const std::string& option,
                                                          const std::string& simulation,
                                                          const replay::RecordingHead& head,
                                                          const harness::WorkerOptions& worker) {
    if (simulation.empty()) {
        return std::nullopt;
    }
    const auto facts = harness::facts_from_worker(simulation, worker);
    const auto fits = facts ? harness::check_match(head, *facts) : tl::unexpected(facts.error());
    if (!fits) {
        core::Error error = fits.error();
        error.message = option.empty() ? error.message : option + ": " + error.message;
        return tl::unexpected(error);
    }
    return harness::in_worker_processes(simulation, worker);
}

}  // namespace isotick::program
