#pragma once
// Audit: measures what hash and snapshot of a simulation see, and what they miss.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/probe.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

struct AuditOptions {
    core::Settings environment;
    /// Of the session's beginning that are looked at. Probes are spread over all of these.
    std::uint64_t most_ticks = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t restores = 8;       ///< states that are saved, restored and run on
    std::uint64_t run_on = 120;       ///< ticks after a restore
    std::uint64_t poison_states = 3;  ///< states in which unseen memory is changed
    std::uint64_t poison_run_on = 64;
    std::uint64_t most_ranges = 64;  ///< of unseen memory that are changed
    std::uint64_t hang_ms = 5'000;   ///< see ProbePlan
    bool reloads = true;             ///< whether they are also loaded in fresh processes
    bool liveness = true;            ///< whether that is measured
    bool flips = true;               ///< whether single values are changed
    /// Whether unseen memory is split at the borders of members, for which all debug information
    /// is read; else only blind spots are given names.
    bool names = true;
};

/// What an audit is made of.
enum class Measurement { snapshot, coverage, hash, liveness };
/// `snapshot`, `coverage` …
[[nodiscard]] std::string_view to_string(Measurement measurement);

/// Something that influences the future, or the hash, and that the other does not see.
struct BlindSpot {
    Measurement measurement = Measurement::snapshot;
    std::string name;  ///< of the member, field, part or call; may be empty
    std::string text;  ///< one sentence, without the name, no trailing full stop
};

/// What a range of unseen memory turned out to be.
enum class RangeKind {
    unused,      ///< nothing changed: padding, a cache made anew in each tick, the renderer's own
    seen,        ///< the hash changed at once: seen by value
    constant,    ///< decides the future, but never changes: made from the session's setup
    derived,     ///< decides the future, and load writes it anew
    harmless,    ///< decides the future, but not the one after a load, which does not write it
    resettable,  ///< decides the future if changed, but not if set back to what create made of it
    forgotten,   ///< decides the future, and neither hash nor load know of it
    unclear,     ///< decides the future; without snapshots, state or a cache
    doubtful,    ///< forgotten or unclear, but a word that may hold parts of several members
    pointer,     ///< the simulation broke: holds a pointer or a size, and cannot be told this way
    untried,     ///< beyond the limit of ranges
};
[[nodiscard]] std::string_view to_string(RangeKind kind);
/// forgotten or unclear: a blind spot of its own.
[[nodiscard]] bool is_blamed(RangeKind kind);

/// The last tick that changed some memory before a state was saved without it.
struct LastChange {
    std::uint64_t tick = 0;
    std::vector<CodePlace> code;  ///< of the last write that did; innermost first; empty: unknown
    friend bool operator==(const LastChange&, const LastChange&) = default;
};

struct UnseenRange {
    UnseenPiece piece;
    RangeKind kind = RangeKind::untried;
    bool cures = false;  ///< copied over, it makes a restored future right that was not
    PoisonFacts facts;
    LastChange last_change;  ///< of what is to be named as a blind spot's cause
};

/// Bytes of all objects of a type.
struct AuditedType {
    TypeMemory memory;
    std::uint64_t unseen_bytes = 0;  ///< of one object
    std::vector<UnseenRange> ranges;
};

/// One recording's simulation, audited. Sections that could not be measured say why.
struct AuditReport {
    std::string recording;
    replay::RecordingHead head;
    core::Digest session_digest;
    std::uint64_t ticks = 0;  ///< of the recording that are intact
    std::uint64_t probes = 0;
    std::uint64_t work = 0;    ///< ticks simulated in all of them
    std::uint64_t probed = 0;  ///< ticks of the session that were run on after some intervention
    std::uint64_t capabilities = 0;
    std::string snapshot_unavailable;
    std::string coverage_unavailable;
    std::string flips_unavailable;
    LivenessFacts liveness;
    std::vector<FloatLeak> float_leaks;  ///< the first of each call
    std::vector<RestoreFacts> restores;
    /// Of the first field that a restore did not restore; in a container, of any of its elements.
    LastChange unrestored_change;
    std::vector<AuditedType> types;
    GlobalFacts globals;
    FlipFacts flips;
    std::vector<BlindSpot> blind_spots;
    std::vector<std::string> notes;  ///< worth knowing, decide nothing
    /// identical: no blind spot; diverged: at least one; nondeterministic: two runs of the same
    /// session differ, so that nothing can be measured; crashed, timed_out: the untouched
    /// simulation; unreadable; inconclusive: a measurement that it allows could not be made.
    Verdict verdict = Verdict::identical;
    std::vector<std::string> reasons;  ///< why, where it is none of the first two
    std::string output;                ///< what the simulation printed, each line once
};

/// Audits the simulation that `run` runs, over the session of `recording`. Every probe's seed is
/// derived from the session digest. Simulates a small multiple of the session's ticks. Fails where
/// the recording cannot be opened or does not fit the simulation.
[[nodiscard]] core::Result<AuditReport> audit(const std::string& recording,
                                              const AuditOptions& options, const ProbeRunner& run);

/// A few restores and poisonings, some thousand ticks at most, and no measurement of liveness.
/// `text` and `name` of the blind spots are one line each.
[[nodiscard]] core::Result<std::vector<BlindSpot>> quick_audit(const std::string& recording,
                                                               const core::Settings& environment,
                                                               const ProbeRunner& run);

/// `name: text`, or the text alone.
[[nodiscard]] std::string to_string(const BlindSpot& blind_spot);

}  // namespace isotick::harness
