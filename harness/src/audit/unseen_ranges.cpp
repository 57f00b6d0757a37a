#include "unseen_ranges.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kWord = 8;

// As pointers and most members lie.
std::vector<NamedRange> words_of(const MemoryRange& range) {
    std::vector<NamedRange> words;
    const std::uint64_t end = range.offset + range.size;
    for (std::uint64_t begin = range.offset; begin < end;) {
        const std::uint64_t next = std::min(end, (begin / kWord + 1) * kWord);
        words.push_back({{range.type, begin, next - begin}, "", false});
        begin = next;
    }
    return words;
}

UnseenRange* find(const MemoryRange& range, AuditReport& report) {
    for (AuditedType& type : report.types) {
        for (UnseenRange& unseen : type.ranges) {
            if (unseen.named.range == range) {
                return &unseen;
            }
        }
    }
    return nullptr;
}

void split(AuditedType& type, const MemberNames& names) {
    for (const MemoryRange& range : type.memory.unseen) {
        std::vector<NamedRange> pieces = names ? names(range) : std::vector<NamedRange>();
        if (pieces.empty()) {
            pieces = words_of(range);
        }
        for (NamedRange& piece : pieces) {
            type.ranges.push_back({std::move(piece), RangeKind::untried, false, {}});
        }
    }
}

}  // namespace

void take_types(std::vector<TypeMemory> types, AuditReport& report) {
    for (TypeMemory& type : types) {
        AuditedType audited;
        for (const MemoryRange& range : type.unseen) {
            audited.unseen_bytes += range.size;
        }
        audited.memory = std::move(type);
        report.types.push_back(std::move(audited));
    }
}

std::vector<MemoryRange> choose_ranges(AuditReport& report, const MemberNames& names,
                                       std::size_t most) {
    std::size_t longest = 0;
    for (AuditedType& type : report.types) {
        split(type, names);
        longest = std::max(longest, type.ranges.size());
    }
    std::vector<MemoryRange> chosen;
    for (std::size_t i = 0; i < longest; ++i) {
        for (AuditedType& type : report.types) {
            const bool wanted = i < type.ranges.size() && !type.memory.type.empty();
            if (wanted && type.ranges[i].named.padding) {
                type.ranges[i].kind = RangeKind::unused;
            } else if (wanted && chosen.size() < most) {
                chosen.push_back(type.ranges[i].named.range);
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

RangeKind kind_of(const PoisonFacts& facts, bool can_save) {
    switch (facts.outcome) {
        case PoisonOutcome::none:
        case PoisonOutcome::absent:
            return RangeKind::unused;
        case PoisonOutcome::seen:
            return RangeKind::seen;
        case PoisonOutcome::crashed:
            return RangeKind::pointer;
        case PoisonOutcome::future:
            break;
    }
    if (facts.repair == RepairOutcome::repaired || facts.reset == ResetOutcome::none) {
        return RangeKind::derived;
    }
    if (facts.reset == ResetOutcome::constant) {
        return RangeKind::constant;
    }
    return can_save ? RangeKind::forgotten : RangeKind::unclear;
}

}  // namespace isotick::harness
