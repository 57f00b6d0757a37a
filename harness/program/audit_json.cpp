#include "../src/json/json.hpp"
#include "audit_report.hpp"
#include "json_pieces.hpp"

namespace isotick::program {
namespace {

using harness::Json;

Json to_json(const harness::StateDifference& difference) {
    return {{"ticks_done", difference.ticks_done},
            {"parts", difference.parts},
            {"fields", difference.fields},
            {"fields_total", difference.fields_total}};
}

const char* word(harness::RestoreOutcome outcome) {
    switch (outcome) {
        case harness::RestoreOutcome::matched:
            return "matched";
        case harness::RestoreOutcome::differs:
            return "differs";
        case harness::RestoreOutcome::refused:
            return "refused";
    }
    return "";
}

Json snapshot_json(const harness::AuditReport& report) {
    Json restores = Json::array();
    for (const harness::RestoreFacts& restore : report.restores) {
        Json one{{"ticks_done", restore.at},
                 {"run_on", restore.run_on},
                 {"snapshot_bytes", restore.snapshot},
                 {"outcome", word(restore.outcome)}};
        if (restore.outcome == harness::RestoreOutcome::differs) {
            one["set_back"] = restore.set_back;
            one["difference"] = to_json(restore.difference);
        } else if (restore.outcome == harness::RestoreOutcome::refused) {
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

Json coverage_json(const harness::AuditReport& report) {
    Json types = Json::array();
    for (const harness::AuditedType& type : report.types) {
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
    return {{"unavailable", report.coverage_unavailable}, {"types", std::move(types)}};
}

Json hash_json(const harness::AuditReport& report) {
    Json paths = Json::array();
    for (const harness::FlippedClass& one : report.flips.classes) {
        paths.push_back({{"path", one.path}, {"tried", one.tried}, {"missed", one.unseen}});
    }
    return {{"unavailable", report.flips_unavailable},
            {"paths", std::move(paths)},
            {"snapshot_bytes_tried", report.flips.snapshot_tried},
            {"snapshot_bytes_taken", report.flips.snapshot_taken},
            {"snapshot_missed", report.flips.snapshot_unseen}};
}

Json liveness_json(const harness::AuditReport& report) {
    const harness::LivenessFacts& facts = report.liveness;
    Json disturbances = Json::array();
    for (const harness::Disturbance& one : facts.disturbances) {
        disturbances.push_back({{"call", one.call}, {"difference", to_json(one.difference)}});
    }
    return {{"ticks", facts.ticks},
            {"hash_changed", facts.hash_changed},
            {"inputs_present", facts.inputs_present},
            {"inputs_mattered", facts.inputs_mattered},
            {"reproduced", facts.reproduced},
            {"parts_of_no_state", facts.parts_of_no_state},
            {"twins_differ", facts.twins_differ},
            {"calls", facts.calls},
            {"disturbances", std::move(disturbances)}};
}

}  // namespace

std::string audit_json(const harness::AuditReport& report) {
    const Json json{{"verdict", audit_verdict(report)},
                    {"reasons", report.reasons},
                    {"notes", report.notes},
                    {"recording", report.recording},
                    {"simulation", report.head.session.simulation},
                    {"session_digest", to_string(report.session_digest)},
                    {"ticks", report.ticks},
                    {"probes", report.probes},
                    {"work_ticks", report.work},
                    {"blind_spots", harness::to_json(report.blind_spots)},
                    {"snapshot", snapshot_json(report)},
                    {"coverage", coverage_json(report)},
                    {"hash", hash_json(report)},
                    {"liveness", liveness_json(report)}};
    return document(json);
}

}  // namespace isotick::program
