#include "../../../src/report/lockstep/lockstep_rows.hpp"
#include "../../json/json_pieces.hpp"
#include "../../json/trial_json.hpp"
#include "../../output/report_words.hpp"
#include "lockstep_text.hpp"

#include <utility>

namespace isotick::program {
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

std::string lockstep_json(const LockstepReport& report, const LockstepCommandOptions& options,
                          const std::string& reproduce) {
    const harness::LockstepTotals& totals = report.totals;
    Json failed = Json::array();
    for (const auto& [number, verdict] : report.failed) {
        failed.push_back({{"trial", number}, {"verdict", std::string(to_string(verdict))}});
    }
    return document(
        {{"recording", text_json(options.recording)},
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
         {"shown", report.trials == 0 ? Json(nullptr) : shown_json(report, reproduce)}});
}

}  // namespace isotick::program
