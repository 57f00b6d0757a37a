// `isotick netplay`.

#include "../../src/netplay/run.hpp"
#include "../../src/report/field_rows.hpp"
#include "../../src/system/files.hpp"
#include "../../src/system/rows.hpp"
#include "../../src/system/shell_words.hpp"
#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../json/trial_json.hpp"
#include "../options/options.hpp"
#include "../output/console.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "lockstep_options.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::Verdict;
using namespace harness::netplay;

struct NetplayCommandOptions : CommonOptions {
    std::vector<std::string> commands;
    std::optional<std::uint32_t> peers;
    std::string network = "broadband";
    std::vector<std::string> events;
    std::string drawn_events = "none";
    std::string length = "60s";
    std::string plan;
    std::optional<std::uint64_t> trials;
    std::string root_seed = "1";
    std::optional<std::uint64_t> most_shrinks;
    std::string fields;
    std::string folder;
    bool force = false;
};

// Options to values.

Result<DrawnEvents> drawn_events(const std::string& text) {
    DrawnEvents draws;
    if (text == "none") {
        return draws;
    }
    const std::pair<std::string_view, bool DrawnEvents::*> kinds[] = {
        {"pause", &DrawnEvents::pause},   {"cut", &DrawnEvents::cut},
        {"rebind", &DrawnEvents::rebind}, {"kill", &DrawnEvents::kill},
        {"leave", &DrawnEvents::leave},   {"join", &DrawnEvents::join}};
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        bool is_known = false;
        for (const auto& [name, member] : kinds) {
            if (word == name || word == "random") {
                draws.*member = true;
                is_known = true;
            }
        }
        if (!is_known) {
            return core::fail(ErrorCode::usage,
                              fmt::format("--events: expected none, random, or some of pause, cut, "
                                          "rebind, kill, leave, join, not '{}'",
                                          word));
        }
    }
    return draws;
}

Result<std::int64_t> length_option(const std::string& text) {
    core::TextCursor cursor(text);
    const auto time = cursor.read_duration();
    constexpr std::int64_t kLongest = 86'400 * kSecond;
    if (!time || !cursor.at_end() || time->nanoseconds < kSecond / 10 ||
        time->nanoseconds > kLongest) {
        return core::fail(ErrorCode::usage,
                          "--length: expected a time from 100ms to 86400s, not '" + text + "'");
    }
    return time->nanoseconds;
}

// A peer's number before a colon, as in `2:SPEED=3`; none: for all.
struct ForPeer {
    std::optional<std::uint32_t> peer;
    std::string text;
};

ForPeer for_peer(const std::string& text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    const bool has_peer = end != 0 && end != std::string::npos && end < 3 && text[end] == ':';
    return has_peer ? ForPeer{static_cast<std::uint32_t>(std::stoul(text)), text.substr(end + 1)}
                    : ForPeer{{}, text};
}

Result<std::vector<PeerProgram>> programs_of(const NetplayCommandOptions& options,
                                             std::uint32_t peers) {
    std::vector<PeerProgram> programs;
    for (const std::string& command : options.commands) {
        auto words = harness::shell_words(command);
        if (!words || words->empty()) {
            return core::fail(
                ErrorCode::usage,
                "--peer: expected a command such as './game --port {port}', not '" + command + "'");
        }
        programs.push_back({*std::move(words), {}});
    }
    const bool for_some = std::ranges::any_of(options.environment, [](const std::string& text) {
        return for_peer(text).peer.has_value();
    });
    if (for_some && programs.size() == 1) {
        programs.resize(peers, programs.front());
    }
    for (const std::string& text : options.environment) {
        const ForPeer variable = for_peer(text);
        if (variable.text.find('=') == std::string::npos || variable.text.front() == '=' ||
            variable.peer.value_or(0) >= peers) {
            return core::fail(ErrorCode::usage,
                              "--environment: expected NAME=VALUE, or 2:NAME=VALUE for peer 2, "
                              "not '" +
                                  text + "'");
        }
        for (std::uint32_t peer = 0; peer < programs.size(); ++peer) {
            if (!variable.peer || *variable.peer == peer) {
                programs[peer].environment.push_back(variable.text);
            }
        }
    }
    return programs;
}

bool names(std::string_view what, const std::vector<PeerProgram>& programs) {
    const auto has = [what](const std::string& text) {
        return text.find(what) != std::string::npos;
    };
    return std::ranges::any_of(programs, [&](const PeerProgram& program) {
        return std::ranges::any_of(program.words, has) ||
               std::ranges::any_of(program.environment, has);
    });
}

Result<harness::LockstepPlan> plan_option(const NetplayCommandOptions& options) {
    if (!options.plan.empty()) {
        LockstepCommandOptions lockstep;
        lockstep.plan = options.plan;
        return parse_plan(lockstep);
    }
    harness::LockstepPlan plan;
    plan.peers =
        options.peers.value_or(std::max(2U, static_cast<std::uint32_t>(options.commands.size())));
    auto network = harness::NetworkSpec::parse(options.network, read_link_trace);
    if (!network) {
        return tl::unexpected(about_option("--network", network.error()));
    }
    plan.network = *std::move(network);
    ISOTICK_TRY_ASSIGN(plan.events, event_options(options.events));
    return plan;
}

Result<NetplayOptions> netplay_options(const NetplayCommandOptions& options, Console& console) {
    NetplayOptions run;
    ISOTICK_TRY_ASSIGN(run.plan, plan_option(options));
    run.exact = !options.plan.empty();
    ISOTICK_TRY_ASSIGN(run.draws, drawn_events(options.drawn_events));
    ISOTICK_TRY_ASSIGN(run.length_ns, length_option(options.length));
    ISOTICK_TRY_ASSIGN(run.programs, programs_of(options, run.plan.peers));
    ISOTICK_TRY_ASSIGN(run.seed, seed_option(options.root_seed));
    run.trials = options.trials.value_or(10);
    run.timeout_ms = static_cast<std::uint64_t>(options.worker.timeout_seconds * 1000);
    run.jobs = options.worker.jobs;
    run.most_shrinks = options.most_shrinks.value_or(run.exact ? 0 : 200);
    run.records = names("{record}", run.programs);
    run.dumps = names("{dump}", run.programs);
    ISOTICK_TRY_ASSIGN(run.most_fields, fields_option(options.fields, options.json));
    if (!options.simulation.empty()) {
        ISOTICK_TRY_ASSIGN(const auto worker, worker_options(options.worker, "netplay", console));
        auto quiet = worker;
        quiet.on_progress = nullptr;  // sessions are counted, not their replays
        run.replay = harness::in_worker_processes(
            harness::SimulationName::chosen(options.simulation), quiet);
    }
    run.stop = stop_when_interrupted();
    run.on_progress = [&console](std::uint64_t done, std::uint64_t total) {
        console.progress("netplay", done, total);
    };
    return run;
}

// What it says.

// Without what only lockstep has.
std::string plan_text(const harness::LockstepPlan& plan) {
    const std::string text = to_string(plan);
    constexpr std::string_view kMode = "lockstep; ";
    return text.starts_with(kMode) ? text.substr(kMode.size()) : text;
}

std::string peers_text(const std::vector<std::uint32_t>& peers) {
    std::string text = peers.size() == 1 ? "peer " : "peers ";
    for (std::size_t i = 0; i < peers.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < peers.size() ? ", " : " and ") + std::to_string(peers[i]);
    }
    return text;
}

std::string end_text(const Life& life) {
    switch (life.state) {
        case LifeEnd::running:
            return "still running at the end";
        case LifeEnd::exited:
            return "exited";
        case LifeEnd::crashed:
            return life.end.signal != 0 ? harness::describe_end(life.end)
                                        : fmt::format("exited with code {}", life.end.exit_code);
        case LifeEnd::killed:
            return "killed (planned)";
        case LifeEnd::left:
            return "left (planned)";
        case LifeEnd::timed_out:
            return "hung";
        case LifeEnd::waiting:
            return "waits for a packet, and none can come";
    }
    return "";
}

const PeerRecording* recording_of(const NetplayTrial& trial, std::size_t life) {
    const auto found = std::ranges::find(trial.judgment.recordings, life, &PeerRecording::life);
    return found == trial.judgment.recordings.end() ? nullptr : &*found;
}

std::string silence_text(const Life& life) {
    std::string text;
    for (std::uint32_t other = 0; other < life.heard_from.size(); ++other) {
        if (other == life.peer) {
            continue;
        }
        const auto& heard = life.heard_from[other];
        if (!heard) {
            text += fmt::format("; nothing from peer {}", other);
        } else {
            text += fmt::format("; last packet from peer {} at {}", other,
                                harness::seconds_text(*heard));
        }
    }
    return text;
}

std::string peer_rows(const NetplayTrial& trial, bool with_silence) {
    std::string text;
    for (std::size_t i = 0; i < trial.session.runs.size(); ++i) {
        const Life& life = trial.session.runs[i];
        std::string line;
        if (const PeerRecording* recording = recording_of(trial, i)) {
            line = harness::counted(recording->ticks, "tick");
            line += recording->finished ? "" : ", unfinished";
        }
        line += (line.empty() ? "" : "; ") + end_text(life);
        if (life.state != LifeEnd::running) {
            line += " at " + harness::seconds_text(life.ended_ns);
        }
        line += with_silence ? silence_text(life) : "";
        if (life.overrun > 0) {
            line += fmt::format("; its sockets had no room for {}",
                                harness::counted(life.overrun, "packet"));
        }
        if (life.unheard > 0) {
            line +=
                fmt::format("; {} came to a closed port", harness::counted(life.unheard, "packet"));
        }
        if (life.unplaced > 0) {
            line += fmt::format("; it sent {} to unknown addresses",
                                harness::counted(life.unplaced, "packet"));
        }
        if (!life.refused.empty()) {
            line += "; " + life.refused;
        }
        // One that catches up after a pause does so for a moment.
        if (static_cast<std::int64_t>(life.spun) * kLookCost * 20 > life.ended_ns - life.began_ns) {
            line += fmt::format("; it read clocks or polled without blocking: {} took {} us each",
                                harness::counted(life.spun, "call"), kLookCost / 1000);
        }
        const std::string name = life.life == 0
                                     ? fmt::format("peer {}", life.peer)
                                     : fmt::format("peer {}, start {}", life.peer, life.life + 1);
        text += harness::paragraph(name, line);
    }
    return text;
}

std::string difference_rows(const NetplayTrial& trial) {
    const auto& found = trial.judgment.difference;
    if (!found) {
        return "";
    }
    std::string where = found->name;
    if (found->tick) {
        where += fmt::format(", first at tick {}", *found->tick);
    } else if (found->what == RecordingsDiffer::What::hash) {
        where += ", in the initial state";
    }
    if (!found->parts.empty()) {
        where += ", in " + core::joined(found->parts);
        if (found->parts_tick && found->parts_tick != found->tick) {
            where += fmt::format(" at tick {}, the next with part hashes", *found->parts_tick);
        }
    }
    std::string text = harness::row("differs", where);
    for (std::size_t i = 0; i < found->values.size(); ++i) {
        const ValueOf& value = found->values[i];
        const bool is_odd = found->has_majority && i > 0;
        text += harness::row("  " + peers_text(value.peers),
                             value.value + (is_odd ? ", unlike the others" : ""));
    }
    return text;
}

std::string field_rows(const NetplayReport& report) {
    if (!report.dumped) {
        return "";
    }
    const DumpedStates& dumped = *report.dumped;
    if (!dumped.compared) {
        return harness::paragraph("fields", dumped.missing);
    }
    harness::PageRow row = harness::differing_row(
        {}, {true, dumped.compared->differences, ""},
        fmt::format("peer {} → peer {}", dumped.first, dumped.second), kMoreFields, false);
    row.name = "fields";
    return harness::page_text({row});
}

std::string offline_row(const NetplayTrial& trial) {
    if (trial.replayed_offline == 0) {
        return "";
    }
    if (trial.offline.empty()) {
        return harness::paragraph(
            "offline", trial.replayed_offline == 1
                           ? "a replay computes what the peers recorded"
                           : "a replay computes what each of them recorded, from its own inputs");
    }
    std::string text;
    for (const OfflineDiffers& each : trial.offline) {
        text += harness::paragraph(
            "offline", fmt::format("peer {} did not compute what a replay of its own inputs does: "
                                   "they first differ at {}",
                                   each.peer, harness::describe_state(each.ticks_done)));
    }
    return text;
}

std::string command_text(const NetplayReport& report, const NetplayCommandOptions& options) {
    std::string text = shell_word(options.program) + " netplay";
    for (const std::string& command : options.commands) {
        text += " --peer " + shell_word(command);
    }
    for (const std::string& variable : options.environment) {
        text += " --environment " + shell_word(variable);
    }
    if (!options.simulation.empty()) {
        text += " --sim " + shell_word(options.simulation);
    }
    if (options.worker.timeout_seconds != WorkerText().timeout_seconds) {
        text += fmt::format(" --timeout {}", options.worker.timeout_seconds);
    }
    text += " --length " + core::to_string(core::FrameTime{report.shown.length_ns});
    return text + " --plan " + shell_word(plan_text(report.shown.plan));
}

std::string session_row(const NetplayReport& report, const NetplayCommandOptions& options) {
    const NetplayTrial& trial = report.shown;
    const bool is_smaller = report.shrinking && report.shrinking->original != trial.plan;
    const std::string which =
        options.plan.empty() ? fmt::format("trial {}", trial.number) : "--plan";
    return harness::paragraph(
        "session",
        fmt::format("{}{}: {}", which, is_smaller ? ", made smaller" : "", plan_text(trial.plan)));
}

std::string needs_rows(const NetplayReport& report) {
    if (!report.shrinking) {
        return "";
    }
    const NetplayShrinking& shrinking = *report.shrinking;
    const std::string tried = harness::counted(shrinking.sessions, "session");
    if (shrinking.unfinished) {
        return harness::paragraph("needs",
                                  fmt::format("not known: {} tried; --shrink allows more", tried));
    }
    if (shrinking.needs.empty()) {
        return harness::paragraph("needs",
                                  "nothing: it fails on a perfect network, without events");
    }
    std::string text;
    for (const std::string& need : shrinking.needs) {
        text += harness::paragraph(text.empty() ? "needs" : "", need);
    }
    return text +
           harness::paragraph(
               "", fmt::format("remove any of these, and this failure is gone ({} tried)", tried));
}

std::string total_rows(const NetplayReport& report) {
    std::string text;
    if (report.shown.judgment.recordings.empty()) {
        text =
            harness::paragraph("compared", "exit codes only: no peer left a recording at {record}");
    }
    std::string totals =
        fmt::format("{} compared; {}, {} lost", harness::counted(report.ticks_compared, "tick"),
                    harness::counted(report.packets, "packet"), harness::grouped(report.lost));
    if (report.stream_pieces > 0) {
        totals += fmt::format("; {} of TCP", harness::counted(report.stream_pieces, "piece"));
    }
    return text + harness::paragraph("all trials", totals);
}

std::string repeated_row(const NetplayReport& report) {
    const std::string differs = report.unlike.empty() ? "it ended differently" : report.unlike;
    return harness::paragraph("repeated",
                              report.same == report.repeated
                                  ? fmt::format("{} times, with the same packets", report.repeated)
                                  : "alike, not the same: " + differs);
}

std::string netplay_text(const NetplayReport& report, const NetplayCommandOptions& options,
                         Console& console) {
    const NetplayTrial& trial = report.shown;
    const bool is_failed = !report.failed.empty();
    std::string text = harness::heading(core::joined(options.commands, " | "));
    if (is_failed) {
        text += session_row(report, options) + difference_rows(trial) + field_rows(report) +
                offline_row(trial) + harness::paragraph("reason", trial.reason);
    }
    text += peer_rows(trial, trial.verdict == Verdict::stalled) + needs_rows(report);
    text += is_failed ? "" : offline_row(trial);
    text += total_rows(report) + repeated_row(report);
    if (is_failed && trial.verdict != Verdict::inconclusive) {
        text += harness::row("reproduce", command_text(report, options));
    }
    const std::string trials = harness::counted(report.trials, "session");
    const std::string outcome = is_failed
                                    ? fmt::format("{} of {} failed", report.failed.size(), trials)
                                    : fmt::format("{} of {} identical", report.identical, trials);
    const bool says_why = report.verdict != trial.verdict && !trial.reason.empty();
    return text + console.verdict(report.verdict) + "  " + (says_why ? trial.reason + "; " : "") +
           fmt::format("{}, {} of virtual time, seed {}\n", outcome,
                       harness::seconds_text(report.virtual_ns), report.seed);
}

Json time_json(const std::optional<std::int64_t>& ns) {
    return ns ? Json(static_cast<double>(*ns) / 1e6) : Json(nullptr);
}

Json times_json(const std::vector<std::optional<std::int64_t>>& times) {
    Json list = Json::array();
    for (const auto& time : times) {
        list.push_back(time_json(time));
    }
    return list;
}

constexpr std::string_view word_of(LifeEnd end) {
    switch (end) {
        case LifeEnd::running:
            return "running";
        case LifeEnd::exited:
            return "exited";
        case LifeEnd::crashed:
            return "crashed";
        case LifeEnd::killed:
            return "killed";
        case LifeEnd::left:
            return "left";
        case LifeEnd::timed_out:
            return "timed-out";
        case LifeEnd::waiting:
            return "waiting";
    }
    return "";
}

Json peer_json(const NetplayTrial& trial, std::size_t index) {
    const Life& life = trial.session.runs[index];
    const PeerRecording* const recording = recording_of(trial, index);
    return {{"peer", life.peer},
            {"life", life.life},
            {"state", word_of(life.state)},
            {"exit_code", life.end.exit_code},
            {"signal", life.end.signal},
            {"refused", text_json(life.refused)},
            {"began_ms", time_json(life.began_ns)},
            {"ended_ms", time_json(life.ended_ns)},
            {"ticks", recording == nullptr ? Json(nullptr) : Json(recording->ticks)},
            {"finished", recording != nullptr && recording->finished},
            {"recorded_ms", time_json(life.recorded_ns)},
            {"packets_sent", life.sent},
            {"last_sent_ms", times_json(life.sent_to)},
            {"last_heard_ms", times_json(life.heard_from)},
            {"looks_that_took_time", life.spun},
            {"packets_unheard", life.unheard},
            {"packets_overrun", life.overrun},
            {"packets_unplaced", life.unplaced},
            {"threads", life.threads}};
}

Json difference_json(const NetplayTrial& trial) {
    const auto& found = trial.judgment.difference;
    if (!found) {
        return nullptr;
    }
    constexpr const char* kWhat[] = {"session", "input", "dt", "hash"};
    Json values = Json::array();
    for (const ValueOf& value : found->values) {
        values.push_back({{"peers", value.peers}, {"value", value.value}});
    }
    return {{"what", kWhat[static_cast<std::size_t>(found->what)]},
            {"name", found->name},
            {"tick", found->tick ? Json(*found->tick) : Json(nullptr)},
            {"values", std::move(values)},
            {"majority", found->has_majority},
            {"parts", found->parts},
            {"parts_tick", found->parts_tick ? Json(*found->parts_tick) : Json(nullptr)}};
}

Json dumped_json(const NetplayReport& report) {
    if (!report.dumped) {
        return nullptr;
    }
    const DumpedStates& dumped = *report.dumped;
    return {{"peers", {dumped.first, dumped.second}},
            {"missing", text_json(dumped.missing)},
            {"differences", dumped.compared ? fields_json({true, dumped.compared->differences, ""})
                                            : Json(nullptr)}};
}

Json netplay_json(const NetplayReport& report, const NetplayCommandOptions& options) {
    const NetplayTrial& trial = report.shown;
    Json failed = Json::array();
    for (const auto& [number, verdict] : report.failed) {
        failed.push_back({{"trial", number}, {"verdict", std::string(to_string(verdict))}});
    }
    Json peers = Json::array();
    for (std::size_t i = 0; i < trial.session.runs.size(); ++i) {
        peers.push_back(peer_json(trial, i));
    }
    Json offline = Json::array();
    for (const OfflineDiffers& each : trial.offline) {
        offline.push_back({{"peer", each.peer},
                           {"tick", last_tick_json(each.ticks_done)},
                           {"recorded", to_string(each.recorded)},
                           {"computed", to_string(each.computed)}});
    }
    Json shrinking = nullptr;
    if (report.shrinking) {
        shrinking = {{"original", plan_text(report.shrinking->original)},
                     {"sessions", report.shrinking->sessions},
                     {"unfinished", report.shrinking->unfinished},
                     {"needs", report.shrinking->needs}};
    }
    return {{"commands", options.commands},
            {"verdict", std::string(to_string(report.verdict))},
            {"root_seed", root_seed_text(report.seed)},
            {"trials", report.trials},
            {"identical", report.identical},
            {"failed", std::move(failed)},
            {"virtual_ms", time_json(report.virtual_ns)},
            {"packets", report.packets},
            {"lost", report.lost},
            {"stream_pieces", report.stream_pieces},
            {"ticks_compared", report.ticks_compared},
            {"repeated", report.repeated},
            {"same", report.same},
            {"unlike", text_json(report.unlike)},
            {"shown",
             {{"trial", trial.number},
              {"verdict", std::string(to_string(trial.verdict))},
              {"reason", text_json(trial.reason)},
              {"plan", plan_text(trial.plan)},
              {"length_ms", time_json(trial.length_ns)},
              {"ended_ms", time_json(trial.session.ended_ns)},
              {"digest", to_string(trial.session.digest)},
              {"ticks_compared", trial.judgment.ticks},
              {"peers", std::move(peers)},
              {"difference", difference_json(trial)},
              {"replayed_offline", trial.replayed_offline},
              {"offline", std::move(offline)},
              {"reproduce", report.failed.empty() || trial.verdict == Verdict::inconclusive
                                ? Json(nullptr)
                                : Json(command_text(report, options))}}},
            {"fields", dumped_json(report)},
            {"shrinking", std::move(shrinking)}};
}

// What peers of the session that is shown have left, in the user's folder.
Result<void> keep_files(const NetplayTrial& trial, OutputFolder& folder) {
    const auto copy = [&folder](const std::string& from, const std::string& name) -> Result<void> {
        std::error_code error;
        std::filesystem::copy_file(from, folder.place(name), error);
        return error ? Result<void>(core::fail(ErrorCode::io,
                                               "cannot copy " + from + ": " + error.message()))
                     : Result<void>();
    };
    const auto name_of = [](const Life& life, const char* end) {
        return std::filesystem::path(life.recording).stem().string() + end;
    };
    for (std::size_t i = 0; i < trial.session.runs.size(); ++i) {
        const Life& life = trial.session.runs[i];
        ISOTICK_TRY(copy(life.output, name_of(life, ".txt")));
        if (const PeerRecording* recording = recording_of(trial, i)) {
            ISOTICK_TRY(copy(recording->path, name_of(life, ".isotick")));
        }
    }
    return folder.complete();
}

void tell_output(const NetplayTrial& trial, Console& console) {
    constexpr std::size_t kMostShown = 4096;
    for (const Life& life : trial.session.runs) {
        const bool failed = life.state == LifeEnd::crashed || life.state == LifeEnd::timed_out;
        std::ifstream file(life.output, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        std::string printed = text.str();
        if (failed && !printed.empty()) {
            const std::size_t from = printed.size() - std::min(printed.size(), kMostShown);
            console.printed(fmt::format("peer {}", life.peer), printed.substr(from));
            return;
        }
    }
}

Result<int> run_sessions(const NetplayCommandOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto run, netplay_options(options, console));
    std::optional<OutputFolder> kept;
    if (!options.folder.empty()) {
        std::vector<std::string> names;
        for (std::uint32_t peer = 0; peer < run.plan.peers; ++peer) {
            for (const char* end : {".isotick", ".txt"}) {
                names.push_back(fmt::format("peer-{}{}", peer, end));
                ISOTICK_TRY(check_output(options.folder + "/" + names.back(), options.force, {}));
            }
        }
        ISOTICK_TRY_ASSIGN(auto folder,
                           OutputFolder::create("-o", options.folder, std::move(names)));
        kept.emplace(std::move(folder));
    }
    ISOTICK_TRY_ASSIGN(const auto folder, harness::TemporaryFolder::make(harness::temporary_place(),
                                                                         "isotick-", 0700));
    run.folder = folder.path();
    ISOTICK_TRY_ASSIGN(const NetplayReport report, run_netplay(run));
    ISOTICK_TRY(kept ? keep_files(report.shown, *kept) : Result<void>());
    tell_output(report.shown, console);
    console.print(options.json ? document(netplay_json(report, options))
                               : netplay_text(report, options, console));
    return exit_code(report.verdict);
}

int run_netplay_command(const NetplayCommandOptions& options, Console& console) {
    if (options.commands.empty()) {
        console.error("name the program of the peers with --peer");
        return 2;
    }
    if (options.trials == 0U) {
        console.error("--trials: expected at least 1");
        return 2;
    }
    const auto code = run_sessions(options, console);
    return code ? *code : fail_with(code.error(), console);
}

Action declare_netplay(OptionList& list, CommandFrame& frame) {
    auto options = common_options<NetplayCommandOptions>(list, frame);
    list.texts("--peer", options->commands, "COMMAND",
               "A peer's program; once for all peers, or once for each");
    list.number("--peers", options->peers, "NUMBER", "How many peers; default: 2");
    list.text("--network", options->network, "PROFILE|SPEC",
              "lan, broadband, mobile, satellite, awful, 'mobile loss=8%'");
    list.texts("--event", options->events, "EVENT",
               "'pause 1@3s+2s' (at 3 s, for 2 s), kill, leave, join, rebind");
    list.text("--events", options->drawn_events, "none|random|KINDS",
              "Draw events in each trial: all kinds, or such as pause,cut");
    list.text("--length", options->length, "TIME", "Most virtual time of a session");
    list.number("--trials", options->trials, "NUMBER",
                "Sessions; trial 0 has a perfect network and no events; default: 10");
    list.text("--seed", options->root_seed, "SEED", "Root seed of the trials");
    list.text("--plan", options->plan, "PLAN|@FILE",
              "Run exactly this session, as a report prints it, or the one in FILE");
    list.excludes("--plan", {"--peers", "--network", "--event", "--events", "--trials", "--seed"});
    list.texts("--environment", options->environment, "[PEER:]NAME=VALUE",
               "A variable of all peers, or of one (2:SPEED=3); repeatable");
    list.text("--sim", options->simulation, "SIM",
              "Replay the recordings offline with this simulation, too");
    list.text("--fields", options->fields, "NUMBER|all",
              "Differing fields to list per kind, with {dump}; default: 3; JSON: all");
    list.number("--shrink", options->most_shrinks, "NUMBER",
                "Sessions to spend simplifying a failure; default: 200");
    list.text("-o,--output", options->folder, "FOLDER",
              "Save each peer's recording and output from the shown session");
    list.flag("--force", options->force, "Replace files that exist");
    list.seconds("--timeout", options->worker.timeout_seconds,
                 "Real time that a peer may run without blocking; 0: no limit");
    list.number("--jobs", options->worker.jobs,
                "Sessions to run in parallel; 0: one per processor");
    return [options, &frame] { return run_netplay_command(*options, frame.console); };
}

}  // namespace

extern const Command kNetplayCommand;
const Command kNetplayCommand{
    "netplay", "Run programs as peers over a bad network, in virtual time",
    "In COMMAND and VALUE, {peer} is the peer's number, {port} its port, {record} the path for\n"
    "its recording, {address:0} the address and port of peer 0, and {dump} where to leave a\n"
    "state that differs. See NETPLAY.md.\n"
    "\n"
    "Example:\n"
    "  isotick netplay --peer './game --port {port} --join {address:0} --record {record}' \\\n"
    "      --peers 4 --network mobile --events pause,cut",
    declare_netplay};

}  // namespace isotick::program
