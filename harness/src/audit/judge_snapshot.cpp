#include "judge_snapshot.hpp"

#include <isotick/core/detail/text/joined.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <array>
#include <functional>

namespace isotick::harness {
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
std::vector<std::string> culprits(const AuditReport& report) {
    std::vector<std::string> names;
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            if (unseen.cures) {
                names.push_back(name_of(unseen.piece));
            }
        }
    }
    return names;
}

std::string fields_or_parts(const StateDifference& difference) {
    std::vector<std::string> paths;
    for (const DifferingField& field : difference.fields) {
        paths.push_back(field.path);
    }
    return core::joined(paths.empty() ? difference.parts : paths);
}

std::string share(const Restores& some, const AuditReport& report) {
    return std::to_string(some.size()) + " of " + std::to_string(report.restores.size()) +
           " restores";
}

void add_finding(AuditReport& report, std::string name, std::string text) {
    report.blind_spots.push_back({Measurement::snapshot, std::move(name), std::move(text)});
}

void judge_at_once(AuditReport& report) {
    const Restores some = those(report, [](const RestoreFacts& restore) {
        return shows_at_once(restore) && restore.way == RestoreWay::straight &&
               !is_equal_by_fields(restore);
    });
    if (!some.empty()) {
        const StateDifference& first = some.front()->difference;
        add_finding(report, fields_or_parts(first),
                    "is not restored: " + share(some, report) + " differ at once, the first " +
                        describe(first));
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
    const std::vector<std::string> names = culprits(report);
    const std::string cause =
        names.empty() ? "" : "; copying it from the original fixes the restored run";
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
                    "of the state after " + describe_state(refused->at) + ": " + refused->reason);
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

}  // namespace isotick::harness
