#include "report_json.hpp"

#include "../commands/verify/verify_setup.hpp"
#include "fields_json.hpp"
#include "json_pieces.hpp"
#include "report_words.hpp"

#include <isotick/core/loops.hpp>

namespace isotick::program {
namespace {

using harness::Json;

Json last_tick_json(std::uint64_t ticks_done) {
    return ticks_done == 0 ? Json(nullptr) : Json(ticks_done - 1);
}

Json disagreement_json(const harness::Disagreement& found) {
    return {{"ticks_done", found.ticks_done},
            {"tick", last_tick_json(found.ticks_done)},
            {"a", to_string(found.a)},
            {"b", to_string(found.b)},
            {"last_agreed", harness::optional_json(found.last_agreed)},
            {"parts", found.parts},
            {"runs", found.runs},
            {"outcomes", found.outcomes},
            {"most_alike", found.most_alike},
            {"b_is_further", found.b_is_further},
            {"fields", fields_json(found.fields)}};
}

const char* word(harness::RecordedAgain came_to) {
    using harness::RecordedAgain;
    switch (came_to) {
        case RecordedAgain::untried:
            return "untried";
        case RecordedAgain::as_before:
            return "as-before";
        case RecordedAgain::as_before_by_bot:
            return "as-before-by-bot";
        case RecordedAgain::as_replayed:
            return "as-replayed";
        case RecordedAgain::otherwise:
            return "otherwise";
    }
    return "";
}

Json nominal_json(const harness::NominalFindings& findings) {
    return {{"fresh_processes", findings.fresh_processes},
            {"other_memory", findings.other_memory},
            {"another_second", findings.another_second},
            {"same_build", findings.same_build},
            {"recorded_again", word(findings.recorded_again)}};
}

Json provoking_json(const harness::Explanation& explanation) {
    if (!explanation.provoking) {
        return nullptr;
    }
    Json json = Json::array();
    for (const harness::OddFrames& frames : *explanation.provoking) {
        json.push_back({{"first", frames.first},
                        {"count", frames.count},
                        {"frame_time_ns", frames.frame_time.nanoseconds},
                        {"ticks", frames.ticks},
                        {"back", frames.back}});
    }
    return json;
}

Json explanation_json(const harness::Explanation& explanation) {
    Json json{{"ticks_done", explanation.ticks_done},
              {"recorded", to_string(explanation.recorded)},
              {"computed", to_string(explanation.computed)},
              {"parts", explanation.parts},
              {"recorded_side_runs", explanation.recorded_side_runs},
              {"only_as_recorded", explanation.only_as_recorded},
              {"provoking_axes", harness::to_json(explanation.provoking_axes)},
              {"frame", harness::to_json(explanation.context)},
              {"fields", fields_json(explanation.fields)}};
    json["tick"] = last_tick_json(explanation.ticks_done);
    json["provoking"] = provoking_json(explanation);
    json["rerun"] = explanation.rerun
                        ? Json{{"first_steps", explanation.rerun->first_steps},
                               {"back_from_tick", last_tick_json(explanation.rerun->back_from)}}
                        : Json(nullptr);
    json["disagreement"] =
        explanation.disagreement ? disagreement_json(*explanation.disagreement) : Json(nullptr);
    json["nominal"] = explanation.nominal ? nominal_json(*explanation.nominal) : Json(nullptr);
    return json;
}

Json trial_json(const harness::TrialPlan& plan, const harness::TrialResult& result,
                const std::optional<harness::Explanation>& explanation,
                const CommonOptions& options) {
    Json json{{"verdict", to_string(result.verdict)},
              {"reason", result.reason},
              {"note", result.note},
              {"varied", harness::to_json(plan.drive.axes)},
              {"unread", result.unread},
              {"schedule", plan.drive.schedule.to_string()},
              {"loop", core::to_string(plan.drive.loop)},
              {"drive", to_string(plan.drive)},
              {"statistics", harness::to_json(result.statistics)}};
    json["divergence"] = result.divergence ? harness::to_json(*result.divergence) : Json(nullptr);
    json["explanation"] = explanation ? explanation_json(*explanation) : Json(nullptr);
    json["reproduce"] = reproducing_command(plan, options);
    return json;
}

Json damage_json(const replay::Damage& damage) {
    return {{"offset", damage.offset}, {"reason", damage.reason}};
}

Json optional_damage(const std::optional<replay::Damage>& damage) {
    return damage ? damage_json(*damage) : Json(nullptr);
}

Json file_json(const std::string& path, const replay::ComparedFile& file) {
    return {{"path", path},
            {"ticks", file.ticks},
            {"finished", file.finished},
            {"damage", optional_damage(file.damage)},
            {"chunks_read", file.chunks_read}};
}

Json input_json(const replay::InputBytes& input) {
    return input ? Json(hex_bytes(*input)) : Json(nullptr);
}

Json session_difference_json(const replay::SessionDifference& difference) {
    using What = replay::SessionDifference::What;
    switch (difference.what) {
        case What::input:
            return {{"what", "input"},
                    {"tick", difference.tick.value},
                    {"player", difference.player},
                    {"a", input_json(difference.input_a)},
                    {"b", input_json(difference.input_b)}};
        case What::dt:
            return {{"what", "dt"},
                    {"tick", difference.tick.value},
                    {"a", harness::optional_json(difference.text_a)},
                    {"b", harness::optional_json(difference.text_b)}};
        case What::config:
            return {{"what", "config"},
                    {"key", difference.config_key},
                    {"a", harness::optional_json(difference.text_a)},
                    {"b", harness::optional_json(difference.text_b)}};
        default:
            break;
    }
    const char* what = difference.what == What::simulation ? "simulation"
                       : difference.what == What::rate     ? "tick_rate"
                       : difference.what == What::players  ? "players"
                                                           : "seed";
    return {{"what", what},
            {"a", harness::optional_json(difference.text_a)},
            {"b", harness::optional_json(difference.text_b)}};
}

Json tick_json(const std::optional<core::Tick>& tick) {
    return tick ? Json(tick->value) : Json(nullptr);
}

Json hash_difference_json(const replay::HashDifference& difference) {
    Json parts = Json::array();
    for (const replay::PartDifference& part : difference.parts) {
        parts.push_back({{"name", part.name},
                         {"a", core::to_hex(part.a.value)},
                         {"b", core::to_hex(part.b.value)}});
    }
    return {{"tick", tick_json(difference.tick)},
            {"a", to_string(difference.a)},
            {"b", to_string(difference.b)},
            {"last_equal", tick_json(difference.last_equal)},
            {"initial_equal", difference.initial_equal},
            {"parts_tick", tick_json(difference.parts_tick)},
            {"parts", std::move(parts)}};
}

// But for the ticks that it took: those depend on where the trials ran.
Json shrinking_json(const harness::Shrinking& shrinking) {
    return {
        {"drive", to_string(shrinking.drive)},
        {"tick", last_tick_json(shrinking.ticks_done)},
        {"trials", shrinking.trials},
        {"unfinished", shrinking.unfinished.empty() ? Json(nullptr) : Json(shrinking.unfinished)}};
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
            {"nan", report.nan.empty() ? Json(nullptr) : Json(report.nan)},
            {"session", session_json(report.head.session)},
            {"session_digest", to_string(report.session_digest)},
            {"ticks", report.ticks},
            {"unfinished", report.unfinished},
            {"strict", strict_reasons(report, options)},
            {"root_seed", root_seed_text(report.seed)},
            {"varied", harness::to_json(report.varied)},
            {"perturbed", perturbed_json(report.perturbed)},
            {"loops", std::move(loops)},
            {"repro", report.repro.empty() ? Json(nullptr) : Json(report.repro)},
            {"trials", report.trials},
            {"trials_identical", report.trials_identical},
            {"fresh_trials", report.fresh_trials},
            {"calls", report.calls ? harness::to_json(*report.calls) : Json(nullptr)},
            {"frames_reach_it", report.frames_reach_it},
            {"total", harness::to_json(report.total)},
            {"blind_spots", harness::to_json(report.blind_spots)},
            {"failures", std::move(failures)}};
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
    json["damage"] =
        result.damage ? Json{{"offset", result.damage->offset}, {"reason", result.damage->reason}}
                      : Json(nullptr);
    return document(std::move(json));
}

std::string sims_json(std::span<const harness::SimulationFacts> simulations) {
    Json json = Json::array();
    for (const harness::SimulationFacts& facts : simulations) {
        json.push_back(harness::to_json(facts));
    }
    return document({{"simulations", std::move(json)}});
}

std::string inspect_json(const std::string& path, const replay::Survey& survey) {
    Json damages = Json::array();
    for (const replay::Damage& damage : survey.damages) {
        damages.push_back(damage_json(damage));
    }
    Json surviving = Json::array();
    for (const replay::TickRange& range : survey.surviving) {
        surviving.push_back({{"first", range.first.value}, {"end", range.end.value}});
    }
    return document({{"path", path},
                     {"session", session_json(survey.head.session)},
                     {"hash_algorithm", survey.head.hash_algorithm},
                     {"nan_policy", survey.head.nan_policy},
                     {"hash_every", survey.head.hash_every},
                     {"parts_every", survey.head.parts_every},
                     {"parts", survey.head.part_names},
                     {"notes", harness::to_json(survey.head.notes)},
                     {"bytes", survey.bytes},
                     {"ticks", survey.ticks},
                     {"own_dts", survey.own_dts},
                     {"chunks", survey.chunks},
                     {"finished", survey.finished},
                     {"unfinished", survey.is_unfinished()},
                     {"has_tail", survey.has_tail},
                     {"tail_damage", optional_damage(survey.tail_damage)},
                     {"session_digest", to_string(survey.session_digest)},
                     {"hash_digest", to_string(survey.hash_digest)},
                     {"damages", std::move(damages)},
                     {"surviving", std::move(surviving)}});
}

std::string diff_json(const DiffOptions& options, const replay::Comparison& comparison,
                      std::string_view outcome,
                      const std::optional<harness::Explanation>& parting) {
    Json json{{"outcome", outcome},
              {"a", file_json(options.a, comparison.a)},
              {"b", file_json(options.b, comparison.b)},
              {"incomparable", comparison.incomparable}};
    json["session"] =
        comparison.session ? session_difference_json(*comparison.session) : Json(nullptr);
    json["hashes"] = comparison.hashes ? hash_difference_json(*comparison.hashes) : Json(nullptr);
    json["parting"] = parting ? explanation_json(*parting) : Json(nullptr);
    return document(std::move(json));
}

}  // namespace isotick::program
