#pragma once
// The fields of what a worker answers, but for what its parent adds: `output` and `fresh`. Each
// struct is taken apart into all its members, so that a new one does not compile until it is here.

#include "../worker/job.hpp"
#include "core_fields.hpp"
#include "probe_fields.hpp"

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<Verdict> = Verdict::inconclusive;
template <>
inline constexpr auto kLastOf<Activity> = Activity::visiting;
template <>
inline constexpr auto kLastOf<Source> = Source::counter;

template <class Archive>
void serialize(Archive& archive, FrameContext& context) {
    auto& [frame, frame_time, tick_in_frame, ticks_in_frame, idle_frames, last_alpha, back] =
        context;
    archive_fields(archive, frame, frame_time, tick_in_frame, ticks_in_frame, idle_frames,
                   last_alpha, back);
}

template <class Archive>
void serialize(Archive& archive, Rerun& rerun) {
    auto& [first_steps, back_from] = rerun;
    archive_fields(archive, first_steps, back_from);
}

template <class Archive>
void serialize(Archive& archive, Place& place) {
    auto& [activity, tick, steps] = place;
    archive_fields(archive, activity, tick, steps);
}

template <class Archive>
void serialize(Archive& archive, StateRecord& state) {
    auto& [ticks_done, hash, parts, context, steps, rerun] = state;
    archive_fields(archive, ticks_done, hash, parts, context, steps, rerun);
}

template <class Archive>
void serialize(Archive& archive, Checkpoint& checkpoint) {
    auto& [name, hash, parts] = checkpoint;
    archive_fields(archive, name, hash, parts);
}

template <class Archive>
void serialize(Archive& archive, Divergence& divergence) {
    auto& [computed, recorded, recorded_parts, last_agreed, last_agreed_steps] = divergence;
    archive_fields(archive, computed, recorded, recorded_parts, last_agreed, last_agreed_steps);
}

template <class Archive>
void serialize(Archive& archive, TrialStatistics& statistics) {
    auto& [ticks, ticks_reached, frames, hashes_compared, least_ticks_per_frame,
           most_ticks_per_frame, inputs_present, schedule_repeats, state_loads, least_ticks_back,
           most_ticks_back, ticks_undone, final_steps, hash_changed] = statistics;
    archive_fields(archive, ticks, ticks_reached, frames, hashes_compared, least_ticks_per_frame,
                   most_ticks_per_frame, inputs_present, schedule_repeats, state_loads,
                   least_ticks_back, most_ticks_back, ticks_undone, final_steps, hash_changed);
}

template <class Archive>
void serialize(Archive& archive, HostCalls& calls) {
    auto& [begin_frame, render] = calls;
    archive_fields(archive, begin_frame, render);
}

template <class Archive>
void serialize(Archive& archive, CallSite& site) {
    auto& [file, offset] = site;
    archive_fields(archive, file, offset);
}

template <class Archive>
void serialize(Archive& archive, SystemCall& call) {
    auto& [name, place, sites] = call;
    archive_fields(archive, name, place, sites);
}

template <class Archive>
void serialize(Archive& archive, SystemReads& reads) {
    auto& [source, count, first] = reads;
    archive_fields(archive, source, count, first);
}

template <class Archive>
void serialize(Archive& archive, TrialResult& result) {
    auto& [verdict, reason, refused, failed_in, divergence, statistics, last_hash, part_names,
           trace, checkpoints, dumped, dump_failed, note, bad_end, output, damaged_at, fresh, calls,
           capabilities, build_id, unread, reads, diverged_state] = result;
    archive_fields(archive, verdict, reason, refused, failed_in, divergence, statistics, last_hash,
                   part_names, trace, checkpoints, dumped, dump_failed, note, bad_end, damaged_at,
                   calls, capabilities, build_id, unread, reads, diverged_state);
}

template <class Archive>
void serialize(Archive& archive, RecordResult& result) {
    auto& [error, kept, ticks, frames, inputs_present, last_hash, session_digest, output] = result;
    archive_fields(archive, error, kept, ticks, frames, inputs_present, last_hash, session_digest);
}

template <class Archive>
void serialize(Archive& archive, ProbeResult& result) {
    auto& [verdict, reason, refused, work, capabilities, liveness, float_leaks, restores,
           transplants, types, globals, poisons, flips, output] = result;
    archive_fields(archive, verdict, reason, refused, work, capabilities, liveness, float_leaks,
                   restores, transplants, types, globals, poisons, flips);
}

template <class Archive>
void serialize(Archive& archive, SimulationFacts& facts) {
    auto& [name, summary, config_help, build_id, hash_algorithm, nan_policy, rate, least_players,
           most_players, usual_players, capabilities, has_bot, calls] = facts;
    archive_fields(archive, name, summary, config_help, build_id, hash_algorithm, nan_policy, rate,
                   least_players, most_players, usual_players, capabilities, has_bot, calls);
}

template <class Archive>
void serialize(Archive& archive, HeldAt& held) {
    auto& [ticks] = held;
    archive_fields(archive, ticks);
}

template <class Archive>
void serialize(Archive& archive, BurstResult& burst) {
    auto& [result, so_far] = burst;
    archive_fields(archive, result, so_far);
}

template <class Archive>
void serialize(Archive& archive, LedResults& results) {
    auto& [lead, bursts, why_none, cpu_ns] = results;
    archive_fields(archive, lead, bursts, why_none, cpu_ns);
}

}  // namespace isotick::harness
