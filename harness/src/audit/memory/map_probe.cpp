#include "../names/member_pieces.hpp"
#include "../probes/object_memory.hpp"
#include "../probes/probes.hpp"
#include "global_probe.hpp"

#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/try.hpp>

#include <map>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// A byte that is seen in one object of the type is no blind spot in the others.
TypeMemory unseen_of(const core::MemoryType& type) {
    TypeMemory memory{type.name, type.size, type.objects, type.made_up, {}, {}, {}};
    for (const core::UnseenRange& range : type.unseen) {
        if (range.objects == type.objects) {
            memory.unseen.push_back({type.name, range.offset, range.size});
        }
    }
    return memory;
}

Result<std::vector<TypeMemory>> map(Stage& stage, core::Simulation& simulation, std::uint64_t at) {
    stage.enter(Activity::visiting, at);
    ISOTICK_TRY_ASSIGN(const auto map, core::map_memory(simulation, {.samples = 2, .objects = 2}));
    std::vector<TypeMemory> types;
    for (const core::MemoryType& type : map.types) {
        types.push_back(unseen_of(type));
    }
    return types;
}

std::vector<MemoryRange> common(const std::vector<MemoryRange>& a,
                                const std::vector<MemoryRange>& b) {
    std::vector<MemoryRange> both;
    for (const MemoryRange& one : a) {
        for (const MemoryRange& other : b) {
            const std::uint64_t begin = std::max(one.offset, other.offset);
            const std::uint64_t end = std::min(one.offset + one.size, other.offset + other.size);
            if (begin < end) {
                both.push_back({one.type, begin, end - begin});
            }
        }
    }
    return both;
}

// Members of which an object holds an address are no plain values.
Result<std::vector<TypeMemory>> find_mapped_addresses(Stage& stage, core::Simulation& simulation,
                                                      std::vector<TypeMemory> types,
                                                      std::uint64_t at) {
    std::vector<MemoryRange> ranges;
    for (const TypeMemory& type : types) {
        for (const UnseenPiece& piece : type.pieces) {
            ranges.push_back(piece.range);
        }
    }
    ISOTICK_TRY_ASSIGN(const auto memories, ObjectMemory::find(stage, simulation, ranges, at));
    const OwnMemory own;
    auto memory = memories.begin();
    for (TypeMemory& type : types) {
        for (UnseenPiece& piece : type.pieces) {
            const bool holds_address = (memory++)->holds_address(own);
            piece.opaque = piece.opaque || holds_address;
        }
    }
    return types;
}

// Whether that went well.
bool map_objects(Stage& stage, ProbeResult& result) {
    std::map<std::pair<std::string, std::uint64_t>, TypeMemory> types;
    for (const std::uint64_t at : stage.plan().at) {
        auto mapped = stage.play(at, Tampering::no, [&](Stage::Instance& original) {
            return map(stage, *original, at);
        });
        if (!mapped) {
            give_up(result, mapped.error());
            return false;
        }
        for (TypeMemory& type : *mapped) {
            const auto [known, is_new] = types.try_emplace({type.type, type.size}, type);
            if (!is_new) {
                known->second.objects = std::max(known->second.objects, type.objects);
                known->second.made_up = std::max(known->second.made_up, type.made_up);
                known->second.unseen = common(known->second.unseen, type.unseen);
            }
        }
    }
    MemberNames names;
    for (auto& [name, type] : types) {
        split_into_pieces(type, stage.plan().names ? &names : nullptr);
        result.types.push_back(std::move(type));
    }
    const std::uint64_t last = stage.plan().at.back();
    auto types_with_addresses = stage.play(last, Tampering::no, [&](Stage::Instance& original) {
        return find_mapped_addresses(stage, *original, result.types, last);
    });
    if (!types_with_addresses) {
        give_up(result, types_with_addresses.error());
        return false;
    }
    result.types = *std::move(types_with_addresses);
    return true;
}

}  // namespace

void probe_map(Stage& stage, ProbeResult& result) {
    if (stage.can(ISOTICK_HAS_MEMORY) && !map_objects(stage, result)) {
        return;
    }
    if (stage.plan().names) {
        if (const auto end = map_globals(stage, result)) {
            give_up(result, *end);
        }
    }
}

}  // namespace isotick::harness
