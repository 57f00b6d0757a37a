// Reports for machines, one JSON document each (harness/json.schema.json).

#include "../json/trial_json.hpp"
#include "../output/report_words.hpp"
#include "reporter.hpp"

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

Json unvaried_json(const std::vector<harness::UnvariedAxis>& axes) {
    Json json = Json::array();
    for (const harness::UnvariedAxis& axis : axes) {
        json.push_back({{"axis", axis.axis}, {"reason", axis.reason}});
    }
    return json;
}

Json bursts_json(const std::optional<harness::BurstCoverage>& bursts) {
    return !bursts ? Json(nullptr)
                   : Json{{"trials", bursts->trials},
                          {"ticks", bursts->ticks},
                          {"covered", bursts->covered},
                          {"skipped", bursts->skipped},
                          {"why_none", text_json(bursts->why_none)}};
}

Json budget_json(const std::optional<harness::SpentBudget>& budget) {
    return !budget ? Json(nullptr)
                   : Json{{"asked_ms", budget->asked.count()},
                          {"spent_ms", budget->spent.count()},
                          {"cpu_ms", budget->cpu.count()}};
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
            {"bad_end", text_json(report.bad_end)},
            {"nan", text_json(report.nan)},
            {"session", session_json(report.head.session)},
            {"session_digest", to_string(report.session_digest)},
            {"ticks", report.ticks},
            {"unfinished", report.unfinished},
            {"strict", strict_reasons(report, options)},
            {"root_seed", root_seed_text(report.seed)},
            {"varied", axes_json(report.varied)},
            {"perturbed", perturbed_json(report.perturbed)},
            {"unvaried", unvaried_json(report.unvaried)},
            {"loops", std::move(loops)},
            {"repro", text_json(report.repro)},
            {"trials", report.trials},
            {"trials_identical", report.trials_identical},
            {"fresh_trials", report.fresh_trials},
            {"bursts", bursts_json(report.bursts)},
            {"budget", budget_json(report.budget)},
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

Json recording_json(const VerifiedRecording& one, const VerifyCommandOptions& options) {
    return one.report ? verified_json(*one.report, options)
                      : Json{{"recording", one.recording},
                             {"verdict", to_string(one.verdict)},
                             {"reasons", Json::array({one.reason})}};
}

std::string verify_json(const VerifyRun& run, const VerifyCommandOptions& options,
                        const Console& /*console*/) {
    Json recordings = Json::array();
    for (const VerifiedRecording& one : run.recordings) {
        recordings.push_back(recording_json(one, options));
    }
    return document({{"verdict", to_string(run.verdict)}, {"recordings", std::move(recordings)}});
}

std::string replay_json(const Replayed& replayed, const ReplayOptions& options,
                        const Console& /*console*/) {
    const auto& [plan, result] = std::tie(replayed.plan, replayed.result);
    Json json = trial_json(plan, result, replayed.explanation, options);
    json["recording"] = plan.recording;
    json["last_hash"] = result.last_hash ? Json(to_string(*result.last_hash)) : Json(nullptr);
    json["printed"] = replayed.printed ? printed_json(*replayed.printed) : Json(nullptr);
    return document(std::move(json));
}

}  // namespace

extern const Reporter kJsonReporter;
const Reporter kJsonReporter{"report.json", verify_json, replay_json};

}  // namespace isotick::program
