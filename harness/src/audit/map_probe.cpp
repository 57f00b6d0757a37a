#include "object_memory.hpp"
#include "probe_json.hpp"
#include "probes.hpp"

#include <isotick/core/memory_map.hpp>

#include <map>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Wire = nlohmann::json;

// A byte that is seen in one object of the type is no blind spot in the others.
TypeMemory unseen_of(const core::MemoryType& type) {
    TypeMemory memory{type.name, type.size, type.objects, {}, {}};
    for (const core::UnseenRange& range : type.unseen) {
        if (range.objects == type.objects) {
            memory.unseen.push_back({type.name, range.offset, range.size});
        }
    }
    return memory;
}

Result<void> find_addresses(Stage& stage, core::Simulation& simulation, std::uint64_t at,
                            TypeMemory& type) {
    constexpr std::uint64_t kWord = sizeof(std::uint64_t);
    std::vector<MemoryRange> words;
    for (const MemoryRange& range : type.unseen) {
        const std::uint64_t end = range.offset + range.size;
        for (std::uint64_t word = (range.offset + kWord - 1) / kWord * kWord; word + kWord <= end;
             word += kWord) {
            words.push_back({type.type, word, kWord});
        }
    }
    const auto memories = ObjectMemory::find(stage, simulation, words, at);
    if (!memories) {
        return tl::unexpected(memories.error());
    }
    const OwnMemory own;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if ((*memories)[i].holds_address(own)) {
            type.addresses.push_back(words[i].offset);
        }
    }
    return {};
}

Result<Wire> map(Stage& stage, core::Simulation& simulation, std::uint64_t at) {
    stage.enter(Activity::visiting, at);
    const auto map = core::map_memory(simulation, {.samples = 2, .objects = 2});
    if (!map) {
        return tl::unexpected(map.error());
    }
    Wire types = Wire::array();
    for (const core::MemoryType& type : map->types) {
        TypeMemory memory = unseen_of(type);
        if (auto found = find_addresses(stage, simulation, at, memory); !found) {
            return tl::unexpected(found.error());
        }
        types.push_back(std::move(memory));
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

}  // namespace

void probe_map(Stage& stage, ProbeResult& result) {
    if (!stage.can(ISOTICK_HAS_MEMORY)) {
        return;
    }
    std::map<std::pair<std::string, std::uint64_t>, TypeMemory> types;
    for (const std::uint64_t at : stage.plan().at) {
        const SceneEnd end = stage.play(at, Tampering::no, [&](Stage::Instance& original) {
            return map(stage, *original, at);
        });
        if (!end.answer) {
            return give_up(result, end);
        }
        for (TypeMemory& type : end.answer->get<std::vector<TypeMemory>>()) {
            const auto [known, is_new] = types.try_emplace({type.type, type.size}, type);
            if (!is_new) {
                known->second.objects = std::max(known->second.objects, type.objects);
                known->second.unseen = common(known->second.unseen, type.unseen);
                auto& addresses = known->second.addresses;
                addresses.insert(addresses.end(), type.addresses.begin(), type.addresses.end());
            }
        }
    }
    for (auto& [name, type] : types) {
        result.types.push_back(std::move(type));
    }
}

}  // namespace isotick::harness
