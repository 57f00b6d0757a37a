#include "report_json.hpp"

#include "../commands/minimize/minimize_report.hpp"
#include "../commands/verify/verify_setup.hpp"
#include "report_words.hpp"
#include "trial_json.hpp"

#include <isotick/core/loops.hpp>

namespace isotick::program {
namespace {

// But for the ticks that it took: those depend on where the trials ran.
Json shrinking_json(const harness::Shrinking& shrinking) {
    return {{"drive", to_string(shrinking.drive)},
            {"tick", last_tick_json(shrinking.ticks_done)},
            {"trials", shrinking.trials},
            {"unfinished", text_json(shrinking.unfinished)}};
}

Json perturbed_json(const std::vector<harness::PerturbedAxis>& axes) {
    Json json = Json::array();
    for (const harness::PerturbedAxis& axis : axes) {
        json.push_back({{"axis", axis.axis}, {"trials", axis.trials}});
    }
    return json;
}

Json verified_json(const harness::VerifyReport& report, const VerifyCommandOptions& options) {
    Json failures = Json::array();
    for (const harness::FailedTrial& failure : report.failures) {
        Json trial = trial_json(failure.plan, failure.result, failure.explanation, options);
        trial["trial"] = failure.number;
        trial["shrinking"] = failure.shrinking ? shrinking_json(*failure.shrinking) : Json(nullptr);
        failures.push_back(std::move(trial));
    }
    Json loops = Json::array();
    for (const core::LoopOptions& loop : report.loops) {
        loops.push_back(core::to_string(loop));
    }
    return {{"recording", report.recording},
            {"verdict", to_string(report.verdict)},
            {"reasons", report.reasons},
            {"note", report.note},
            {"nan", text_json(report.nan)},
            {"session", session_json(report.head.session)},
            {"session_digest", to_string(report.session_digest)},
            {"ticks", report.ticks},
            {"unfinished", report.unfinished},
            {"strict", strict_reasons(report, options)},
            {"root_seed", root_seed_text(report.seed)},
            {"varied", axes_json(report.varied)},
            {"perturbed", perturbed_json(report.perturbed)},
            {"loops", std::move(loops)},
            {"repro", text_json(report.repro)},
            {"trials", report.trials},
            {"trials_identical", report.trials_identical},
            {"fresh_trials", report.fresh_trials},
            {"calls", report.calls ? calls_json(*report.calls) : Json(nullptr)},
            {"frames_reach_it", report.frames_reach_it},
            {"total", statistics_json(report.total)},
            {"blind_spots", blind_spots_json(report.blind_spots)},
            {"failures", std::move(failures)}};
}

Json field_json(const core::SelectedField& field) {
    return {{"path", field.path},
            {"type", field.type},
            {"value", field.value},
            {"bits", text_json(field.bits)}};
}

Json printed_json(const PrintedState& state) {
    Json paths = Json::array();
    for (const PrintedPath& path : state.paths) {
        Json fields = Json::array();
        for (const core::SelectedField& field : path.fields) {
            fields.push_back(field_json(field));
        }
        paths.push_back({{"path", path.path},
                         {"missing", text_json(path.missing)},
                         {"fields", std::move(fields)}});
    }
    return {{"ticks_done", state.ticks_done}, {"paths", std::move(paths)}};
}

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

std::string verify_json(const std::vector<harness::VerifyReport>& reports,
                        const std::vector<UnreadRecording>& unread, harness::Verdict verdict,
                        const VerifyCommandOptions& options) {
    Json runs = Json::array();
    for (const harness::VerifyReport& report : reports) {
        runs.push_back(verified_json(report, options));
    }
    for (const UnreadRecording& one : unread) {
        runs.push_back({{"recording", one.recording},
                        {"verdict", to_string(one.verdict)},
                        {"reasons", Json::array({one.reason})}});
    }
    return document({{"verdict", to_string(verdict)}, {"recordings", std::move(runs)}});
}

std::string replay_json(const harness::TrialPlan& plan, const harness::TrialResult& result,
                        const std::optional<harness::Explanation>& explanation,
                        const std::optional<PrintedState>& printed, const CommonOptions& options) {
    Json json = trial_json(plan, result, explanation, options);
    json["recording"] = plan.recording;
    json["last_hash"] = result.last_hash ? Json(to_string(*result.last_hash)) : Json(nullptr);
    json["printed"] = printed ? printed_json(*printed) : Json(nullptr);
    return document(std::move(json));
}

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
