#include <isotick/harness/match.hpp>

#include <string>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

Result<void> check_match(const replay::RecordingHead& head, const isotick_info& info) {
    if (head.session.simulation != info.name) {
        return core::fail(ErrorCode::usage, "the recording is of '" + head.session.simulation +
                                                "', the simulation is '" + info.name + "'");
    }
    if (head.hash_algorithm != core::hash_algorithm(info)) {
        return core::fail(ErrorCode::usage, "the recording's hashes are '" + head.hash_algorithm +
                                                "', the simulation makes '" +
                                                std::string(core::hash_algorithm(info)) + "'");
    }
    if (head.nan_policy != core::nan_policy(info)) {
        return core::fail(ErrorCode::usage, "the recording's hashes treat NaNs as '" +
                                                head.nan_policy + "', the simulation's as '" +
                                                std::string(core::nan_policy(info)) + "'");
    }
    return core::check_setup(info, setup_of(head, {}));
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
