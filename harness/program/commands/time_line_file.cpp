#include "time_line_file.hpp"

#include "../json/json_pieces.hpp"
#include "../json/trial_json.hpp"
#include "../output/output_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/lockstep.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::LockstepTrial;
using harness::PeerOutcome;

constexpr std::string_view kJsonName = ".json";
constexpr std::string_view kSvgName = ".svg";

std::string_view fate_text(harness::PacketFate fate) {
    switch (fate) {
        case harness::PacketFate::lost:
            return "lost";
        case harness::PacketFate::overflowed:
            return "overflowed";
        case harness::PacketFate::cut_off:
            return "cut-off";
        case harness::PacketFate::late:
            return "late";
        case harness::PacketFate::twice:
            return "twice";
    }
    return "";
}

Json run_json(const PeerOutcome& outcome) {
    const harness::PeerRun& run = outcome.run;
    Json frames = Json::array();
    for (const harness::PeerMoment& moment : run.moments) {
        frames.push_back({moment.at_ns, moment.tick, moment.confirmed, moment.back, moment.steps,
                          moment.stalled ? 1 : 0, moment.waits ? 1 : 0});
    }
    return {{"peer", run.peer},
            {"incarnation", run.incarnation},
            {"state", run.killed ? "killed" : std::string(to_string(run.state))},
            {"first_tick", run.course.first_tick},
            {"began_ns", run.began_ns},
            {"ended_ns", run.ended_ns},
            {"frames", std::move(frames)}};
}

Json time_line_divergence_json(const LockstepTrial& trial) {
    if (!trial.divergence) {
        return nullptr;
    }
    const harness::LockstepDivergence& found = *trial.divergence;
    return {{"run", found.outcome},
            {"frame", found.context.frame},
            {"tick", last_tick_json(found.ticks_done)}};
}

// A line for each member, since they can be long.
std::string in_lines(const Json& members) {
    std::string text = beginning_of_document();
    const char* between = "";
    for (const auto& [key, value] : members.items()) {
        text += between + in_one_line(key) + ": " + in_one_line(value);
        between = ",\n";
    }
    return text + "}\n";
}

bool has_format(std::string_view path) {
    return path.ends_with(kJsonName) || path.ends_with(kSvgName);
}

}  // namespace

Result<void> check_time_line(const LockstepCommandOptions& options) {
    if (options.time_line.empty()) {
        return {};
    }
    if (!has_format(options.time_line)) {
        return core::fail(ErrorCode::usage,
                          "--time-line: expected a file that ends in .svg or "
                          ".json, not '" +
                              options.time_line + "'");
    }
    return check_output(options.time_line, options.force, {options.recording});
}

Result<void> write_time_line(const harness::LockstepReport& report,
                             const LockstepCommandOptions& options) {
    if (options.time_line.empty() || report.trials == 0) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto file, OutputFile::create(options.time_line, options.force));
    ISOTICK_TRY(file.write(options.time_line.ends_with(kJsonName)
                               ? time_line_json(report)
                               : harness::time_line_svg(report)));
    return file.complete();
}

std::string time_line_json(const harness::LockstepReport& report) {
    const LockstepTrial& trial = report.shown;
    Json runs = Json::array();
    for (const PeerOutcome& outcome : trial.outcomes) {
        runs.push_back(run_json(outcome));
    }
    Json packets = Json::array();
    for (const harness::LoggedPacket& packet : trial.logged) {
        packets.push_back({packet.from, packet.to, packet.number, packet.sent_ns,
                           fate_text(packet.fate), packet.by_ns});
    }
    const core::TickRate rate = report.head.session.rate;
    const Json json{
        {"simulation", report.head.session.simulation},
        {"tick_rate", to_string(rate)},
        {"trial", trial.number},
        {"plan", to_string(trial.plan)},
        {"ticks", trial.ticks},
        {"ended_ns", trial.ended_ns},
        {"verdict", std::string(to_string(trial.verdict))},
        {"divergence", time_line_divergence_json(trial)},
        {"frame_columns", {"at_ns", "tick", "confirmed", "back", "steps", "stalled", "held_back"}},
        {"runs", std::move(runs)},
        {"packet_columns", {"from", "to", "number", "sent_ns", "fate", "by_ns"}},
        {"packets", std::move(packets)}};
    return in_lines(json);
}

}  // namespace isotick::program
