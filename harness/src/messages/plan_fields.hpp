#pragma once
// The fields of what a worker is asked to do. Each struct is taken apart into all its members, so
// that a new one does not compile until it is here.

#include "../worker/job.hpp"
#include "core_fields.hpp"
#include "name_fields.hpp"
#include "probe_fields.hpp"

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<InputEditKind> = InputEditKind::replace;
template <>
inline constexpr auto kLastOf<HashFile::Use> = HashFile::Use::compare;
template <>
inline constexpr auto kLastOf<InputSource> = InputSource::recording;
template <>
inline constexpr auto kLastOf<ProbeKind> = ProbeKind::flip;

template <class Archive>
void serialize(Archive& archive, AxisValue& at) {
    auto& [axis, value] = at;
    archive_fields(archive, axis, value);
}

template <class Archive>
void serialize(Archive& archive, Drive& drive) {
    auto& [loop, schedule, axes] = drive;
    archive_fields(archive, loop, schedule, axes);
}

template <class Archive>
void serialize(Archive& archive, InputEdit& edit) {
    auto& [player, first, last, kind, bytes] = edit;
    archive_fields(archive, player, first, last, kind, bytes);
}

template <class Archive>
void serialize(Archive& archive, StateRange& range) {
    auto& [first, last] = range;
    archive_fields(archive, first, last);
}

template <class Archive>
void serialize(Archive& archive, DumpRequest& dump) {
    auto& [path, steps] = dump;
    archive_fields(archive, path, steps);
}

template <class Archive>
void serialize(Archive& archive, WatchRequest& watch) {
    auto& [path, fields] = watch;
    archive_fields(archive, path, fields);
}

template <class Archive>
void serialize(Archive& archive, FieldDigestRequest& request) {
    auto& [path] = request;
    archive_fields(archive, path);
}

template <class Archive>
void serialize(Archive& archive, HashFile& file) {
    auto& [path, use] = file;
    archive_fields(archive, path, use);
}

template <class Archive>
void serialize(Archive& archive, SnapshotRequest& snapshot) {
    auto& [path, ticks_done] = snapshot;
    archive_fields(archive, path, ticks_done);
}

template <class Archive>
void serialize(Archive& archive, CourseRequest& course) {
    auto& [path, save_at, begin_from, recording] = course;
    archive_fields(archive, path, save_at, begin_from, recording);
}

template <class Archive>
void serialize(Archive& archive, TrialPlan& plan) {
    auto& [recording, environment, drive, until, most_steps, inputs, hashes, most_frames, trace,
           dump, watch, field_digests, checkpoints_of, course, one_call_at_a_time,
           keep_diverged_state] = plan;
    archive_fields(archive, recording, environment, drive, until, most_steps, inputs, hashes,
                   most_frames, trace, dump, watch, field_digests, checkpoints_of, course,
                   one_call_at_a_time, keep_diverged_state);
}

template <class Archive>
void serialize(Archive& archive, RecordPlan& plan) {
    auto& [path, overwrite, appearance, setup, ticks, drive, inputs, recorded_inputs,
           sample_every_tick, edits, finish, hash_every, parts_every, notes] = plan;
    archive_fields(archive, path, setup, ticks, drive, inputs, recorded_inputs, sample_every_tick,
                   edits, finish, hash_every, parts_every, notes);
    if constexpr (Archive::is_loading::value) {
        overwrite = false;
        appearance = replay::Appearance::filled_in;  // record_in_worker makes the file
        if (!recorded_inputs.empty()) {
            inputs = InputSource::recording;
        } else if (inputs == InputSource::recording) {
            throw std::invalid_argument("inputs of no recording");
        }
    }
}

template <class Archive>
void serialize(Archive& archive, ProbePlan& plan) {
    auto& [recording, environment, kind, most_ticks, at, run_on, seed, ignored_parts, ranges,
           opaque, names, globals, snapshot, fresh, hang_ms] = plan;
    archive_fields(archive, recording, environment, kind, most_ticks, at, run_on, seed,
                   ignored_parts, ranges, opaque, names, globals, snapshot, fresh, hang_ms);
}

template <class Archive>
void serialize(Archive& archive, HeldTrial& held) {
    auto& [plan, before_frame] = held;
    archive_fields(archive, plan, before_frame);
}

template <class Archive>
void serialize(Archive& /*archive*/, FactsPlan& /*plan*/) {}

template <class Archive>
void serialize(Archive& /*archive*/, DropPlan& /*plan*/) {}

template <class Archive>
void serialize(Archive& archive, Burst& burst) {
    auto& [before_frame, plan] = burst;
    archive_fields(archive, before_frame, plan);
}

template <class Archive>
void serialize(Archive& archive, LedTrials& trials) {
    auto& [lead, bursts, lead_counts] = trials;
    archive_fields(archive, lead, bursts, lead_counts);
}

template <class Archive>
void serialize(Archive& archive, LedPlan& plan) {
    auto& [trials, hang_ms, deadline_ns] = plan;
    archive_fields(archive, trials, hang_ms, deadline_ns);
}

template <class Archive>
void serialize(Archive& archive, Job& job) {
    auto& [simulation, memory_limit, plan, locales] = job;
    archive_fields(archive, simulation, memory_limit, plan, locales);
}

}  // namespace isotick::harness
