#pragma once
// Types of core in messages. What has rules is made by its own functions again, which refuse what
// breaks them.

#include "../imports/captures.hpp"
#include "job.hpp"
#include "message_archives.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/probe.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<core::ErrorCode> = core::ErrorCode::simulation;

template <class T>
[[nodiscard]] T value_or_throw(core::Result<T> result) {
    if (!result) {
        throw std::invalid_argument(result.error().message);
    }
    return *std::move(result);
}

/// The frames of a capture: the path of a file that only this run knows, or, where somebody else
/// made them, one by one.
using CarriedFrames = std::variant<std::string, std::vector<std::int64_t>>;

/// Of all captures that a schedule names, in the order of its text.
[[nodiscard]] inline std::vector<CarriedFrames> carried_frames(const core::Schedule& schedule) {
    std::vector<CarriedFrames> all;
    for (const core::ScheduleItem& item : schedule.items()) {
        if (item.capture.capture) {
            const core::CapturedFrames& frames = *item.capture.capture->frames;
            std::string path = stored_path(frames);
            if (path.empty()) {
                all.emplace_back(std::vector(frames.ends().begin(), frames.ends().end()));
            } else {
                all.emplace_back(std::move(path));
            }
        }
    }
    return all;
}

[[nodiscard]] inline core::Schedule schedule_of(const std::string& text,
                                                std::vector<CarriedFrames> captures) {
    std::size_t next = 0;
    const auto resolve = [&](const std::string&) {
        CarriedFrames& frames = captures.at(next++);
        const auto* path = std::get_if<std::string>(&frames);
        return path != nullptr ? open_stored_frames(*path)
                               : core::CapturedFrames::own(
                                     std::get<std::vector<std::int64_t>>(std::move(frames)));
    };
    return value_or_throw(core::Schedule::parse(text, resolve));
}

}  // namespace isotick::harness

// Where cereal finds them.
namespace isotick::core {

template <class Archive>
void serialize(Archive& archive, Tick& tick) {
    archive(tick.value);
}

template <class Archive>
void serialize(Archive& archive, FrameTime& time) {
    archive(time.nanoseconds);
}

template <class Archive>
void serialize(Archive& archive, StateHash& hash) {
    archive(hash.value);
}

template <class Archive>
void serialize(Archive& archive, PartHash& hash) {
    archive(hash.value);
}

template <class Archive>
void serialize(Archive& archive, Digest& digest) {
    archive(digest.low, digest.high);
}

template <class Archive>
void serialize(Archive& archive, Error& error) {
    auto& [code, message, file, offset, tick] = error;
    harness::archive_fields(archive, code, message, file, offset, tick);
}

template <class Archive>
void save(Archive& archive, const TickRate& rate) {
    archive(rate.numerator(), rate.denominator());
}
template <class Archive>
void load(Archive& archive, TickRate& rate) {
    std::uint32_t numerator = 0;
    std::uint32_t denominator = 0;
    archive(numerator, denominator);
    rate = harness::value_or_throw(TickRate::make(numerator, denominator));
}

template <class Archive>
void save(Archive& archive, const Settings& settings) {
    archive(settings.entries());
}
template <class Archive>
void load(Archive& archive, Settings& settings) {
    std::vector<Settings::Entry> entries;
    archive(entries);
    settings = Settings();
    for (auto& [key, value] : entries) {
        if (auto set = settings.set(std::move(key), std::move(value)); !set) {
            throw std::invalid_argument(set.error().message);
        }
    }
}

template <class Archive>
void save(Archive& archive, const LoopOptions& loop) {
    archive(to_string(loop));
}
template <class Archive>
void load(Archive& archive, LoopOptions& loop) {
    std::string text;
    archive(text);
    loop = harness::value_or_throw(parse_loop(text));
}

template <class Archive>
void save(Archive& archive, const Schedule& schedule) {
    archive(schedule.to_string(), harness::carried_frames(schedule));
}
template <class Archive>
void load(Archive& archive, Schedule& schedule) {
    std::string text;
    std::vector<harness::CarriedFrames> captures;
    archive(text, captures);
    schedule = harness::schedule_of(text, std::move(captures));
}

template <class Archive>
void serialize(Archive& archive, SimulationSetup& setup) {
    auto& [rate, players, seed, config, environment] = setup;
    harness::archive_fields(archive, rate, players, seed, config, environment);
}

}  // namespace isotick::core

namespace isotick::harness {

// The name of a simulation in messages, and whose word it is.

template <class Archive>
void save(Archive& archive, const SimulationName& name) {
    archive(name.text(), name.is_recorded());
}
template <class Archive>
void load(Archive& archive, SimulationName& name) {
    std::string text;
    bool is_recorded = false;
    archive(text, is_recorded);
    name = is_recorded ? SimulationName::recorded(std::move(text))
                       : SimulationName::chosen(std::move(text));
}

// The fields of what probes find out. Each struct is taken apart into all its members, so that a
// new one does not compile until it is here.

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

// The fields of what a worker is asked to do. Each struct is taken apart into all its members, so
// that a new one does not compile until it is here.

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

// The fields of what a worker answers, but for what its parent adds: `output` and `fresh`. Each
// struct is taken apart into all its members, so that a new one does not compile until it is here.

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
