#include "../format/bytes.hpp"
#include "../write/output_target.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/replay/state_ring.hpp>

#include <algorithm>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> failed(std::string message, std::uint64_t ticks_done) {
    return core::fail(ErrorCode::usage, "the state that " + std::to_string(ticks_done) +
                                            " ticks made " + std::move(message));
}

}  // namespace

StateRing::StateRing(std::string simulation, std::size_t most_states, std::string hash_algorithm)
    : simulation_(std::move(simulation)),
      hash_algorithm_(std::move(hash_algorithm)),
      slots_(std::max<std::size_t>(most_states, 1)) {}

// A state of which a piece is missing is not kept.
std::int32_t StateRing::append(void* context, const void* data, std::uint64_t size) {
    Slot& slot = *static_cast<Slot*>(context);
    const auto* const first = static_cast<const std::byte*>(data);
    try {
        slot.fields.insert(slot.fields.end(), first, first + size);
    } catch (...) {
        slot.is_used = false;
    }
    return slot.is_used ? ISOTICK_OK : ISOTICK_FAILED;
}

isotick_sink StateRing::begin(std::uint64_t ticks_done, core::StateHash hash) {
    for (Slot& slot : slots_) {
        slot.is_used = slot.is_used && slot.ticks_done < ticks_done;
    }
    Slot& oldest =
        *std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) {
            return a.is_used != b.is_used ? b.is_used : a.ticks_done < b.ticks_done;
        });
    oldest.ticks_done = ticks_done;
    oldest.hash = hash;
    oldest.fields.clear();
    oldest.is_used = true;
    return {&oldest, append};
}

Result<void> StateRing::keep(std::uint64_t ticks_done, core::StateHash hash,
                             std::span<const std::byte> fields) {
    const isotick_sink sink = begin(ticks_done, hash);
    return sink.write(sink.context, fields.data(), fields.size()) == ISOTICK_OK
               ? Result<void>()
               : core::fail(ErrorCode::io, "out of memory");
}

const StateRing::Slot* StateRing::find(std::uint64_t ticks_done) const {
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        return slot.is_used && slot.ticks_done == ticks_done;
    });
    return found == slots_.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> StateRing::kept() const {
    std::vector<std::uint64_t> ticks;
    for (const Slot& slot : slots_) {
        if (slot.is_used) {
            ticks.push_back(slot.ticks_done);
        }
    }
    std::sort(ticks.begin(), ticks.end());
    return ticks;
}

Result<void> StateRing::write(std::uint64_t ticks_done, const std::string& path) const {
    return guarded([&]() -> Result<void> {
        const Slot* const slot = find(ticks_done);
        if (slot == nullptr) {
            return failed("is not kept (any more)", ticks_done);
        }
        if (const auto whole = core::check_fields(slot->fields); !whole) {
            return failed("is not a whole field stream: " + core::describe(whole.error()),
                          ticks_done);
        }
        const core::StateDumpHead about{simulation_, slot->ticks_done, hash_algorithm_,
                                        slot->hash.value};
        ISOTICK_TRY_ASSIGN(const auto head, core::state_dump_head(about));
        ISOTICK_TRY_ASSIGN(auto target,
                           OutputTarget::open(path, {.appearance = Appearance::complete}));
        ISOTICK_TRY(target.write(head));
        ISOTICK_TRY(target.write(slot->fields));
        return target.complete();
    });
}

}  // namespace isotick::replay
