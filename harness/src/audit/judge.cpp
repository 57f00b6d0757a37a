#include "judge.hpp"

#include "../system/rows.hpp"
#include "../system/site_names.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

// What restores say about a snapshot.

/// `middle_`; without a name, `StaleCacheSkirmish +304`.
[[nodiscard]] std::string name_of(const UnseenPiece& piece);

/// Fills in the blind spots that restores showed.
void judge_snapshot(AuditReport& report);

/// `after tick 17 in bodies: bodies[3].spin  0.5 → 0.25 (…), and 4 more fields`.
[[nodiscard]] std::string describe(const StateDifference& difference);

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
    } else if (report.types.empty()) {
        report.coverage_unavailable =
            "the simulation shows where its values are, but not the objects that have them";
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

// `; last changed by Spawner::step (spawner.cpp:40) in tick 17`, before it was to be saved.
std::string change_text(const LastChange& change, std::string_view what = "last changed") {
    return change.code.empty() ? ""
                               : "; " + std::string(what) + " by " + code_text(change.code) +
                                     " in tick " + std::to_string(change.tick);
}

// `slow_ticks_`, and its type and size; without a name, where it stands.
void judge_range(const UnseenRange& unseen, AuditReport& report) {
    const MemoryRange& range = unseen.piece.range;
    const bool is_one = range.size == 1;
    const std::string size = counted(range.size, "byte");
    const std::string where = unseen.piece.global           ? size + " of a global or static"
                              : unseen.piece.member.empty() ? "the " + size + " there"
                                                            : size + " of " + range.type;
    const std::string affects = is_one ? " affects later ticks, but " : " affect later ticks, but ";
    const std::string it = is_one ? "it" : "them";
    const auto blind = [&](Measurement measurement, const std::string& text) {
        report.blind_spots.push_back(
            {measurement, name_of(unseen.piece), where + text + change_text(unseen.last_change)});
    };
    if (unseen.kind == RangeKind::forgotten) {
        blind(Measurement::coverage, affects + "neither the hash nor snapshots include " + it);
    } else if (unseen.kind == RangeKind::unclear) {
        blind(Measurement::coverage, affects + "the hash misses " + it +
                                         "; without save, a cache cannot be told from state");
    } else if (unseen.kind == RangeKind::seen && unseen.piece.padding) {
        blind(Measurement::hash,
              is_one ? " is padding, and changes the hash" : " are padding, and change the hash");
    }
}

// A word may hold parts of two members, of which neither can be changed without the other: what
// comes of changing it then says nothing. One that makes a restored future right is no such word.
void doubt_words(AuditReport& report) {
    std::vector<std::string> doubtful;
    for (AuditedType& type : report.types) {
        for (UnseenRange& unseen : type.ranges) {
            if (is_blamed(unseen.kind) && unseen.piece.word && !unseen.cures) {
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
            last->cures == unseen.cures && last->last_change == unseen.last_change &&
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

namespace {

using Restores = std::vector<const RestoreFacts*>;

bool is_equal_by_fields(const RestoreFacts& restore) {
    const StateDifference& difference = restore.difference;
    return difference.ticks_done == restore.at && difference.fields_known &&
           difference.fields_total == 0;
}

bool shows_at_once(const RestoreFacts& restore) {
    return restore.difference.ticks_done == restore.at;
}

Restores those(const AuditReport& report, const std::function<bool(const RestoreFacts&)>& wanted) {
    Restores some;
    for (const RestoreFacts& restore : report.restores) {
        if (restore.outcome == RestoreOutcome::differs && wanted(restore)) {
            some.push_back(&restore);
        }
    }
    return some;
}

// The members that, copied over, made a restored future right.
std::vector<const UnseenRange*> cures(const AuditReport& report) {
    std::vector<const UnseenRange*> cures;
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            if (unseen.cures) {
                cures.push_back(&unseen);
            }
        }
    }
    return cures;
}

std::string fields_or_parts(const StateDifference& difference) {
    std::vector<std::string> paths;
    for (const DifferingField& field : difference.fields) {
        paths.push_back(field.path);
    }
    return core::joined(paths.empty() ? difference.parts : paths);
}

// Of those that were made in the same way.
std::string share(const Restores& some, const AuditReport& report) {
    const RestoreWay way = some.front()->way;
    const auto all = std::ranges::count(report.restores, way, &RestoreFacts::way);
    return std::to_string(some.size()) + " of " + std::to_string(all) +
           (way == RestoreWay::straight   ? " restores into a new instance"
            : way == RestoreWay::set_back ? " restores into the instance that saved"
                                          : " restores");
}

void add_finding(AuditReport& report, std::string name, std::string text) {
    report.blind_spots.push_back({Measurement::snapshot, std::move(name), std::move(text)});
}

Restores those_at_once(const AuditReport& report) {
    return those(report, [](const RestoreFacts& restore) {
        return shows_at_once(restore) && restore.way == RestoreWay::straight &&
               !is_equal_by_fields(restore);
    });
}

void judge_at_once(AuditReport& report) {
    const Restores some = those_at_once(report);
    if (!some.empty()) {
        const StateDifference& first = some.front()->difference;
        const bool has_elements =
            !first.fields.empty() && first.fields[0].path.find('[') != std::string::npos;
        add_finding(
            report, fields_or_parts(first),
            "is not restored: " + share(some, report) + " differ at once, the first " +
                describe(first) +
                change_text(report.unrestored_change,
                            has_elements ? "last change to any such element" : "last changed"));
    }
}

void judge_later(AuditReport& report) {
    const Restores some = those(report, [](const RestoreFacts& restore) {
        return !shows_at_once(restore) && restore.way == RestoreWay::straight;
    });
    if (some.empty()) {
        return;
    }
    const RestoreFacts& first = *some.front();
    std::vector<std::string> names;
    std::string cause;
    const std::vector<const UnseenRange*> curing = cures(report);
    for (const UnseenRange* const range : curing) {
        names.push_back(name_of(range->piece));
    }
    if (!curing.empty()) {
        cause = "; copying it from the original fixes the restored run" +
                (curing.size() == 1 && !is_blamed(curing.front()->kind)
                     ? change_text(curing.front()->last_change)
                     : "");
    }
    add_finding(report, core::joined(names),
                "restored states match at first, but later ticks differ: " + share(some, report) +
                    ", the first saved after " + describe_state(first.at) + ", differs " +
                    describe(first.difference) + cause);
}

// Worth a line of its own only where new instances are restored well.
void judge_set_back(AuditReport& report) {
    const bool told = std::any_of(
        report.blind_spots.begin(), report.blind_spots.end(),
        [](const BlindSpot& spot) { return spot.measurement == Measurement::snapshot; });
    const Restores some = those(
        report, [](const RestoreFacts& restore) { return restore.way == RestoreWay::set_back; });
    if (!told && !some.empty()) {
        const StateDifference& first = some.front()->difference;
        add_finding(report, fields_or_parts(first),
                    "loading into a used instance does not replace all of its state: " +
                        share(some, report) + ", the first " + describe(first));
    }
}

struct WayText {
    RestoreWay way;
    const char* text;
};

constexpr std::array kWays{
    WayText{RestoreWay::later,
            "a snapshot is valid only until the simulation goes on: loaded after more ticks and "
            "another save"},
    WayText{RestoreWay::replaced,
            "a snapshot needs the instance that saved it: loaded after that instance ended"},
    WayText{RestoreWay::fresh, "a snapshot needs the process that saved it: loaded in another"},
};

// What came of it where load did not go well at once.
std::string outcome_of(const RestoreFacts& restore) {
    return restore.outcome == RestoreOutcome::differs
               ? "the restored state differs " + describe(restore.difference)
               : restore.reason;
}

// Snapshots that work, but only straight after they were saved.
void judge_ways(AuditReport& report) {
    for (const auto& [way, text] : kWays) {
        Restores some;
        for (const RestoreFacts& restore : report.restores) {
            if (restore.way == way && restore.outcome != RestoreOutcome::matched) {
                some.push_back(&restore);
            }
        }
        if (!some.empty()) {
            add_finding(report, "",
                        std::string(text) + ", " + share(some, report) +
                            " go wrong, the first of what was "
                            "saved after " +
                            describe_state(some.front()->at) + ": " + outcome_of(*some.front()));
        }
    }
}

// Restored instances that break, or whose snapshot is refused, straight away.
void judge_refused(AuditReport& report) {
    const auto refused = std::ranges::find_if(report.restores, [](const RestoreFacts& restore) {
        const bool early =
            restore.way == RestoreWay::straight || restore.way == RestoreWay::set_back;
        return early && (restore.outcome == RestoreOutcome::refused ||
                         restore.outcome == RestoreOutcome::broke);
    });
    if (refused != report.restores.end()) {
        add_finding(report, "",
                    "the state after " + describe_state(refused->at) +
                        (refused->outcome == RestoreOutcome::refused
                             ? " cannot be saved and restored: "
                             : " does not run on once it is restored: ") +
                        refused->reason);
    }
}

void judge_equal(AuditReport& report) {
    const Restores some = those(report, is_equal_by_fields);
    if (!some.empty()) {
        report.blind_spots.push_back(
            {Measurement::hash, core::joined(some.front()->difference.parts),
             "a restored state has another hash, though all fields are equal"});
    }
}

}  // namespace

std::string name_of(const UnseenPiece& piece) {
    return piece.member.empty() ? piece.range.type + " +" + std::to_string(piece.range.offset)
                                : piece.member;
}

std::string describe(const StateDifference& difference) {
    std::string text = describe_state(difference.ticks_done);
    text = (difference.ticks_done == 0 ? "in " : "after ") + text;
    text += " in " + core::joined(difference.parts);
    if (difference.fields.empty()) {
        return text;
    }
    text += ": " + difference.fields.front().text;
    if (difference.fields_total > 1) {
        text += ", and " + std::to_string(difference.fields_total - 1) + " more";
    }
    return text;
}

void judge_snapshot(AuditReport& report) {
    judge_refused(report);
    judge_at_once(report);
    judge_later(report);
    judge_set_back(report);
    judge_ways(report);
    judge_equal(report);
}

const RestoreFacts* first_unrestored(const AuditReport& report) {
    const Restores some = those_at_once(report);
    return some.empty() || some.front()->difference.fields.empty() ? nullptr : some.front();
}

}  // namespace isotick::harness
