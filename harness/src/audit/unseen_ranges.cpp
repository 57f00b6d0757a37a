#include "unseen_ranges.hpp"

#include "../system/site_names.hpp"

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

bool overlap(const MemoryRange& a, const MemoryRange& b) {
    return a.type == b.type && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

void note_cure(const MemoryRange& range, AuditReport& report) {
    for (AuditedType& type : report.types) {
        for (UnseenRange& unseen : type.ranges) {
            unseen.cures =
                unseen.cures || (overlap(unseen.piece.range, range) && !unseen.piece.padding);
        }
    }
}

// `grid_` of `grid_.columns_`; empty where it is no member of a struct.
std::string struct_of(const UnseenPiece& piece) {
    const std::size_t dot = piece.member.rfind('.');
    return dot == std::string::npos ? "" : piece.member.substr(0, dot);
}

// From the first to the last unseen member of that struct.
MemoryRange range_of(const AuditedType& type, const std::string& name) {
    MemoryRange range;
    for (const UnseenRange& unseen : type.ranges) {
        const MemoryRange& piece = unseen.piece.range;
        if (unseen.piece.member.starts_with(name + ".")) {
            const std::uint64_t begin =
                range.size == 0 ? piece.offset : std::min(range.offset, piece.offset);
            const std::uint64_t end =
                std::max(range.offset + range.size, piece.offset + piece.size);
            range = {piece.type, begin, end - begin};
        }
    }
    return range;
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
            audited.ranges.push_back({std::move(piece), kind, false, {}, {}});
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

std::vector<MemoryRange> structs_of(const AuditReport& report,
                                    std::span<const MemoryRange> ranges) {
    std::vector<MemoryRange> structs;
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            const std::string name = struct_of(unseen.piece);
            if (name.empty() || std::ranges::find(ranges, unseen.piece.range) == ranges.end()) {
                continue;
            }
            const MemoryRange whole = range_of(type, name);
            const bool is_more = whole != unseen.piece.range;
            if (is_more && std::ranges::find(structs, whole) == structs.end()) {
                structs.push_back(whole);
            }
        }
    }
    return structs;
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
        if (facts.outcome == TransplantOutcome::cured) {
            note_cure(facts.range, report);
        }
    }
}

void take_writers(std::span<const WriterFacts> writers, AuditReport& report) {
    for (const WriterFacts& facts : writers) {
        LastChange change{facts.tick, code_of(facts.sites, kMostFunctions)};
        if (!facts.path.empty()) {
            report.unrestored_change = std::move(change);
        } else if (UnseenRange* unseen = find(facts.range, report)) {
            unseen->last_change = std::move(change);
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

bool is_blamed(RangeKind kind) {
    return kind == RangeKind::forgotten || kind == RangeKind::unclear;
}

bool is_culprit(const UnseenRange& range) {
    return range.cures || is_blamed(range.kind);
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
