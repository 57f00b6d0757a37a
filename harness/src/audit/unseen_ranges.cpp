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

// What stands there before anything was tried.
RangeKind first_kind(const NamedRange& named, const TypeMemory& type) {
    const MemoryRange& range = named.range;
    const bool holds_address =
        std::any_of(type.addresses.begin(), type.addresses.end(), [&](std::uint64_t address) {
            return address >= range.offset && address + kWord <= range.offset + range.size;
        });
    return holds_address ? RangeKind::pointer : RangeKind::untried;
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

void split_ranges(const MemberNames& names, AuditReport& report) {
    for (AuditedType& type : report.types) {
        for (const MemoryRange& range : type.memory.unseen) {
            std::vector<NamedRange> pieces = names ? names(range) : std::vector<NamedRange>();
            if (pieces.empty()) {
                pieces = words_of(range);
            }
            for (NamedRange& piece : pieces) {
                const RangeKind kind = first_kind(piece, type.memory);
                type.ranges.push_back({std::move(piece), kind, false, {}});
            }
        }
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
    if (facts.repair == RepairOutcome::repaired || facts.reset == ResetOutcome::none) {
        return RangeKind::derived;
    }
    if (facts.reset == ResetOutcome::constant) {
        return RangeKind::constant;
    }
    return can_save ? RangeKind::forgotten : RangeKind::unclear;
}

}  // namespace isotick::harness
