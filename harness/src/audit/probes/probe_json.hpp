#pragma once
// What probes find out, as JSON: between processes, and for machines that read reports.

#include <isotick/harness/detail/probe.hpp>

#include <nlohmann/json.hpp>

namespace isotick::harness {

NLOHMANN_JSON_SERIALIZE_ENUM(ProbeKind, {{ProbeKind::liveness, "liveness"},
                                         {ProbeKind::restore, "restore"},
                                         {ProbeKind::reload, "reload"},
                                         {ProbeKind::transplant, "transplant"},
                                         {ProbeKind::map, "map"},
                                         {ProbeKind::poison, "poison"},
                                         {ProbeKind::flip, "flip"}})
NLOHMANN_JSON_SERIALIZE_ENUM(RestoreOutcome, {{RestoreOutcome::matched, "matched"},
                                              {RestoreOutcome::differs, "differs"},
                                              {RestoreOutcome::refused, "refused"},
                                              {RestoreOutcome::broke, "broke"},
                                              {RestoreOutcome::unsettled, "unsettled"}})
NLOHMANN_JSON_SERIALIZE_ENUM(RestoreWay, {{RestoreWay::straight, "straight"},
                                          {RestoreWay::set_back, "set back"},
                                          {RestoreWay::later, "later"},
                                          {RestoreWay::replaced, "replaced"},
                                          {RestoreWay::fresh, "fresh"}})
NLOHMANN_JSON_SERIALIZE_ENUM(TransplantOutcome, {{TransplantOutcome::cured, "cured"},
                                                 {TransplantOutcome::none, "none"},
                                                 {TransplantOutcome::crashed, "crashed"},
                                                 {TransplantOutcome::absent, "absent"}})
NLOHMANN_JSON_SERIALIZE_ENUM(PoisonOutcome, {{PoisonOutcome::none, "none"},
                                             {PoisonOutcome::seen, "seen"},
                                             {PoisonOutcome::future, "future"},
                                             {PoisonOutcome::crashed, "crashed"},
                                             {PoisonOutcome::pointer, "pointer"},
                                             {PoisonOutcome::absent, "absent"}})
NLOHMANN_JSON_SERIALIZE_ENUM(RepairOutcome, {{RepairOutcome::not_tried, "not tried"},
                                             {RepairOutcome::repaired, "repaired"},
                                             {RepairOutcome::kept, "kept"},
                                             {RepairOutcome::crashed, "crashed"}})
NLOHMANN_JSON_SERIALIZE_ENUM(ResetOutcome, {{ResetOutcome::not_tried, "not tried"},
                                            {ResetOutcome::constant, "constant"},
                                            {ResetOutcome::none, "none"},
                                            {ResetOutcome::future, "future"}})

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StateDifference, ticks_done, parts, fields, fields_total,
                                   fields_known)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Disturbance, call, difference)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FloatLeak, call, ticks_done, how, observer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldFacts, compared, unhashed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LivenessFacts, ticks, players, inputs_present, hash_changed,
                                   inputs_mattered, reproduced, unreproduced, twins_compared,
                                   parts_of_no_state, twins_differ, twins, calls, disturbances,
                                   fields)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RestoreFacts, at, run_on, snapshot, outcome, way, difference,
                                   reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryRange, type, offset, size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UnseenPiece, range, member, word, global, padding, opaque)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TypeMemory, type, size, objects, made_up, unseen, pieces,
                                   offsets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GlobalFacts, unavailable, variables, constant, unknown)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TransplantFacts, at, range, outcome)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PoisonFacts, range, outcome, at, changed_at, changed, repair,
                                   reset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FlippedClass, path, tried, unseen, sticky)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FlipBreak, what, how)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FlipFacts, at, classes, broken, breaks, snapshot_tried,
                                   snapshot_taken, snapshot_unseen, snapshot_idle)

[[nodiscard]] nlohmann::ordered_json to_json(const ProbePlan& plan);
[[nodiscard]] nlohmann::ordered_json to_json(const ProbeResult& result);

// The way back, which throws on anything that to_json did not write.
[[nodiscard]] ProbePlan probe_plan_from(const nlohmann::ordered_json& json);
[[nodiscard]] ProbeResult probe_result_from(const nlohmann::ordered_json& json);

}  // namespace isotick::harness
