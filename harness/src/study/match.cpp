#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/match.hpp>

#include <string>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

Result<void> check_session(const replay::RecordingHead& head, const SimulationFacts& facts) {
    if (head.session.simulation != facts.name) {
        return core::fail(ErrorCode::usage, "the recording is of '" + head.session.simulation +
                                                "', the simulation is '" + facts.name + "'");
    }
    return core::check_players(facts.name, facts.least_players, facts.most_players,
                               head.session.players);
}

Result<void> check_match(const replay::RecordingHead& head, const SimulationFacts& facts) {
    ISOTICK_TRY(check_session(head, facts));
    if (head.hash_algorithm != facts.hash_algorithm) {
        return core::fail(ErrorCode::usage, "the recording's hashes are '" + head.hash_algorithm +
                                                "', the simulation makes '" + facts.hash_algorithm +
                                                "'");
    }
    if (head.nan_policy != facts.nan_policy) {
        return core::fail(ErrorCode::usage, "the recording's hashes treat NaNs as '" +
                                                head.nan_policy + "', the simulation's as '" +
                                                facts.nan_policy + "'");
    }
    return {};
}

core::SimulationSetup setup_of(const replay::RecordingHead& head,
                               const core::Settings& environment) {
    return {.rate = head.session.rate,
            .players = head.session.players,
            .seed = head.session.seed,
            .config = head.session.config,
            .environment = environment};
}

}  // namespace isotick::harness
