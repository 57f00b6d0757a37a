#include "global_probe.hpp"

#include "../probes/object_memory.hpp"
#include "../probes/own_library.hpp"
#include "../probes/scene_answers.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kMostLooks = 256;

/// A value in all objects of its variable.
struct Watched {
    const GlobalVariable* variable = nullptr;
    const NamedMember* member = nullptr;
    Bytes initial;
    bool changed = false;
    bool holds_address = false;

    [[nodiscard]] Bytes read() const {
        Bytes bytes(variable->addresses.size() * member->size);
        std::byte* to = bytes.data();
        for (const std::uint64_t address : variable->addresses) {
            std::memcpy(to, reinterpret_cast<const void*>(address + member->offset), member->size);
            to += member->size;
        }
        return bytes;
    }
};

std::vector<Watched> all_of(const std::vector<GlobalVariable>& variables) {
    std::vector<Watched> all;
    for (const GlobalVariable& variable : variables) {
        for (const NamedMember& member : variable.members) {
            all.push_back({&variable, &member, {}, false, false});
        }
    }
    return all;
}

void look(std::vector<Watched>& all, std::uint64_t done) {
    for (Watched& one : all) {
        if (done == 0) {
            one.initial = one.read();
        } else if (!one.changed) {
            one.changed = one.read() != one.initial;
        }
    }
}

MemoryRange range_of(const Watched& one) {
    return {"global " + one.variable->name, one.member->offset, one.member->size};
}

void find_global_addresses(std::vector<Watched>& all) {
    const OwnMemory own;
    for (Watched& one : all) {
        const MemoryRange range = range_of(one);
        ObjectMemory memory(range);
        for (const std::uint64_t address : one.variable->addresses) {
            memory.add(range.type.c_str(), reinterpret_cast<void*>(address), one.variable->size);
        }
        one.holds_address = memory.holds_address(own);
    }
}

// Which of them ever change, and which hold an address then.
Result<std::vector<WatchedGlobal>> watch(Stage& stage, core::Simulation& simulation,
                                         std::vector<Watched> all) {
    const std::uint64_t ticks = stage.session().ticks();
    const std::uint64_t stride = ticks / kMostLooks + 1;
    for (std::uint64_t done = 0;;) {
        look(all, done);
        if (done == ticks) {
            break;
        }
        const std::uint64_t next = std::min(done + stride, ticks);
        ISOTICK_TRY(stage.advance(simulation, done, next));
        done = next;
    }
    find_global_addresses(all);
    std::vector<WatchedGlobal> answer;
    for (const Watched& one : all) {
        answer.push_back({one.changed, one.holds_address});
    }
    return answer;
}

std::string path_of(const Watched& one) {
    return one.member->path.empty() ? one.variable->name
                                    : one.variable->name + "." + one.member->path;
}

void add_global(const Watched& one, const OwnLibrary& library, std::vector<TypeMemory>& types) {
    const MemoryRange range = range_of(one);
    if (types.empty() || types.back().type != range.type) {
        TypeMemory type;
        type.type = range.type;
        type.size = one.variable->size;
        type.objects = one.variable->addresses.size();
        for (const std::uint64_t address : one.variable->addresses) {
            type.offsets.push_back(address - library.base);
        }
        types.push_back(std::move(type));
    }
    UnseenPiece piece;
    piece.range = range;
    piece.member = path_of(one);
    piece.global = true;
    piece.opaque = !one.member->plain || one.holds_address;
    types.back().unseen.push_back(range);
    types.back().pieces.push_back(std::move(piece));
}

}  // namespace

std::optional<SceneEnd> map_globals(Stage& stage, ProbeResult& result) {
    std::string& unavailable = result.globals.unavailable;
    const auto library = library_of(stage.table());
    if (stage.can(ISOTICK_QUEUES_CALLS)) {
        unavailable = "the simulation runs in its own process";
    } else if (!stage.can_tamper()) {
        unavailable = "the simulation runs its own threads";
    } else if (!library) {
        unavailable = "the simulation is part of this program";
    }
    if (!unavailable.empty()) {
        return std::nullopt;
    }
    const auto variables = global_variables(library->code, library->writable);
    if (!variables || (variables->known.empty() && variables->unknown != 0)) {
        unavailable = "its library has no debug information that names them (-g)";
        return std::nullopt;
    }
    const std::vector<Watched> all = all_of(variables->known);
    auto watched = stage.play(
        0, Tampering::no, [&](Stage::Instance& original) { return watch(stage, *original, all); });
    if (!watched) {
        return std::move(watched.error());
    }
    if (watched->size() != all.size()) {
        return SceneEnd{Verdict::crashed, "it watched other globals"};
    }
    result.globals.variables = all.size();
    result.globals.unknown = variables->unknown;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Watched one = all[i];
        one.holds_address = (*watched)[i].holds_address;
        if ((*watched)[i].changed) {
            add_global(one, *library, result.types);
        } else {
            ++result.globals.constant;
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
