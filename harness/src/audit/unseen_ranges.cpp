#include "unseen_ranges.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

UnseenRange* find(const MemoryRange& range, AuditReport& report) {
    for (AuditedType& type : report.types) {
        for (UnseenRange& unseen : type.ranges) {
            if (unseen.piece.range == range) {
                return &unseen;
            }
        }
    }
    return nullptr;
}

bool is_culprit(const UnseenRange& range) {
    return range.cures || range.kind == RangeKind::forgotten || range.kind == RangeKind::unclear;
}

bool overlap(const MemoryRange& a, const MemoryRange& b) {
    return a.type == b.type && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

// A word that turns out to be of one member is as good as that.
void take_name(std::span<const UnseenPiece> pieces, UnseenPiece& unnamed) {
    std::size_t members = 0;
    for (const UnseenPiece& piece : pieces) {
        if (!piece.member.empty() && overlap(piece.range, unnamed.range)) {
            unnamed.member += (unnamed.member.empty() ? "" : ", ") + piece.member;
            ++members;
        }
    }
    unnamed.word = unnamed.word && members != 1;
}

}  // namespace

void take_types(std::vector<TypeMemory> types, AuditReport& report) {
    for (TypeMemory& type : types) {
        AuditedType audited;
        for (const MemoryRange& range : type.unseen) {
            audited.unseen_bytes += range.size;
        }
        for (UnseenPiece& piece : type.pieces) {
            const RangeKind kind = piece.opaque ? RangeKind::pointer : RangeKind::untried;
            audited.ranges.push_back({std::move(piece), kind, false, {}});
        }
        audited.memory = std::move(type);
        report.types.push_back(std::move(audited));
    }
}

std::vector<MemoryRange> choose_ranges(const AuditReport& report, std::size_t most,
                                       const std::function<bool(const UnseenRange&)>& wanted) {
    std::size_t longest = 0;
    for (const AuditedType& type : report.types) {
        longest = std::max(longest, type.ranges.size());
    }
    std::vector<MemoryRange> chosen;
    for (std::size_t i = 0; i < longest; ++i) {
        for (const AuditedType& type : report.types) {
            if (i < type.ranges.size() && !type.memory.type.empty() && chosen.size() < most &&
                wanted(type.ranges[i])) {
                chosen.push_back(type.ranges[i].piece.range);
            }
        }
    }
    return chosen;
}

void take_facts(std::span<const PoisonFacts> poisons, std::span<const TransplantFacts> transplants,
                AuditReport& report) {
    for (const PoisonFacts& facts : poisons) {
        if (UnseenRange* unseen = find(facts.range, report)) {
            unseen->facts = facts;
            unseen->kind = kind_of(facts, (report.capabilities & ISOTICK_CAN_SAVE) != 0);
        }
    }
    for (const TransplantFacts& facts : transplants) {
        UnseenRange* unseen = find(facts.range, report);
        if (unseen != nullptr && facts.outcome == TransplantOutcome::cured) {
            unseen->cures = true;
        }
    }
}

std::vector<TypeMemory> globals_of(const AuditReport& report, std::span<const MemoryRange> ranges) {
    std::vector<TypeMemory> globals;
    for (const AuditedType& type : report.types) {
        const bool wanted = std::ranges::any_of(
            ranges, [&](const MemoryRange& range) { return range.type == type.memory.type; });
        if (wanted && !type.memory.offsets.empty()) {
            TypeMemory global;
            global.type = type.memory.type;
            global.size = type.memory.size;
            global.offsets = type.memory.offsets;
            globals.push_back(std::move(global));
        }
    }
    return globals;
}

bool has_culprits(const AuditReport& report) {
    return std::any_of(report.types.begin(), report.types.end(), [](const AuditedType& type) {
        return std::any_of(type.ranges.begin(), type.ranges.end(), is_culprit);
    });
}

void name_ranges(std::span<const TypeMemory> named, AuditReport& report) {
    for (AuditedType& type : report.types) {
        for (UnseenRange& range : type.ranges) {
            for (const TypeMemory& memory : named) {
                if (is_culprit(range)) {
                    take_name(memory.pieces, range.piece);
                }
            }
        }
    }
}

bool is_cured(const AuditReport& report) {
    return std::any_of(report.types.begin(), report.types.end(), [](const AuditedType& type) {
        return std::any_of(type.ranges.begin(), type.ranges.end(),
                           [](const UnseenRange& range) { return range.cures; });
    });
}

RangeKind kind_of(const PoisonFacts& facts, bool can_save) {
    switch (facts.outcome) {
        case PoisonOutcome::none:
        case PoisonOutcome::absent:
            return RangeKind::unused;
        case PoisonOutcome::seen:
            return RangeKind::seen;
        case PoisonOutcome::crashed:
        case PoisonOutcome::pointer:
            return RangeKind::pointer;
        case PoisonOutcome::future:
            break;
    }
    if (facts.repair == RepairOutcome::repaired) {
        return RangeKind::derived;
    }
    if (facts.repair == RepairOutcome::harmless) {
        return RangeKind::harmless;
    }
    if (facts.reset == ResetOutcome::none) {
        return RangeKind::resettable;
    }
    if (facts.reset == ResetOutcome::constant) {
        return RangeKind::constant;
    }
    return can_save ? RangeKind::forgotten : RangeKind::unclear;
}

}  // namespace isotick::harness
