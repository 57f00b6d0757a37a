#include "judge.hpp"

#include "judge_snapshot.hpp"

#include <isotick/harness/trial.hpp>

#include <string>
#include <utility>

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
            "the simulation has a process of its own, which no copy of this one would have";
    } else if (can(report, ISOTICK_OWN_THREADS)) {
        report.flips_unavailable =
            "the simulation runs threads of its own, which no copy of its process would have";
    } else if (!save && !memory) {
        report.flips_unavailable = "the simulation declares no save and does not show its memory";
    }
}

// `slow_ticks_`, and its type and size; without a name, where it stands.
void judge_range(const UnseenRange& unseen, AuditReport& report) {
    const MemoryRange& range = unseen.piece.range;
    const std::string size = std::to_string(range.size) + " bytes";
    const bool named = !unseen.piece.member.empty();
    const auto blind = [&](Measurement measurement, const std::string& text) {
        report.blind_spots.push_back(
            {measurement, name_of(unseen.piece),
             (named ? size + " of " + range.type : "the " + size + " there") + " " + text});
    };
    if (unseen.kind == RangeKind::forgotten) {
        blind(Measurement::coverage,
              "decide the future, and neither hash nor snapshot know of them");
    } else if (unseen.kind == RangeKind::unclear) {
        blind(Measurement::coverage,
              "decide the future, and the hash does not see them; whether they follow from what "
              "it sees cannot be told without save");
    } else if (unseen.kind == RangeKind::seen && unseen.piece.padding) {
        blind(Measurement::hash, "are padding, and change the hash");
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
                                          "changed in memory, the hash stays the same (" +
                                              std::to_string(one.unseen) + " of " +
                                              std::to_string(one.tried) + " tried)"});
        } else if (one.sticky) {
            report.blind_spots.push_back(
                {Measurement::hash, one.path,
                 "changed in memory and changed back, the hash does not come back"});
        }
    }
    for (const std::string& what : flips.snapshot_unseen) {
        report.blind_spots.push_back(
            {Measurement::hash, what,
             "changed in a snapshot that is then loaded, the hash stays the same"});
    }
    if (flips.crashed) {
        report.notes.emplace_back("the simulation broke while changed values were hashed");
    }
}

void judge_twins(const LivenessFacts& facts, AuditReport& report) {
    for (const std::string& part : facts.parts_of_no_state) {
        report.blind_spots.push_back(
            {Measurement::hash, part,
             "two instances of the same state have another hash of it, though all fields are "
             "equal: it sees padding, an address or the like"});
    }
    if (facts.twins_differ) {
        report.blind_spots.push_back(
            {Measurement::liveness, "",
             "two instances of the same session compute different states, " +
                 describe(facts.twins)});
    }
}

void judge_liveness(AuditReport& report) {
    const LivenessFacts& facts = report.liveness;
    const auto blind = [&](const char* name, std::string text) {
        report.blind_spots.push_back({Measurement::liveness, name, std::move(text)});
    };
    judge_twins(facts, report);
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
    for (const Disturbance& one : facts.disturbances) {
        blind(one.call.c_str(), "changes the state: called in every tick, the hash is another " +
                                    describe(one.difference));
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

void conclude(AuditReport& report) {
    const bool measured = report.snapshot_unavailable.empty() ||
                          report.coverage_unavailable.empty() || report.flips_unavailable.empty();
    if (!report.blind_spots.empty()) {
        report.verdict = Verdict::diverged;
    } else if (!measured) {
        report.verdict = Verdict::inconclusive;
        report.reasons.emplace_back(
            "the simulation can neither be saved nor shows its memory: what its hash misses "
            "cannot be measured");
    } else if (report.ticks < 2) {
        report.verdict = Verdict::inconclusive;
        report.reasons.emplace_back("the session is too short to run anything on");
    }
}

}  // namespace

void judge(AuditReport& report) {
    note_what_is_not_available(report);
    for (AuditedType& type : report.types) {
        merge_words(type);
    }
    judge_snapshot(report);
    judge_coverage(report);
    judge_flips(report);
    if (report.liveness.ticks != 0) {
        judge_liveness(report);
    }
    conclude(report);
}

}  // namespace isotick::harness
