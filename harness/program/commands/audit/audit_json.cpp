#include "../../json/json_pieces.hpp"
#include "audit_report.hpp"

namespace isotick::program {
namespace {

Json to_json(const harness::StateDifference& difference) {
    Json fields = Json::array();
    for (const harness::DifferingField& field : difference.fields) {
        fields.push_back(field.text);
    }
    return {{"ticks_done", difference.ticks_done},
            {"parts", difference.parts},
            {"fields", std::move(fields)},
            {"fields_total", difference.fields_total}};
}

const char* audit_word(harness::RestoreOutcome outcome) {
    switch (outcome) {
        case harness::RestoreOutcome::matched:
            return "matched";
        case harness::RestoreOutcome::differs:
            return "differs";
        case harness::RestoreOutcome::refused:
            return "refused";
        case harness::RestoreOutcome::broke:
            return "broke";
        case harness::RestoreOutcome::unsettled:
            return "unsettled";
    }
    return "";
}

const char* audit_word(harness::RestoreWay way) {
    switch (way) {
        case harness::RestoreWay::straight:
            return "straight";
        case harness::RestoreWay::set_back:
            return "set back";
        case harness::RestoreWay::later:
            return "later";
        case harness::RestoreWay::replaced:
            return "replaced";
        case harness::RestoreWay::fresh:
            return "fresh";
    }
    return "";
}

Json snapshot_json(const harness::AuditReport& report) {
    Json restores = Json::array();
    for (const harness::RestoreFacts& restore : report.restores) {
        Json one{{"ticks_done", restore.at},
                 {"run_on", restore.run_on},
                 {"snapshot_bytes", restore.snapshot},
                 {"outcome", audit_word(restore.outcome)}};
        if (restore.outcome != harness::RestoreOutcome::matched) {
            one["way"] = audit_word(restore.way);
        }
        if (!restore.difference.parts.empty()) {
            one["difference"] = to_json(restore.difference);
        }
        if (!restore.reason.empty()) {
            one["reason"] = restore.reason;
        }
        restores.push_back(std::move(one));
    }
    return {{"unavailable", report.snapshot_unavailable}, {"restores", std::move(restores)}};
}

Json range_json(const harness::UnseenRange& unseen) {
    return {{"member", unseen.piece.member},   {"offset", unseen.piece.range.offset},
            {"size", unseen.piece.range.size}, {"padding", unseen.piece.padding},
            {"kind", to_string(unseen.kind)},  {"cures", unseen.cures}};
}

// The types that the simulation shows, or the variables of its library.
Json types_json(const harness::AuditReport& report, bool globals) {
    Json types = Json::array();
    for (const harness::AuditedType& type : report.types) {
        if (type.memory.offsets.empty() == globals) {
            continue;
        }
        Json unseen = Json::array();
        for (const harness::UnseenRange& range : type.ranges) {
            unseen.push_back(range_json(range));
        }
        types.push_back({{"type", type.memory.type},
                         {"size", type.memory.size},
                         {"objects", type.memory.objects},
                         {"made_up", type.memory.made_up},
                         {"unseen_bytes", type.unseen_bytes},
                         {"unseen", std::move(unseen)}});
    }
    return types;
}

Json globals_json(const harness::AuditReport& report) {
    const harness::GlobalFacts& globals = report.globals;
    return {{"unavailable", globals.unavailable},
            {"values", globals.variables},
            {"constant", globals.constant},
            {"unknown", globals.unknown},
            {"variables", types_json(report, true)}};
}

Json hash_json(const harness::AuditReport& report) {
    Json paths = Json::array();
    for (const harness::FlippedClass& one : report.flips.classes) {
        paths.push_back({{"path", one.path}, {"tried", one.tried}, {"missed", one.unseen}});
    }
    Json breaks = Json::array();
    for (const harness::FlipBreak& one : report.flips.breaks) {
        breaks.push_back({{"bit", one.what}, {"end", one.how}});
    }
    return {{"unavailable", report.flips_unavailable},
            {"paths", std::move(paths)},
            {"snapshot_bytes_tried", report.flips.snapshot_tried},
            {"snapshot_bytes_taken", report.flips.snapshot_taken},
            {"snapshot_bytes_idle", report.flips.snapshot_idle},
            {"snapshot_missed", report.flips.snapshot_unseen},
            {"broken", report.flips.broken},
            {"breaks", std::move(breaks)},
            {"pairs_compared", report.liveness.fields.compared},
            {"fields_missed", report.liveness.fields.unhashed}};
}

Json liveness_json(const harness::AuditReport& report) {
    const harness::LivenessFacts& facts = report.liveness;
    Json disturbances = Json::array();
    for (const harness::Disturbance& one : facts.disturbances) {
        disturbances.push_back({{"call", one.call}, {"difference", to_json(one.difference)}});
    }
    Json leaks = Json::array();
    for (const harness::FloatLeak& leak : report.float_leaks) {
        leaks.push_back(
            {{"call", leak.call}, {"ticks_done", leak.ticks_done}, {"leaves", leak.how}});
    }
    return {{"ticks", facts.ticks},
            {"hash_changed", facts.hash_changed},
            {"inputs_present", facts.inputs_present},
            {"inputs_mattered", facts.inputs_mattered},
            {"reproduced", facts.reproduced},
            {"parts_of_no_state", facts.parts_of_no_state},
            {"twins_differ", facts.twins_differ},
            {"calls", facts.calls},
            {"disturbances", std::move(disturbances)},
            {"floating_point", std::move(leaks)}};
}

}  // namespace

std::string audit_json(const harness::AuditReport& report) {
    Json json{
        {"verdict", audit_verdict(report)},
        {"reasons", report.reasons},
        {"notes", report.notes},
        {"recording", report.recording},
        {"simulation", report.head.session.simulation},
        {"session_digest", to_string(report.session_digest)},
        {"ticks", report.ticks},
        {"probes", report.probes},
        {"work_ticks", report.work},
        {"probed_ticks", report.probed},
        {"blind_spots", blind_spots_json(report.blind_spots)},
        {"snapshot", snapshot_json(report)},
        {"coverage",
         {{"unavailable", report.coverage_unavailable}, {"types", types_json(report, false)}}},
        {"globals", globals_json(report)},
        {"hash", hash_json(report)},
        {"liveness", liveness_json(report)}};
    return document(std::move(json));
}

}  // namespace isotick::program
