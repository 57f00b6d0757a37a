#include "lockstep_options.hpp"

#include "../../output/text.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::LockstepPlan;

core::Error named(const char* option, core::Error error) {
    error.message = std::string(option) + ": " + error.message;
    return error;
}

Result<LockstepPlan> plan_of_options(const LockstepCommandOptions& options, std::uint32_t players) {
    LockstepPlan plan;
    plan.spectators = options.spectators;
    plan.peers =
        options.peers.value_or(std::min(harness::kMostPeers, players + options.spectators));
    plan.mode = *harness::parse_peer_mode(options.mode);
    plan.most_guessed = options.guess;
    plan.adapts_delay = !options.delay;
    plan.input_delay = options.delay.value_or(plan.input_delay);
    const auto network = harness::NetworkSpec::parse(options.network, read_link_trace);
    if (!network) {
        return tl::unexpected(named("--network", network.error()));
    }
    plan.network = *network;
    for (const std::string& text : options.events) {
        const auto event = harness::parse_peer_event(text);
        if (!event) {
            return tl::unexpected(named("--event", event.error()));
        }
        plan.events.push_back(*event);
    }
    std::ranges::stable_sort(plan.events, {}, &harness::PeerEvent::at_ns);
    for (const std::string& text : options.faults) {
        const auto fault = harness::parse_faulty_peer(text);
        if (!fault) {
            return tl::unexpected(named("--fault", fault.error()));
        }
        plan.faults.push_back(*fault);
    }
    return plan;
}

}  // namespace

Result<std::shared_ptr<const harness::LinkTrace>> read_link_trace(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || !text) {
        return tl::unexpected(core::Error{ErrorCode::io, "cannot be read", path, {}, {}});
    }
    return harness::LinkTrace::parse(text.str()).map_error([&path](core::Error error) {
        error.file = path;
        return error;
    });
}

Result<LockstepPlan> parse_plan(const std::string& text) {
    return harness::parse_lockstep_plan(text, read_link_trace).map_error([](core::Error error) {
        return named("--plan", std::move(error));
    });
}

Result<LockstepPlan> lockstep_plan(const LockstepCommandOptions& options, std::uint32_t players,
                                   core::TickRate rate) {
    LockstepPlan plan;
    if (options.plan.empty()) {
        ISOTICK_TRY_ASSIGN(plan, plan_of_options(options, players));
    } else {
        ISOTICK_TRY_ASSIGN(plan, parse_plan(options.plan));
    }
    for (std::uint32_t peer = 0; peer < std::max(plan.peers, 1U); ++peer) {
        ISOTICK_TRY(harness::peer_options(plan, peer, 0, players, rate, 1));
    }
    return plan;
}

namespace {

// `isotick COMMAND`, the recording, and what the simulation is run with.
std::string command_on_session(const char* command, const LockstepCommandOptions& options) {
    std::string text = shell_word(options.program) + " " + command;
    if (!options.recording.empty()) {
        text += " " + shell_word(options.recording);
    }
    if (!options.simulation.empty()) {
        text += " --sim " + shell_word(options.simulation);
    }
    for (const std::string& setting : options.environment) {
        text += " --environment " + shell_word(setting);
    }
    return text;
}

}  // namespace

std::string lockstep_command(const harness::LockstepReport& report,
                             const LockstepCommandOptions& options) {
    std::string text = command_on_session("lockstep", options);
    const auto add = [&text](const char* name, const std::string& value) {
        text += fmt::format(" {} {}", name, shell_word(value));
    };
    if (options.recording.empty()) {
        add("--session-seed", options.seed);
        for (const std::string& setting : options.config) {
            add("--config", setting);
        }
        add("--players", std::to_string(report.head.session.players));
    }
    for (const std::string& other : options.peer_simulations) {
        add("--peer-sim", other);
    }
    if (report.shown.plan.ticks == 0) {
        add("--ticks", std::to_string(report.shown.ticks));
    }
    add("--plan", to_string(report.shown.plan));
    return text;
}

std::string peer_command(const harness::LockstepReport& report,
                         const LockstepCommandOptions& options) {
    const harness::LockstepTrial& trial = report.shown;
    if (options.recording.empty() || !options.peer_simulations.empty() || !trial.divergence ||
        !trial.absences.empty()) {
        return "";
    }
    const harness::PeerRun& run = trial.outcomes[trial.divergence->outcome].run;
    const std::string plan = to_string(trial.plan);
    const bool reads_files = plan.find("trace(") != std::string::npos;  // a drive opens none
    if (run.course.first_tick != 0 || reads_files) {
        return "";
    }
    harness::Drive drive;
    drive.axes = {{"peer", fmt::format("{} of {}", run.peer, plan)}};
    return command_on_session("replay", options) + " --drive " + shell_word(to_string(drive));
}

}  // namespace isotick::program
