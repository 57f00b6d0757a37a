// `isotick lockstep`.

#include "../../src/report/lockstep_rows.hpp"
#include "../../src/system/files.hpp"
#include "../../src/system/posix.hpp"
#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../json/trial_json.hpp"
#include "../options/options.hpp"
#include "../output/console.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "../reporters/report_files.hpp"
#include "lockstep_options.hpp"
#include "time_line_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/lockstep.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

// What `isotick lockstep` says.

/// `reproduce`: the command that does; empty: none.
[[nodiscard]] std::string lockstep_text(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options,
                                        const std::string& reproduce, const Console& console);
[[nodiscard]] Json lockstep_json(const harness::LockstepReport& report,
                                 const LockstepCommandOptions& options,
                                 const std::string& reproduce);

std::string lockstep_text(const harness::LockstepReport& report,
                          const LockstepCommandOptions& options, const std::string& reproduce,
                          const Console& console) {
    const harness::LockstepWords words{
        options.recording.empty() ? report.head.session.simulation : options.recording,
        !options.plan.empty(), kMoreFields, reproduce, peer_command(report, options)};
    return harness::lockstep_text(report, words,
                                  console.headline(lockstep_word(report), report.verdict));
}

namespace {

using harness::LockstepDivergence;
using harness::LockstepReport;
using harness::LockstepTrial;
using harness::PeerOutcome;

Json milliseconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

Json peer_json(const PeerOutcome& outcome) {
    const harness::PeerRun& run = outcome.run;
    const harness::PeerStatistics& counted = run.statistics;
    return {{"peer", run.peer},
            {"incarnation", run.incarnation},
            {"state", run.killed ? "killed" : std::string(to_string(run.state))},
            {"verdict", std::string(to_string(outcome.result.verdict))},
            {"first_tick", run.course.first_tick},
            {"verified", run.verified},
            {"began_ms", milliseconds(run.began_ns)},
            {"ended_ms", milliseconds(run.ended_ns)},
            {"steps", counted.steps},
            {"run_again", counted.run_again},
            {"rollbacks", counted.rollbacks},
            {"most_back", counted.most_back},
            {"stalls", counted.stalls},
            {"waits", counted.waits},
            {"input_delay", counted.input_delay},
            {"packets_sent", counted.packets_sent},
            {"bytes_sent", counted.bytes_sent},
            {"packets_refused", counted.packets_refused},
            {"complaints", run.complaints}};
}

Json divergence_json(const LockstepTrial& trial) {
    if (!trial.divergence) {
        return nullptr;
    }
    const LockstepDivergence& found = *trial.divergence;
    return {{"peer", trial.outcomes[found.outcome].run.peer},
            {"tick", last_tick_json(found.ticks_done)},
            {"offline", to_string(found.offline)},
            {"computed", to_string(found.computed)},
            {"others", found.others},
            {"all_peers", found.all_peers},
            {"provoking_axes", axes_json(found.chance)},
            {"reads", reads_json(found.reads)},
            {"parts", found.parts},
            {"fields", fields_json(found.fields)}};
}

Json mismatch_json(const LockstepTrial& trial) {
    if (!trial.mismatch) {
        return nullptr;
    }
    return {{"tick", trial.mismatch->tick.value},
            {"minority", trial.mismatch->minority},
            {"two_faced", optional_json(trial.mismatch->two_faced)}};
}

Json shown_json(const LockstepReport& report, const std::string& reproduce) {
    const LockstepTrial& trial = report.shown;
    Json peers = Json::array();
    for (const PeerOutcome& outcome : trial.outcomes) {
        peers.push_back(peer_json(outcome));
    }
    return {{"trial", trial.number},
            {"verdict", std::string(to_string(trial.verdict))},
            {"reason", text_json(trial.reason)},
            {"plan", to_string(trial.plan)},
            {"ticks", trial.ticks},
            {"ended_ms", milliseconds(trial.ended_ns)},
            {"peers", std::move(peers)},
            {"divergence", divergence_json(trial)},
            {"noticed", mismatch_json(trial)},
            {"needs", trial.shrinking ? Json(trial.shrinking->needs) : Json::array()},
            {"reproduce", text_json(reproduce)}};
}

}  // namespace

Json lockstep_json(const LockstepReport& report, const LockstepCommandOptions& options,
                   const std::string& reproduce) {
    const harness::LockstepTotals& totals = report.totals;
    Json failed = Json::array();
    for (const auto& [number, verdict] : report.failed) {
        failed.push_back({{"trial", number}, {"verdict", std::string(to_string(verdict))}});
    }
    return {{"recording", text_json(options.recording)},
            {"session", session_json(report.head.session)},
            {"ticks", report.ticks},
            {"verdict", std::string(to_string(report.verdict))},
            {"offline", std::string(to_string(report.offline.verdict))},
            {"root_seed", root_seed_text(report.seed)},
            {"trials", report.trials},
            {"identical", report.identical},
            {"failed", std::move(failed)},
            {"totals",
             {{"hashes_compared", totals.hashes_compared},
              {"confirmed", totals.confirmed},
              {"steps", totals.steps},
              {"run_again", totals.run_again},
              {"rollbacks", totals.rollbacks},
              {"most_back", totals.most_back},
              {"stalls", totals.stalls},
              {"waits", totals.waits},
              {"packets", totals.packets},
              {"bytes", totals.bytes}}},
            {"shown", report.trials == 0 ? Json(nullptr) : shown_json(report, reproduce)}};
}

namespace {

using core::ErrorCode;
using core::Result;
using harness::LockstepPlan;
using harness::LockstepReport;
using harness::SimulationFacts;

/// What is run: the user's recording, or one that was made for it.
struct Session {
    std::string recording;
    harness::SimulationName simulation;
    SimulationFacts facts;
    replay::RecordingHead head;
};

// What the plan needs of the simulation and the session.
Result<void> check_lockstep_fit(const harness::LockstepOptions& options,
                                const SimulationFacts& facts) {
    const auto is_join = [](const harness::PeerEvent& event) {
        return event.kind == harness::PeerEvent::Kind::join;
    };
    const bool joins = options.draws_events || std::ranges::any_of(options.plan.events, is_join);
    if ((facts.capabilities & ISOTICK_CAN_SAVE) == 0 &&
        (joins || options.plan.mode == harness::PeerMode::rollback)) {
        return core::fail(ErrorCode::usage,
                          fmt::format("{} takes no snapshots (save and load), which {} needs",
                                      facts.name, joins ? "a peer that joins" : "rollback"));
    }
    return {};
}

/// What a session must be, for the plan.
struct Planned {
    std::optional<std::uint32_t> playing;  ///< peers
    std::uint64_t ticks = 0;               ///< 0: it does not say
};

Result<Planned> planned_session(const LockstepCommandOptions& options) {
    if (options.plan.empty()) {
        return Planned{options.peers ? std::optional(*options.peers -
                                                     std::min(*options.peers, options.spectators))
                                     : std::nullopt,
                       0};
    }
    ISOTICK_TRY_ASSIGN(const LockstepPlan plan, parse_plan(options));
    return Planned{plan.peers - std::min(plan.peers, plan.spectators), plan.ticks};
}

/// Where its recordings are made: in the user's folder, or in one that goes with the command.
struct Place {
    std::optional<OutputFolder> kept;
    std::optional<harness::TemporaryFolder> temporary;

    [[nodiscard]] const std::string& path() const {
        return kept ? kept->place() : temporary->path();
    }
};

constexpr const char* kSession = "session.isotick";

Result<Session> record_session(const LockstepCommandOptions& options, const Prepared& prepared,
                               const Place& place, Console& console) {
    const auto simulation = harness::SimulationName::chosen(options.simulation);
    ISOTICK_TRY_ASSIGN(auto facts, facts_from_worker(simulation, prepared.worker));
    ISOTICK_TRY_ASSIGN(const Planned planned, planned_session(options));
    if (planned.playing && *planned.playing > facts.most_players) {
        return core::fail(
            ErrorCode::usage,
            fmt::format("{} takes {} at most, too few for {} to play", facts.name,
                        counted(facts.most_players, "player"), counted(*planned.playing, "peer")));
    }
    RecordOptions record = options;
    record.output = place.path() + "/" + kSession;
    record.inputs = "";
    record.ticks = options.session_ticks.value_or(planned.ticks != 0 ? planned.ticks : 1200);
    record.players = record.players ? record.players : planned.playing;
    ISOTICK_TRY_ASSIGN(const auto plan, plan_record(record, prepared, facts));
    ISOTICK_TRY_ASSIGN(const auto recorded, record_in_worker(simulation, plan, prepared.worker));
    if (!recorded.output.empty()) {
        console.printed("the simulation", recorded.output);
    }
    if (recorded.error) {
        return tl::unexpected(*recorded.error);
    }
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(record.output));
    return Session{record.output, simulation, std::move(facts), reader.head()};
}

Result<Session> open_session(const LockstepCommandOptions& options, const Prepared& prepared,
                             const Place& place, Console& console) {
    if (options.recording.empty()) {
        return record_session(options, prepared, place, console);
    }
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(options.recording));
    const auto simulation = simulation_of(reader.head(), options.simulation);
    ISOTICK_TRY_ASSIGN(auto facts, facts_from_worker(simulation, prepared.worker));
    ISOTICK_TRY(harness::check_match(reader.head(), facts));
    return Session{options.recording, simulation, std::move(facts), reader.head()};
}

// `2=PATH`
Result<void> add_build(const std::string& text, const harness::WorkerOptions& worker,
                       harness::LockstepOptions& options) {
    const std::size_t at = text.find('=');
    std::uint32_t peer = 0;
    const bool is_number = at != std::string::npos && at > 0 && at < 3 &&
                           std::ranges::all_of(text.substr(0, at), [&peer](char digit) {
                               peer = peer * 10 + static_cast<std::uint32_t>(digit - '0');
                               return digit >= '0' && digit <= '9';
                           });
    if (!is_number || peer >= options.plan.peers || at + 1 == text.size()) {
        return core::fail(
            ErrorCode::usage,
            "--peer-sim: expected a peer and a simulation such as 2=./other.so, not '" + text +
                "'");
    }
    options.other_builds.insert_or_assign(
        peer,
        harness::in_worker_processes(harness::SimulationName::chosen(text.substr(at + 1)), worker));
    return {};
}

Result<harness::LockstepOptions> plan_run(const LockstepCommandOptions& options,
                                          const Prepared& prepared, const Session& session,
                                          const Place& place, Console& console) {
    harness::LockstepOptions plan;
    ISOTICK_TRY_ASSIGN(
        plan.plan, lockstep_plan(options, session.head.session.players, session.head.session.rate));
    plan.exact = !options.plan.empty();
    plan.draws_events = options.drawn_events == "random";
    ISOTICK_TRY(check_lockstep_fit(plan, session.facts));
    plan.trials = options.trials.value_or(10);
    if (options.root_seed) {
        ISOTICK_TRY_ASSIGN(plan.seed, seed_option(*options.root_seed));
    }
    plan.ticks = options.session_ticks.value_or(0);
    plan.environment = prepared.environment;
    for (const std::string& build : options.peer_simulations) {
        ISOTICK_TRY(add_build(build, prepared.worker, plan));
    }
    ISOTICK_TRY_ASSIGN(plan.most_fields, fields_option(options.fields, options.json));
    if (!plan.exact || !options.shrink.empty()) {
        ISOTICK_TRY_ASSIGN(plan.shrink_ticks, shrink_option(options.shrink));
    } else {
        plan.shrink_ticks.reset();  // it is as small as it was made
    }
    plan.folder = place.kept ? place.path() : "";
    plan.time_lines = !options.time_line.empty();
    plan.on_progress = [&console](std::uint64_t done, std::uint64_t total) {
        console.progress("lockstep", done, total);
    };
    return plan;
}

std::vector<std::string> read_by(const LockstepCommandOptions& options, const Prepared& prepared) {
    auto read = files_read(options, prepared.schedule);
    read.push_back(options.recording);
    read.push_back(plan_file(options));
    return read;
}

// Nothing that is there is overwritten, and least of all what is read.
Result<Place> make_place(const LockstepCommandOptions& options, const Prepared& prepared) {
    Place place;
    if (options.folder.empty()) {
        if (options.recording.empty()) {
            ISOTICK_TRY_ASSIGN(auto folder, harness::TemporaryFolder::make(
                                                harness::temporary_place(), "isotick-", 0700));
            place.temporary.emplace(std::move(folder));
        }
        return place;
    }
    const auto read = read_by(options, prepared);
    std::vector<std::string> names{kSession};
    for (std::uint32_t peer = 0; peer < harness::kMostPeers; ++peer) {
        names.push_back(fmt::format("peer-{}.isotick", peer));
    }
    for (const std::string& name : names) {
        ISOTICK_TRY(check_output(options.folder + "/" + name, options.force, read));
    }
    ISOTICK_TRY_ASSIGN(auto folder, OutputFolder::create("-o", options.folder, std::move(names)));
    place.kept.emplace(std::move(folder));
    return place;
}

Result<void> complete(Place& place) {
    return place.kept ? place.kept->complete() : Result<void>();
}

// They are kept where a time line is wanted.
bool has_moments(const LockstepTrial& trial) {
    return std::ranges::any_of(
        trial.outcomes, [](const PeerOutcome& outcome) { return !outcome.run.moments.empty(); });
}

Report report_of(const LockstepReport& report, const LockstepCommandOptions& options,
                 const std::string& reproduce, const Console& console) {
    ReportedRecording one;
    one.simulation = report.head.session.simulation;
    one.recording = options.recording.empty() ? one.simulation : options.recording;
    one.verdict = report.verdict;
    one.reason = report.shown.reason;
    one.ticks = report.ticks;
    one.trials_run = report.trials;
    one.trials_identical = report.identical;
    one.seed = root_seed_text(report.seed);
    one.drive = to_string(report.shown.plan);
    if (!reproduce.empty()) {
        one.rows.push_back({"reproduce", reproduce, {}, true});
    }
    one.page = lockstep_text(report, options, reproduce, console);
    one.signature.cause = report.shown.reason;
    if (const auto& divergence = report.shown.divergence) {
        one.signature.parts = divergence->parts;
        for (const core::FieldKind& kind : divergence->fields.differences.kinds) {
            one.fields.push_back(kind.path);
        }
    }
    one.result = lockstep_json(report, options, reproduce);
    one.time_line = has_moments(report.shown) ? harness::time_line_svg(report) : "";
    std::string json = document(one.result);
    return {"lockstep", report.verdict, "", false, {std::move(one)}, std::move(json)};
}

Result<int> show_lockstep(const LockstepReport& report, const LockstepCommandOptions& options,
                          ReportFiles& files, Console& console) {
    for (const harness::PeerOutcome& outcome : report.shown.outcomes) {
        if (!outcome.result.output.empty()) {
            console.printed(fmt::format("peer {}", outcome.run.peer), outcome.result.output);
            break;
        }
    }
    ISOTICK_TRY(write_time_line(report, options));
    bool is_told = false;  // why there is no command
    const auto make = [&](const LockstepCommandOptions& shown) {
        const auto reproduce =
            report.failed.empty() ? Result<std::string>("") : lockstep_command(report, shown);
        if (!reproduce && !std::exchange(is_told, true)) {
            console.error(describe(reproduce.error()));
        }
        return report_of(report, shown, reproduce.value_or(""), console);
    };
    // What is more than text for the user may be passed on: it shows what may be shared.
    LockstepCommandOptions shared = options;
    shared.environment = shared_environment(options);
    const Report said = make(options.json ? shared : options);
    console.print(options.json ? report_json(said) : report_text(said));
    ISOTICK_TRY(files.empty() ? Result<void>() : files.write(make(shared), console));
    return exit_code(report.verdict);
}

Result<int> run_session(const LockstepCommandOptions& options, Console& console) {
    ISOTICK_TRY(check_time_line(options));
    ISOTICK_TRY_ASSIGN(auto prepared, prepare(options, "lockstep", console));
    prepared.worker.on_progress = nullptr;  // trials are counted, not their peers
    ISOTICK_TRY_ASSIGN(auto files, ReportFiles::create(options.report, read_by(options, prepared)));
    ISOTICK_TRY_ASSIGN(auto place, make_place(options, prepared));
    ISOTICK_TRY_ASSIGN(const auto session, open_session(options, prepared, place, console));
    ISOTICK_TRY_ASSIGN(auto plan, plan_run(options, prepared, session, place, console));
    plan.time_lines = plan.time_lines || !files.empty();
    const auto runner = in_worker_processes(session.simulation, prepared.worker);
    ISOTICK_TRY_ASSIGN(const auto report, run_lockstep(session.recording, plan, runner));
    ISOTICK_TRY(complete(place));
    return show_lockstep(report, options, files, console);
}

int run_lockstep(const LockstepCommandOptions& options, Console& console) {
    if (std::ranges::any_of(options.report,
                            [](const std::string& one) { return one.starts_with("result:"); })) {
        console.error("--report result: only verify has results for isotick merge");
        return 2;
    }
    if (options.recording.empty() && options.simulation.empty()) {
        console.error("name a recording, or a simulation with --sim");
        return 2;
    }
    if (options.trials == 0U) {
        console.error("--trials: expected at least 1");
        return 2;
    }
    const auto code = run_session(options, console);
    return code ? *code : fail_with(code.error(), console);
}

void add_session_options(OptionList& list, LockstepCommandOptions& options) {
    list.number("--ticks", options.session_ticks, "NUMBER",
                "Ticks to run; default: the whole recording, or 1200 if new");
    list.text("--session-seed", options.seed, "SEED", "Seed, if a new session is recorded first");
    add_settings(list, "--config", options.config,
                 "New session's config; see isotick sims NAME; repeatable");
    list.number("--players", options.players, "NUMBER",
                "New session's players; default: one per peer");
}

void add_plan_options(OptionList& list, LockstepCommandOptions& options) {
    list.number("--peers", options.peers, "NUMBER", "How many peers; default: one for each player");
    list.number("--spectators", options.spectators, "How many peers (the last ones) only watch", 0,
                harness::kMostPeers);
    list.choice("--mode", options.mode, {"lockstep", "rollback"},
                "Peers wait for inputs, or guess them and roll back");
    list.text("--network", options.network, "PROFILE|SPEC",
              "lan, broadband, mobile, satellite, awful, 'mobile loss=8%'");
    list.number("--delay", options.delay, "TICKS",
                "Input delay; default: 2, but adapted to the network in lockstep mode");
    list.number("--guess", options.guess, "Most ticks a rollback peer runs ahead on guesses", 1,
                128);
    list.texts("--event", options.events, "EVENT",
               "'leave 2@10s' (at 10 s), kill, join, 'pause 1@3s+2s'; repeatable");
    list.choice("--events", options.drawn_events, {"none", "random"},
                "random: each trial picks when peers come, go, and are cut off");
    list.texts("--fault", options.faults, "FAULT",
               "Make a peer misbehave: '2 wrong-hashes'; see LOCKSTEP.md; repeatable");
    list.texts("--peer-sim", options.peer_simulations, "PEER=SIM",
               "That peer runs another build; repeatable");
    list.text("--plan", options.plan, "PLAN|@FILE",
              "Run exactly this plan, as a report prints it, or the one in FILE");
}

Action declare_lockstep(OptionList& list, CommandFrame& frame) {
    auto options = common_options<LockstepCommandOptions>(list, frame);
    options->simulation = frame.only_simulation();
    list.argument("recording", options->recording, "The recording; if omitted, one is made first");
    add_simulation(list, *options, "The simulation, instead of the recording's");
    add_with_environment(list, *options);
    add_plan_options(list, *options);
    list.number("--trials", options->trials, "NUMBER",
                "Trials, each with its own frame times and packet fates; default: 10");
    list.text("--seed", options->root_seed, "SEED",
              "Root seed of the trials: a number; default: from the session");
    list.excludes("--plan", {"--peers", "--spectators", "--mode", "--network", "--delay", "--guess",
                             "--event", "--events", "--fault", "--trials", "--seed"});
    list.excludes("--events", {"--event"});
    add_session_options(list, *options);
    list.text("-o,--output", options->folder, "FOLDER",
              "Save each peer's recording there, for the trial in the report");
    list.text("--time-line", options->time_line, "FILE",
              "Draw what peers do in the report's trial: FILE.svg or FILE.json");
    add_report(list, options->report);
    list.flag("--force", options->force, "Replace files that exist");
    list.text("--fields", options->fields, "NUMBER|all",
              "Differing fields to list per kind; default: 3; JSON: all; 0: none");
    add_shrink(list, options->shrink);
    list.describe("--shrink", "Ticks to spend simplifying a failure; default: 120 replays' worth");
    add_worker(list, options->worker, true);
    return [options, &frame] { return run_lockstep(*options, frame.console); };
}

}  // namespace

extern const Command kLockstepCommand;
const Command kLockstepCommand{"lockstep", "Run a session as peers over a bad network",
                               "Example:\n"
                               "  isotick lockstep --sim skirmish --peers 4 --network awful\n"
                               "  isotick lockstep s.isotick --mode rollback --network mobile",
                               declare_lockstep};

}  // namespace isotick::program
