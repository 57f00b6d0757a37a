#include "lockstep_options.hpp"

#include "../output/output_file.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::LockstepPlan;

}  // namespace

Result<std::vector<harness::PeerEvent>> event_options(const std::vector<std::string>& texts) {
    std::vector<harness::PeerEvent> events;
    for (const std::string& text : texts) {
        const auto event = harness::parse_peer_event(text);
        if (!event) {
            return tl::unexpected(about_option("--event", event.error()));
        }
        events.push_back(*event);
    }
    std::ranges::stable_sort(events, {}, &harness::PeerEvent::at_ns);
    return events;
}

namespace {

Result<LockstepPlan> plan_of_options(const LockstepCommandOptions& options, std::uint32_t players) {
    LockstepPlan plan;
    plan.spectators = options.spectators;
    plan.peers =
        options.peers.value_or(std::min(harness::kMostPeers, players + options.spectators));
    if (plan.peers == 1) {
        return core::fail(ErrorCode::usage,
                          "one peer sends nothing, so no network is tested: name more --peers, add "
                          "one that watches (--spectators 1), or run isotick verify");
    }
    plan.mode = *harness::parse_peer_mode(options.mode);
    plan.most_guessed = options.guess;
    plan.adapts_delay = !options.delay;
    plan.input_delay = options.delay.value_or(plan.input_delay);
    const auto network = harness::NetworkSpec::parse(options.network, read_link_trace);
    if (!network) {
        return tl::unexpected(about_option("--network", network.error()));
    }
    plan.network = *network;
    ISOTICK_TRY_ASSIGN(plan.events, event_options(options.events));
    for (const std::string& text : options.faults) {
        const auto fault = harness::parse_faulty_peer(text);
        if (!fault) {
            return tl::unexpected(about_option("--fault", fault.error()));
        }
        plan.faults.push_back(*fault);
    }
    return plan;
}

Result<std::string> read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || !text) {
        return tl::unexpected(core::Error{ErrorCode::io, "cannot be read", path, {}, {}});
    }
    return text.str();
}

}  // namespace

core::Error about_option(const char* option, core::Error error) {
    error.message = std::string(option) + ": " + error.message;
    return error;
}

Result<std::shared_ptr<const harness::LinkTrace>> read_link_trace(const std::string& path) {
    ISOTICK_TRY_ASSIGN(const std::string text, read_text(path));
    return harness::LinkTrace::parse(text).map_error([&path](core::Error error) {
        error.file = path;
        return error;
    });
}

std::string plan_file(const LockstepCommandOptions& options) {
    return options.plan.starts_with('@') ? options.plan.substr(1) : "";
}

Result<LockstepPlan> parse_plan(const LockstepCommandOptions& options) {
    std::string text = options.plan;
    const std::string path = plan_file(options);
    if (!path.empty()) {
        ISOTICK_TRY_ASSIGN(text, read_text(path));
        text.erase(text.find_last_not_of(" \r\n") + 1);
    }
    return harness::parse_lockstep_plan(text, read_link_trace)
        .map_error([&path](core::Error error) {
            error.file = error.file.empty() ? path : error.file;
            return about_option("--plan", std::move(error));
        });
}

Result<LockstepPlan> lockstep_plan(const LockstepCommandOptions& options, std::uint32_t players,
                                   core::TickRate rate) {
    LockstepPlan plan;
    if (options.plan.empty()) {
        ISOTICK_TRY_ASSIGN(plan, plan_of_options(options, players));
    } else {
        ISOTICK_TRY_ASSIGN(plan, parse_plan(options));
    }
    for (std::uint32_t peer = 0; peer < std::max(plan.peers, 1U); ++peer) {
        ISOTICK_TRY(harness::peer_options(plan, peer, 0, players, rate, 1));
    }
    return plan;
}

namespace {

// Where a shell takes it, but nobody reads it any more. A kernel refuses a word of 128 KiB.
constexpr std::size_t kLongestCommand = 2000;

// A file named by its content, so that it replaces only itself.
Result<std::string> write_plan(const std::string& plan, const std::string& folder) {
    const std::string path =
        fmt::format("{}lockstep-{}.plan", folder.empty() ? "" : folder + "/",
                    core::to_hex(core::hash_bytes(std::as_bytes(std::span(plan)))));
    ISOTICK_TRY_ASSIGN(auto file, OutputFile::create(path, true));
    ISOTICK_TRY(file.write(plan + "\n"));
    ISOTICK_TRY(file.complete());
    return path;
}

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

Result<std::string> lockstep_command(const harness::LockstepReport& report,
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
    const std::string plan = to_string(report.shown.plan);
    if (text.size() + plan.size() > kLongestCommand) {
        ISOTICK_TRY_ASSIGN(const std::string path, write_plan(plan, options.folder));
        add("--plan", "@" + path);
    } else {
        add("--plan", plan);
    }
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
    if (run.course.first_tick != 0 || reads_files || plan.size() > kLongestCommand) {
        return "";
    }
    harness::Drive drive;
    drive.axes = {{"peer", fmt::format("{} of {}", run.peer, plan)}};
    return command_on_session("replay", options) + " --drive " + shell_word(to_string(drive));
}

}  // namespace isotick::program
