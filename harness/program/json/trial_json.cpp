#include "trial_json.hpp"

#include "../../src/system/site_names.hpp"
#include "../output/text.hpp"

#include <isotick/core/loops.hpp>

namespace isotick::program {
namespace {

Json parts_json(const std::vector<core::PartHash>& parts) {
    Json json = Json::array();
    for (const core::PartHash part : parts) {
        json.push_back(core::to_hex(part.value));
    }
    return json;
}

Json context_json(const harness::FrameContext& context) {
    return {{"frame", context.frame},
            {"frame_time_ns", context.frame_time.nanoseconds},
            {"tick_in_frame", context.tick_in_frame},
            {"ticks_in_frame", context.ticks_in_frame},
            {"idle_frames", context.idle_frames},
            {"last_alpha", context.last_alpha},
            {"back", context.back}};
}

Json rerun_json(const std::optional<harness::Rerun>& rerun) {
    return rerun ? Json{{"first_steps", rerun->first_steps}, {"back_from", rerun->back_from}}
                 : Json(nullptr);
}

Json state_json(const harness::StateRecord& state) {
    return {{"ticks_done", state.ticks_done},
            {"hash", to_string(state.hash)},
            {"parts", parts_json(state.parts)},
            {"context", context_json(state.context)},
            {"steps", state.steps},
            {"rerun", rerun_json(state.rerun)}};
}

Json divergence_json(const harness::Divergence& divergence) {
    return {{"computed", state_json(divergence.computed)},
            {"recorded", to_string(divergence.recorded)},
            {"recorded_parts", parts_json(divergence.recorded_parts)},
            {"last_agreed", optional_json(divergence.last_agreed)},
            {"last_agreed_steps", optional_json(divergence.last_agreed_steps)}};
}

Json point_json(const std::optional<harness::PhasePoint>& point) {
    return point ? Json{{"name", point->name}, {"number", point->number}} : Json(nullptr);
}

Json phases_json(const std::optional<harness::Phases>& phases) {
    return phases ? Json{{"after", point_json(phases->after)},
                         {"before", point_json(phases->before)},
                         {"parts", phases->parts},
                         {"forks", phases->forks},
                         {"other", point_json(phases->other)},
                         {"unknown", phases->unknown}}
                  : Json(nullptr);
}

}  // namespace

Json code_json(const std::vector<harness::CodePlace>& code) {
    Json json = Json::array();
    for (const harness::CodePlace& one : code) {
        json.push_back({{"function", one.function},
                        {"file", text_json(one.file)},
                        {"line", one.line == 0 ? Json(nullptr) : Json(one.line)}});
    }
    return json;
}

namespace {

std::string_view call_json(harness::Activity activity) {
    return activity == harness::Activity::rendering         ? "render"
           : activity == harness::Activity::beginning_frame ? "begin_frame"
           : activity == harness::Activity::restoring       ? "load"
                                                            : "step";
}

Json write_json(const std::optional<harness::StateWrite>& write) {
    if (!write) {
        return nullptr;
    }
    return {{"during", call_json(write->during)},
            {"path", write->path},
            {"from", text_json(write->before)},
            {"to", text_json(write->after)},
            {"code", code_json(write->code)}};
}

Json origin_json(const std::optional<harness::ValueOrigin>& origin) {
    if (!origin) {
        return nullptr;
    }
    using Kind = harness::ValueOrigin::Kind;
    const char* const kind = origin->kind == Kind::memory      ? "memory"
                             : origin->kind == Kind::earlier   ? "earlier"
                             : origin->kind == Kind::address   ? "address"
                             : origin->kind == Kind::processor ? "processor"
                                                               : "system";
    return {
        {"kind", kind}, {"called", text_json(origin->called)}, {"code", code_json(origin->code)}};
}

}  // namespace

Json writes_json(const std::optional<harness::PartingWrite>& write) {
    return write ? Json{{"recorded", write_json(write->before)},
                        {"computed", write_json(write->after)},
                        {"unknown", write->unknown},
                        {"origin", origin_json(write->origin)}}
                 : Json(nullptr);
}

namespace {

Json draws_json(const std::optional<harness::Draws>& draws) {
    if (!draws) {
        return nullptr;
    }
    using Side = harness::Draws::Side;
    Json list = Json::array();
    for (const auto& draw : draws->draws) {
        list.push_back({{"side", draw.side == Side::both     ? "both"
                                 : draw.side == Side::before ? "recorded"
                                                             : "computed"},
                        {"during", call_json(draw.during)},
                        {"code", code_json(draw.code)}});
    }
    return {{"of", draws->of},
            {"recorded", draws->before},
            {"computed", draws->after},
            {"same", draws->same},
            {"draws", list},
            {"cut", draws->cut},
            {"unknown", draws->unknown}};
}

Json disagreement_json(const harness::Disagreement& found) {
    return {{"ticks_done", found.ticks_done},
            {"tick", last_tick_json(found.ticks_done)},
            {"a", to_string(found.a)},
            {"b", to_string(found.b)},
            {"last_agreed", optional_json(found.last_agreed)},
            {"parts", found.parts},
            {"runs", found.runs},
            {"outcomes", found.outcomes},
            {"most_alike", found.most_alike},
            {"b_is_further", found.b_is_further},
            {"phases", phases_json(found.phases)},
            {"fields", fields_json(found.fields)}};
}

const char* trial_word(harness::RecordedAgain came_to) {
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
            {"varied", axes_json(findings.varied)},
            {"another_second", findings.another_second},
            {"same_build", findings.same_build},
            {"recorded_again", trial_word(findings.recorded_again)}};
}

Json runs_json(const harness::FailedRuns& runs) {
    return {{"failed", runs.failed}, {"runs", runs.runs}};
}

Json evidence_json(const std::optional<harness::Evidence>& evidence) {
    return evidence ? Json{{"with", runs_json(evidence->with)},
                           {"without", runs_json(evidence->without)},
                           {"placebo",
                            evidence->placebo ? runs_json(*evidence->placebo) : Json(nullptr)}}
                    : Json(nullptr);
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

Json states_json(const harness::StateRange& states) {
    return {states.first, states.last};
}

Json part_history_json(const harness::PartHistory& history) {
    Json parts = Json::array();
    for (const harness::PartHistory::Part& part : history.parts) {
        Json differs = Json::array();
        for (const harness::StateRange& states : part.differs) {
            differs.push_back(states_json(states));
        }
        parts.push_back({{"part", part.name}, {"differs", std::move(differs)}});
    }
    return {{"compared", states_json(history.compared)},
            {"every", history.every},
            {"parts", std::move(parts)},
            {"total", history.total},
            {"same", history.same}};
}

Json impact_json(const harness::Impact& impact) {
    Json fields = Json::array();
    for (const harness::Impact::Fields& one : impact.fields) {
        fields.push_back({{"ticks_done", one.ticks_done}, {"differing", one.differing}});
    }
    return {{"fields", std::move(fields)},
            {"last_compared", impact.last_compared},
            {"same_from", optional_json(impact.same_from)}};
}

Json frame_list_json(const harness::FrameList& frames) {
    Json times = Json::array();
    for (const core::FrameTime time : frames.times) {
        times.push_back(time.nanoseconds);
    }
    return {{"frame_time_ns", std::move(times)}, {"ticks", frames.ticks}};
}

}  // namespace

Json frames_json(const harness::FramesAround& frames, bool nominal_passes) {
    return {{"first", frames.first},
            {"failed", frames.failed},
            {"tick", frames.tick},
            {"fails", frame_list_json(frames.fails)},
            {"passes", nominal_passes ? frame_list_json(frames.nominal) : Json(nullptr)}};
}

Json axes_json(const std::vector<harness::AxisValue>& values) {
    Json json = Json::array();
    for (const harness::AxisValue& value : values) {
        json.push_back({{"axis", value.axis}, {"value", value.value}});
    }
    return json;
}

Json statistics_json(const harness::TrialStatistics& statistics) {
    return {{"ticks", statistics.ticks},
            {"ticks_reached", statistics.ticks_reached},
            {"frames", statistics.frames},
            {"hashes_compared", statistics.hashes_compared},
            {"least_ticks_per_frame", statistics.least_ticks_per_frame},
            {"most_ticks_per_frame", statistics.most_ticks_per_frame},
            {"inputs_present", statistics.inputs_present},
            {"schedule_repeats", statistics.schedule_repeats},
            {"state_loads", statistics.state_loads},
            {"least_ticks_back", statistics.least_ticks_back},
            {"most_ticks_back", statistics.most_ticks_back},
            {"hash_changed", statistics.hash_changed}};
}

Json calls_json(const harness::HostCalls& calls) {
    return {{"begin_frame", calls.begin_frame}, {"render", calls.render}};
}

Json reads_json(const std::vector<harness::SystemReads>& reads) {
    Json json = Json::array();
    for (const harness::SystemReads& one : reads) {
        for (const harness::SystemCall& call : one.first) {
            const bool is_known = call.place.activity != harness::Activity::starting;
            json.push_back(
                {{"call", call.name},
                 {"count", one.count},
                 {"where",
                  is_known ? Json(describe(call.place.activity, call.place.tick)) : Json(nullptr)},
                 {"tick", is_known ? Json(call.place.tick.value) : Json(nullptr)},
                 {"functions", harness::names_of(call.sites)}});
        }
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
              {"provoking_axes", axes_json(explanation.provoking_axes)},
              {"evidence", evidence_json(explanation.evidence)},
              {"otherwise", evidence_json(explanation.otherwise)},
              {"reads", reads_json(explanation.reads)},
              {"frame", context_json(explanation.context)},
              {"phases", phases_json(explanation.phases)},
              {"fields", fields_json(explanation.fields)}};
    json["tick"] = last_tick_json(explanation.ticks_done);
    json["provoking"] = provoking_json(explanation);
    json["rerun"] = explanation.rerun
                        ? Json{{"first_steps", explanation.rerun->first_steps},
                               {"back_from_tick", last_tick_json(explanation.rerun->back_from)}}
                        : Json(nullptr);
    json["disagreement"] =
        explanation.disagreement ? disagreement_json(*explanation.disagreement) : Json(nullptr);
    json["later_parts"] = explanation.later_parts
                              ? Json{{"tick", last_tick_json(explanation.later_parts->ticks_done)},
                                     {"parts", explanation.later_parts->parts}}
                              : Json(nullptr);
    json["part_history"] =
        explanation.part_history ? part_history_json(*explanation.part_history) : Json(nullptr);
    json["impact"] = explanation.impact ? impact_json(*explanation.impact) : Json(nullptr);
    json["write"] =
        writes_json(explanation.disagreement ? explanation.disagreement->write : explanation.write);
    json["draws"] = draws_json(explanation.draws);
    json["nominal"] = explanation.nominal ? nominal_json(*explanation.nominal) : Json(nullptr);
    return json;
}

Json trial_json(const harness::TrialPlan& plan, const harness::TrialResult& result,
                const std::optional<harness::Explanation>& explanation,
                const CommonOptions& options) {
    Json json{{"verdict", to_string(result.verdict)},
              {"reason", result.reason},
              {"note", result.note},
              {"bad_end", text_json(result.bad_end)},
              {"varied", axes_json(plan.drive.axes)},
              {"unread", result.unread},
              {"schedule", plan.drive.schedule.to_string()},
              {"loop", core::to_string(plan.drive.loop)},
              {"drive", to_string(plan.drive)},
              {"statistics", statistics_json(result.statistics)}};
    json["stack"] = code_json(harness::last_code(result));
    json["divergence"] = result.divergence ? divergence_json(*result.divergence) : Json(nullptr);
    json["explanation"] = explanation ? explanation_json(*explanation) : Json(nullptr);
    json["reproduce"] = reproducing_command(plan, options);
    return json;
}

}  // namespace isotick::program
