#include "judge.hpp"

#include "judge_snapshot.hpp"

#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

bool can(const AuditReport& report, std::uint64_t capability) {
    return (report.capabilities & capability) != 0;
}

void note_what_is_not_available(AuditReport& report) {
    const bool save = can(report, ISOTICK_CAN_SAVE);
    const bool memory = can(report, ISOTICK_HAS_MEMORY);
    if (!save) {
        report.snapshot_unavailable = "the simulation declares no save";
    }
    if (!memory) {
        report.coverage_unavailable = "the simulation does not show its memory";
    }
    if (can(report, ISOTICK_QUEUES_CALLS)) {
        report.flips_unavailable =
            "the simulation runs in another process, which forking would not copy";
    } else if (can(report, ISOTICK_OWN_THREADS)) {
        report.flips_unavailable =
            "the simulation runs its own threads, which forking would not copy";
    } else if (!save && !memory) {
        report.flips_unavailable = "the simulation declares no save and does not show its memory";
    }
}

// `slow_ticks_`, and its type and size; without a name, where it stands.
void judge_range(const UnseenRange& unseen, AuditReport& report) {
    const MemoryRange& range = unseen.piece.range;
    const std::string size = std::to_string(range.size) + " bytes";
    const std::string where = unseen.piece.global           ? size + " of a global or static"
                              : unseen.piece.member.empty() ? "the " + size + " there"
                                                            : size + " of " + range.type;
    const auto blind = [&](Measurement measurement, const std::string& text) {
        report.blind_spots.push_back({measurement, name_of(unseen.piece), where + " " + text});
    };
    if (unseen.kind == RangeKind::forgotten) {
        blind(Measurement::coverage,
              "affect later ticks, but neither the hash nor snapshots include them");
    } else if (unseen.kind == RangeKind::unclear) {
        blind(Measurement::coverage,
              "affect later ticks, and the hash misses them; without save, a cache cannot be told "
              "from state");
    } else if (unseen.kind == RangeKind::seen && unseen.piece.padding) {
        blind(Measurement::hash, "are padding, and change the hash");
    }
}

// A word may hold parts of two members, of which neither can be changed without the other: what
// comes of changing it then says nothing. One that makes a restored future right is no such word.
void doubt_words(AuditReport& report) {
    std::vector<std::string> doubtful;
    for (AuditedType& type : report.types) {
        for (UnseenRange& unseen : type.ranges) {
            const bool blames =
                unseen.kind == RangeKind::forgotten || unseen.kind == RangeKind::unclear;
            if (blames && unseen.piece.word && !unseen.cures) {
                unseen.kind = RangeKind::doubtful;
                doubtful.push_back(name_of(unseen.piece));
            }
        }
    }
    if (!doubtful.empty()) {
        report.notes.push_back(std::to_string(doubtful.size()) +
                               (doubtful.size() == 1 ? " word" : " words") +
                               " without a member's name, the first " + doubtful.front() +
                               "; in doubt: changing it changes later ticks, but two members may "
                               "share the word; build with -g to tell");
    }
}

void judge_coverage(AuditReport& report) {
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            judge_range(unseen, report);
        }
    }
}

void judge_flips(AuditReport& report) {
    const FlipFacts& flips = report.flips;
    for (const FlippedClass& one : flips.classes) {
        if (one.unseen != 0) {
            report.blind_spots.push_back({Measurement::hash, one.path,
                                          "changing it in memory does not change the hash (" +
                                              std::to_string(one.unseen) + " of " +
                                              std::to_string(one.tried) + " tried)"});
        } else if (one.sticky) {
            report.blind_spots.push_back(
                {Measurement::hash, one.path,
                 "changing it in memory and back does not restore the hash"});
        }
    }
    for (const std::string& what : flips.snapshot_unseen) {
        report.blind_spots.push_back(
            {Measurement::hash, what, "changing it in a loaded snapshot does not change the hash"});
    }
    for (const FlipBreak& one : flips.breaks) {
        report.notes.push_back(one.what + " breaks the simulation when changed: " + one.how);
    }
    if (flips.broken > flips.breaks.size()) {
        report.notes.push_back("so do " + std::to_string(flips.broken - flips.breaks.size()) +
                               " more");
    }
}

// Whether single bits could be changed and looked at, where there are any.
bool flips_failed(const AuditReport& report) {
    const FlipFacts& flips = report.flips;
    return flips.at != 0 && report.flips_unavailable.empty() && flips.classes.empty() &&
           flips.snapshot_taken == 0;
}

// How two instances of the same session differ, where they do: side by side, or beside a restored
// one.
const StateDifference* twins_difference(const AuditReport& report) {
    if (report.liveness.twins_differ) {
        return &report.liveness.twins;
    }
    const auto restore =
        std::ranges::find(report.restores, RestoreOutcome::unsettled, &RestoreFacts::outcome);
    return restore != report.restores.end() ? &restore->difference : nullptr;
}

void judge_twins(AuditReport& report) {
    if (const StateDifference* const twins = twins_difference(report)) {
        report.blind_spots.push_back(
            {Measurement::liveness, "",
             "two instances of the same session compute different states, " + describe(*twins) +
                 "; so restored instances prove nothing"});
    }
}

void judge_parts(const LivenessFacts& facts, AuditReport& report) {
    for (const std::string& part : facts.parts_of_no_state) {
        report.blind_spots.push_back(
            {Measurement::hash, part,
             "two instances hash the same state differently, though all fields are equal: the hash "
             "sees padding, an address or the like"});
    }
}

// What changing single values has not shown already.
void judge_fields(const FieldFacts& facts, AuditReport& report) {
    for (const std::string& path : facts.unhashed) {
        const bool told = std::ranges::any_of(report.blind_spots, [&](const BlindSpot& spot) {
            return spot.measurement == Measurement::hash && spot.name == path;
        });
        if (!told) {
            report.blind_spots.push_back(
                {Measurement::hash, path,
                 "changes between states, but the hash of its part does not"});
        }
    }
}

void judge_liveness(AuditReport& report) {
    const LivenessFacts& facts = report.liveness;
    const auto blind = [&](const char* name, std::string text) {
        report.blind_spots.push_back({Measurement::liveness, name, std::move(text)});
    };
    judge_parts(facts, report);
    if (!facts.hash_changed) {
        blind("hash", "never changed: does it see the state?");
    }
    if (facts.inputs_present != 0 && !facts.inputs_mattered) {
        blind("inputs", "never mattered: without any of them the hashes are the same");
    }
    if (facts.inputs_present == 0 && facts.players != 0) {
        report.notes.emplace_back("there are players, but no input in the session");
    }
    if (!facts.reproduced) {
        report.notes.push_back("the recorded hashes are not reproduced here, from " +
                               describe_state(facts.unreproduced) + " on");
    }
    judge_fields(facts.fields, report);
    for (const Disturbance& one : facts.disturbances) {
        const auto leak = std::ranges::find(report.float_leaks, one.call, &FloatLeak::call);
        blind(one.call.c_str(),
              "changes the state: if called in every tick, the hash differs " +
                  describe(one.difference) +
                  (leak == report.float_leaks.end()
                       ? ""
                       : "; it leaves the floating-point control words changed: " + leak->how));
    }
}

// Those that change a hash are told with that.
void note_float_leaks(AuditReport& report) {
    for (const FloatLeak& leak : report.float_leaks) {
        const bool told =
            std::ranges::find(report.liveness.disturbances, leak.call, &Disturbance::call) !=
            report.liveness.disturbances.end();
        if (!told) {
            report.notes.push_back(leak.call +
                                   " leaves its thread's floating-point control words changed: " +
                                   leak.how + (leak.observer ? ", which changed no hash" : ""));
        }
    }
}

bool is_bare(const UnseenRange& unseen) {
    return unseen.piece.member.empty() && !unseen.piece.padding;
}

// Words without names that turned out the same, and lie side by side, are one range to a reader.
void merge_words(AuditedType& type) {
    std::vector<UnseenRange> merged;
    for (UnseenRange& unseen : type.ranges) {
        UnseenRange* last = merged.empty() ? nullptr : &merged.back();
        if (last != nullptr && is_bare(*last) && is_bare(unseen) && last->kind == unseen.kind &&
            last->cures == unseen.cures &&
            last->piece.range.offset + last->piece.range.size == unseen.piece.range.offset) {
            last->piece.range.size += unseen.piece.range.size;
        } else {
            merged.push_back(std::move(unseen));
        }
    }
    type.ranges = std::move(merged);
}

std::string why_flips_failed(const FlipFacts& flips) {
    if (!flips.breaks.empty()) {
        return flips.breaks.front().what +
               " breaks the simulation when changed: " + flips.breaks.front().how;
    }
    return flips.snapshot_tried == 0
               ? "there was no value to change"
               : "load ignored the changed bit in all of the " +
                     std::to_string(flips.snapshot_tried) + " snapshots tried";
}

void conclude(AuditReport& report) {
    const bool measured = report.snapshot_unavailable.empty() ||
                          report.coverage_unavailable.empty() || report.flips_unavailable.empty() ||
                          (report.globals.unavailable.empty() && report.globals.variables != 0);
    if (!report.blind_spots.empty()) {
        report.verdict = Verdict::diverged;
    } else if (!measured) {
        report.verdict = Verdict::inconclusive;
        report.reasons.emplace_back(
            "the simulation offers neither save nor memory, so gaps in its hash cannot be "
            "measured");
    } else if (flips_failed(report)) {
        report.verdict = Verdict::inconclusive;
        report.reasons.push_back("hash: not measured: " + why_flips_failed(report.flips));
    } else if (report.ticks < 2) {
        report.verdict = Verdict::inconclusive;
        report.reasons.emplace_back("the session is too short for a run after a restore");
    }
}

}  // namespace

void judge(AuditReport& report) {
    note_what_is_not_available(report);
    for (AuditedType& type : report.types) {
        merge_words(type);
    }
    doubt_words(report);
    judge_twins(report);
    if (twins_difference(report) == nullptr) {
        judge_snapshot(report);
    }
    judge_coverage(report);
    judge_flips(report);
    note_float_leaks(report);
    if (report.liveness.ticks != 0) {
        judge_liveness(report);
    }
    conclude(report);
}

}  // namespace isotick::harness
