#include "report_json.hpp"

#include "../commands/minimize.hpp"
#include "../output/text.hpp"
#include "json_pieces.hpp"
#include "trial_json.hpp"

#include <isotick/core/loops.hpp>

namespace isotick::program {
namespace {

Json facts_json(const harness::SimulationFacts& facts) {
    return {{"name", facts.name},
            {"summary", facts.summary},
            {"config_help", facts.config_help},
            {"build_id", facts.build_id},
            {"hash_algorithm", facts.hash_algorithm},
            {"nan_policy", facts.nan_policy},
            {"rate", to_string(facts.rate)},
            {"least_players", facts.least_players},
            {"most_players", facts.most_players},
            {"usual_players", facts.usual_players},
            {"capabilities", facts.capabilities},
            {"has_bot", facts.has_bot},
            {"calls", calls_json(facts.calls)}};
}

Json loop_json(const core::LoopInfo& info) {
    return {{"name", info.name},
            {"summary", info.summary},
            {"source", info.source},
            {"constant_dt", info.constant_dt},
            {"varies_ticks_per_frame", info.varies_ticks_per_frame},
            {"own_thread", info.own_thread},
            {"blends", info.blends},
            {"options", std::vector<std::string>(info.options.begin(), info.options.end())}};
}

}  // namespace

std::string record_json(const std::string& path, const harness::RecordResult& result) {
    return document({{"path", path},
                     {"ticks", result.ticks},
                     {"frames", result.frames},
                     {"inputs_present", result.inputs_present},
                     {"last_hash", to_string(result.last_hash)},
                     {"session_digest", to_string(result.session_digest)}});
}

std::string import_json(const std::string& path, const harness::ImportResult& result) {
    return document({{"path", path},
                     {"simulation", result.session.simulation},
                     {"ticks", result.ticks},
                     {"finished", result.finished},
                     {"computed", result.computed},
                     {"last_hash", to_string(result.last_hash)},
                     {"session_digest", to_string(result.session_digest)}});
}

std::string export_json(const std::string& path, const harness::ExportResult& result) {
    Json json{{"path", path},
              {"ticks", result.ticks},
              {"finished", result.finished},
              {"inputs_described", result.inputs_described},
              {"inputs_in_hex", result.inputs_in_hex}};
    json["damage"] = damage_json(result.damage);
    return document(std::move(json));
}

std::string sims_json(std::span<const harness::SimulationFacts> simulations) {
    Json json = Json::array();
    for (const harness::SimulationFacts& facts : simulations) {
        json.push_back(facts_json(facts));
    }
    return document({{"simulations", std::move(json)}});
}

std::string loops_json(std::span<const core::LoopInfo> loops) {
    Json json = Json::array();
    for (const core::LoopInfo& info : loops) {
        json.push_back(loop_json(info));
    }
    return document({{"loops", std::move(json)}});
}

std::string check_json(const std::string& simulation, const harness::CheckReport& report) {
    Json checks = Json::array();
    for (const harness::CheckResult& check : report.checks) {
        Json one{{"name", check.name}, {"expected", check.expected}};
        if (check.outcome == harness::CheckOutcome::failed) {
            one.update({{"outcome", "failed"}, {"came", check.came}, {"advice", check.advice}});
        } else if (check.outcome == harness::CheckOutcome::left_out) {
            one.update({{"outcome", "left-out"}, {"reason", check.came}});
        } else {
            one["outcome"] = "ok";
        }
        checks.push_back(std::move(one));
    }
    return document({{"checked", simulation},
                     {"simulation", report.simulation},
                     {"failed", report.count(harness::CheckOutcome::failed)},
                     {"checks", std::move(checks)}});
}

std::string minimized_json(const harness::VerifyReport& report, const harness::FailedTrial& trial,
                           const Minimized& minimized, const MinimizeOptions& options) {
    Json json{{"recording", options.output},
              {"from", report.recording},
              {"ticks", minimized.ticks},
              {"diverges", minimized.fails && trial.result.divergence.has_value()},
              {"crashes", minimized.fails && !trial.result.divergence},
              {"tick", last_tick_json(minimized.ticks_done)},
              {"loop", to_string(trial.plan.drive.loop)},
              {"schedule", trial.plan.drive.schedule.to_string()},
              {"reproduce", verifying_command(options.output, trial.plan.environment, options)}};
    json["inputs"] = nullptr;
    if (minimized.inputs) {
        Json kept = Json::array();
        for (const harness::KeptInput& input : minimized.inputs->kept) {
            kept.push_back({{"tick", input.tick.value}, {"player", input.player}});
        }
        json["inputs"] = {{"present", minimized.inputs_present},
                          {"kept", std::move(kept)},
                          {"trials", minimized.inputs->trials},
                          {"unfinished", minimized.inputs->unfinished}};
    }
    return document(std::move(json));
}

}  // namespace isotick::program
