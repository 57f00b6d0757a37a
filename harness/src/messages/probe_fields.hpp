#pragma once
// The fields of what probes find out. Each struct is taken apart into all its members, so that a
// new one does not compile until it is here.

#include "one_field.hpp"

#include <isotick/harness/detail/worker/probe_facts.hpp>

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<RestoreOutcome> = RestoreOutcome::unsettled;
template <>
inline constexpr auto kLastOf<RestoreWay> = RestoreWay::fresh;
template <>
inline constexpr auto kLastOf<TransplantOutcome> = TransplantOutcome::absent;
template <>
inline constexpr auto kLastOf<PoisonOutcome> = PoisonOutcome::absent;
template <>
inline constexpr auto kLastOf<RepairOutcome> = RepairOutcome::crashed;
template <>
inline constexpr auto kLastOf<ResetOutcome> = ResetOutcome::future;

template <class Archive>
void serialize(Archive& archive, DifferingField& field) {
    auto& [path, text] = field;
    archive_fields(archive, path, text);
}

template <class Archive>
void serialize(Archive& archive, StateDifference& difference) {
    auto& [ticks_done, parts, fields, fields_total, fields_known] = difference;
    archive_fields(archive, ticks_done, parts, fields, fields_total, fields_known);
}

template <class Archive>
void serialize(Archive& archive, Disturbance& disturbance) {
    auto& [call, difference] = disturbance;
    archive_fields(archive, call, difference);
}

template <class Archive>
void serialize(Archive& archive, FloatLeak& leak) {
    auto& [call, ticks_done, how, observer] = leak;
    archive_fields(archive, call, ticks_done, how, observer);
}

template <class Archive>
void serialize(Archive& archive, FieldFacts& facts) {
    auto& [compared, unhashed] = facts;
    archive_fields(archive, compared, unhashed);
}

template <class Archive>
void serialize(Archive& archive, LivenessFacts& facts) {
    auto& [ticks, players, inputs_present, hash_changed, inputs_mattered, reproduced, unreproduced,
           twins_compared, parts_of_no_state, twins_differ, twins, calls, disturbances, fields] =
        facts;
    archive_fields(archive, ticks, players, inputs_present, hash_changed, inputs_mattered,
                   reproduced, unreproduced, twins_compared, parts_of_no_state, twins_differ, twins,
                   calls, disturbances, fields);
}

template <class Archive>
void serialize(Archive& archive, RestoreFacts& facts) {
    auto& [at, run_on, snapshot, outcome, way, difference, reason] = facts;
    archive_fields(archive, at, run_on, snapshot, outcome, way, difference, reason);
}

template <class Archive>
void serialize(Archive& archive, MemoryRange& range) {
    auto& [type, offset, size] = range;
    archive_fields(archive, type, offset, size);
}

template <class Archive>
void serialize(Archive& archive, UnseenPiece& piece) {
    auto& [range, member, word, global, padding, opaque] = piece;
    archive_fields(archive, range, member, word, global, padding, opaque);
}

template <class Archive>
void serialize(Archive& archive, TypeMemory& memory) {
    auto& [type, size, objects, made_up, unseen, pieces, offsets] = memory;
    archive_fields(archive, type, size, objects, made_up, unseen, pieces, offsets);
}

template <class Archive>
void serialize(Archive& archive, GlobalFacts& facts) {
    auto& [unavailable, variables, constant, unknown] = facts;
    archive_fields(archive, unavailable, variables, constant, unknown);
}

template <class Archive>
void serialize(Archive& archive, TransplantFacts& facts) {
    auto& [at, range, outcome] = facts;
    archive_fields(archive, at, range, outcome);
}

template <class Archive>
void serialize(Archive& archive, PoisonFacts& facts) {
    auto& [range, outcome, at, changed_at, changed, repair, reset] = facts;
    archive_fields(archive, range, outcome, at, changed_at, changed, repair, reset);
}

template <class Archive>
void serialize(Archive& archive, FlippedClass& flipped) {
    auto& [path, tried, unseen, sticky] = flipped;
    archive_fields(archive, path, tried, unseen, sticky);
}

template <class Archive>
void serialize(Archive& archive, FlipBreak& broken) {
    auto& [what, how] = broken;
    archive_fields(archive, what, how);
}

template <class Archive>
void serialize(Archive& archive, FlipFacts& facts) {
    auto& [at, classes, broken, breaks, snapshot_tried, snapshot_taken, snapshot_unseen,
           snapshot_idle] = facts;
    archive_fields(archive, at, classes, broken, breaks, snapshot_tried, snapshot_taken,
                   snapshot_unseen, snapshot_idle);
}

}  // namespace isotick::harness
