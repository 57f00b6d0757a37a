// Which memory `serialize` does not see: in objects and in global variables, by member.

#include "future.hpp"
#include "member_names.hpp"
#include "object_memory.hpp"
#include "probe.hpp"
#include "scene_answers.hpp"
#include "stage.hpp"

#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/probe.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {

// Unseen memory in pieces that mean something.

/// Fills in the pieces of a type: its unseen ranges split at the borders of members where these
/// are known, else (and without `names`) at multiples of eight bytes, as pointers and most members
/// lie.
void split_into_pieces(TypeMemory& type, MemberNames* names);

namespace {

void add_words(const MemoryRange& range, TypeMemory& type) {
    constexpr std::uint64_t kWord = 8;
    const std::uint64_t end = range.offset + range.size;
    for (std::uint64_t begin = range.offset; begin < end;) {
        const std::uint64_t next = std::min(end, (begin / kWord + 1) * kWord);
        UnseenPiece piece;
        piece.range = {range.type, begin, next - begin};
        piece.word = true;
        type.pieces.push_back(std::move(piece));
        begin = next;
    }
}

// Members, and the padding between them.
void add_members(const MemoryRange& range, const std::vector<NamedMember>& members,
                 TypeMemory& type) {
    const std::uint64_t end = range.offset + range.size;
    std::uint64_t done = range.offset;
    const auto pad_to = [&](std::uint64_t next) {
        if (next > done) {
            UnseenPiece piece;
            piece.range = {range.type, done, next - done};
            piece.padding = true;
            type.pieces.push_back(std::move(piece));
        }
    };
    for (const NamedMember& member : members) {
        const std::uint64_t first = std::max(done, member.offset);
        const std::uint64_t next = std::min(end, member.offset + member.size);
        if (first >= next) {  // within a union, beside another
            continue;
        }
        pad_to(first);
        UnseenPiece piece;
        piece.range = {range.type, first, next - first};
        piece.member = member.path;
        piece.opaque = !member.plain;
        type.pieces.push_back(std::move(piece));
        done = next;
    }
    pad_to(end);
}

}  // namespace

void split_into_pieces(TypeMemory& type, MemberNames* names) {
    for (const MemoryRange& range : type.unseen) {
        std::optional<std::vector<NamedMember>> members;
        if (names != nullptr) {
            members =
                names->members_at(type.type, type.size, {range.offset, range.size}, Nested::split);
        }
        if (members) {
            add_members(range, *members, type);
        } else {
            add_words(range, type);
        }
    }
}

// A plug-in's globals and statics: in C they are often the state.

/// Adds those that change over the session to the result's types, and says what is known of all.
/// The scene's end where the session could not be run.
[[nodiscard]] std::optional<SceneEnd> map_globals(Stage& stage, ProbeResult& result);

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
        // Twice in a row: what counts to a divisor of the stride is the same at each other look.
        ISOTICK_TRY(stage.step(simulation, done));
        look(all, done + 1);
        const std::uint64_t next = std::min(done + stride, ticks);
        ISOTICK_TRY(stage.advance(simulation, done + 1, next));
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

namespace {

using core::Result;

/// How bytes of objects that hold addresses differ from others in their place. Two instances of one
/// setup hold other addresses of equal things, and the same numbers: neither is a change.
class Replacement {
  public:
    explicit Replacement(std::uint64_t object_size) : size_(object_size) {}

    void compare(const Bytes& before, const Bytes& after) {
        for (std::size_t object = 0; object + size_ <= before.size(); object += size_) {
            compare_objects(before.data() + object, after.data() + object);
        }
    }

    /// Whether each number in them was replaced by another, and the addresses by some that lie
    /// otherwise to each other, as those of a container with more elements do, or by none.
    [[nodiscard]] bool changes_all() const {
        return any_ && std::ranges::all_of(words_, [](Word word) { return word != Word::same; });
    }

  private:
    enum class Word : std::uint8_t { same, address, changed };

    static std::uint64_t word_at(const std::byte* bytes, std::size_t size) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, std::min(size, sizeof word));
        return word;
    }

    void compare_objects(const std::byte* before, const std::byte* after) {
        words_.resize((size_ + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), Word::same);
        std::optional<std::pair<std::uint64_t, std::uint64_t>> first;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const std::size_t offset = i * sizeof(std::uint64_t);
            const std::uint64_t was = word_at(before + offset, size_ - offset);
            const std::uint64_t is = word_at(after + offset, size_ - offset);
            bool changed = was != is;
            if (own_.holds(was) && own_.holds(is)) {
                first = first.value_or(std::pair(was, is));
                changed = was - first->first != is - first->second;
                words_[i] = std::max(words_[i], Word::address);
            }
            words_[i] = changed ? Word::changed : words_[i];
            any_ = any_ || changed;
        }
    }

    std::size_t size_;
    OwnMemory own_;
    std::vector<Word> words_;
    bool any_ = false;
};

// Gives the original the bytes of a new instance, which stays alive and so what they point to.
Result<PoisonOutcome> run_with_new_bytes(Stage& stage, core::Simulation& original,
                                         const MemoryRange& range, const Future& future) {
    ISOTICK_TRY_ASSIGN(auto other, stage.create());
    const auto from = ObjectMemory::find(stage, other, range, 0);
    const auto to = ObjectMemory::find(stage, original, range, future.at);
    if (!from || !to) {
        return tl::unexpected(from ? to.error() : from.error());
    }
    if (to->empty()) {
        return PoisonOutcome::absent;
    }
    Replacement replacement(range.size);
    const Bytes bytes = from->read();
    const Bytes before = to->read();
    if (!to->write(bytes)) {
        return PoisonOutcome::pointer;
    }
    replacement.compare(before, bytes);
    ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage, original, future));
    return difference                  ? PoisonOutcome::future
           : replacement.changes_all() ? PoisonOutcome::none
                                       : PoisonOutcome::absent;
}

// Whether a restored instance, whose bytes are its own, has the future of the original, and whether
// load has written those bytes.
Result<RepairOutcome> run_restored(Stage& stage, Stage::Instance& original,
                                   const MemoryRange& range, const Future& future) {
    ISOTICK_TRY_ASSIGN(const auto snapshot, stage.save(*original, future.at));
    ISOTICK_TRY_ASSIGN(auto restored, stage.create_beside(original));
    const auto bytes = [&] {
        return ObjectMemory::find(stage, restored, range, future.at)
            .map([](const ObjectMemory& memory) { return memory.read(); });
    };
    ISOTICK_TRY_ASSIGN(const auto before, bytes());
    ISOTICK_TRY(stage.load(restored, snapshot, future.at));
    ISOTICK_TRY_ASSIGN(const auto after, bytes());
    ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage, restored, future));
    return difference        ? RepairOutcome::kept
           : before == after ? RepairOutcome::harmless
                             : RepairOutcome::repaired;
}

void replace(Stage& stage, const Future& future, PoisonFacts& facts) {
    const auto outcome = stage.play(future.at, Tampering::yes, [&](Stage::Instance& original) {
        return run_with_new_bytes(stage, *original, facts.range, future);
    });
    facts.at = future.at;
    const PoisonOutcome now = outcome.value_or(PoisonOutcome::pointer);
    facts.outcome = now == PoisonOutcome::absent ? facts.outcome : now;
    if (facts.outcome != PoisonOutcome::future) {
        return;
    }
    facts.outcome = PoisonOutcome::pointer;  // needed, and who brings it is not known yet
    if (!stage.can(ISOTICK_CAN_SAVE)) {
        return;
    }
    const auto restored = stage.play(future.at, Tampering::yes, [&](Stage::Instance& original) {
        return run_restored(stage, original, facts.range, future);
    });
    const RepairOutcome repair = restored.value_or(RepairOutcome::crashed);
    if (repair == RepairOutcome::repaired || repair == RepairOutcome::harmless) {
        facts.outcome = PoisonOutcome::future;
        facts.repair = repair;
    }
}

bool may_be_more(PoisonOutcome outcome) {
    return outcome == PoisonOutcome::absent || outcome == PoisonOutcome::none;
}

}  // namespace

void probe_opaque(Stage& stage, ProbeResult& result) {
    for (const MemoryRange& range : stage.plan().ranges) {
        result.poisons.emplace_back();
        result.poisons.back().range = range;
    }
    for (const std::uint64_t at : stage.plan().at) {
        const auto future = original_future(stage, at);
        if (!future) {
            return give_up(result, future.error());
        }
        for (PoisonFacts& facts : result.poisons) {
            if (may_be_more(facts.outcome)) {
                replace(stage, *future, facts);
            }
        }
    }
    for (PoisonFacts& facts : result.poisons) {  // where nothing was changed, nothing is known
        if (facts.outcome == PoisonOutcome::absent) {
            facts.outcome = PoisonOutcome::pointer;
        }
    }
}

}  // namespace isotick::harness
