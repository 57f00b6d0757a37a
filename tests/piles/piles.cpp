#include "piles.hpp"

#include "pile.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/core/hash_archive.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace isotick::core {

// Piles with one planted fault each, in the way real code forgets a piece of state. What plain
// `verify` says of them stands with each.

class SaveArchive;
class LoadArchive;

namespace reference {

/// Whether an archive of this type makes or restores snapshots, and does nothing else.
template <class Archive>
inline constexpr bool is_snapshot_archive_v =
    std::is_same_v<Archive, SaveArchive> || std::is_same_v<Archive, LoadArchive>;

/// Who does not see the member that a slow-motion pile added.
enum class Blind { hash_and_save, save };

/// After each drop time passes at half speed for a while; the counter of those ticks came later
/// than `serialize`, and was forgotten there.
///
/// `fault:missing`: nothing visits it. Hashes agree until the counter differs where everything
/// else does not, that is after a restore (its own value is then whatever the instance had). Runs
/// from the start all compute it alike: plain verify says identical.
/// `fault:missing-from-save`: the hash and the fields see it, snapshots do not. Plain verify says
/// identical, and a restored state's hash is wrong at once.
template <Blind kBlind>
class SlowMotionPile : public Pile {
  public:
    static constexpr SimulationInfo kInfo =
        kBlind == Blind::hash_and_save
            ? pile_info("fault:missing", "pile with slow motion, whose counter nothing serializes")
            : pile_info("fault:missing-from-save",
                        "pile with slow motion, whose counter snapshots leave out");
    static constexpr std::uint32_t kSlowTicks = 90;
    using Pile::Pile;

    void step(const Step& step) {
        begin_tick(step);
        if (drops() != 0) {
            slow_ticks_ = kSlowTicks;
        }
        const auto seconds = static_cast<float>(step.dt_seconds);
        advance(slow_ticks_ != 0 ? seconds * 0.5F : seconds);
        slow_ticks_ -= slow_ticks_ != 0 ? 1U : 0U;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        Pile::serialize(archive);
        if constexpr (kBlind == Blind::save && !is_snapshot_archive_v<Archive>) {
            archive(cereal::make_nvp("slow_ticks", slow_ticks_));
        }
    }

  private:
    std::uint32_t slow_ticks_ = 0;
};

/// The last tick in which bodies were dropped is remembered in a struct, which is hashed by hand
/// as raw bytes, padding included. As in memory that a heap hands out again, there stand an
/// address' bytes in the padding: the instance's own.
///
/// `fault:padding`: equal states have unequal hashes. Two instances at a time in one process always
/// differ, so the restored state does. Plain verify shows it too, as *nondeterministic* from the
/// state before tick 0: recording and replay are different processes, whose heaps are not alike.
class PaddingPile : public Pile {
  public:
    static constexpr SimulationInfo kInfo =
        pile_info("fault:padding", "pile with a struct hashed by hand, padding included");

    explicit PaddingPile(const SimulationSetup& setup) : Pile(setup) {
        const auto address = reinterpret_cast<std::uintptr_t>(this);
        auto* const bytes = reinterpret_cast<unsigned char*>(&last_drop_);
        std::memcpy(bytes + sizeof(last_drop_.bodies), &address,
                    std::min(kPadding, sizeof address));
    }

    void step(const Step& step) {
        Pile::step(step);
        if (drops() != 0) {
            last_drop_.bodies = static_cast<std::uint8_t>(drops());
            last_drop_.tick = world().ticks;
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        Pile::serialize(archive);
        if constexpr (std::is_same_v<Archive, HashArchive>) {
            auto* const bytes = reinterpret_cast<unsigned char*>(&last_drop_);
            auto raw = cereal::binary_data(bytes, sizeof last_drop_);
            archive(cereal::make_nvp("last_drop", raw));
        } else {
            archive(cereal::make_nvp("last_drop", last_drop_));
        }
    }

  private:
    struct LastDrop {
        std::uint8_t bodies = 0;
        std::uint64_t tick = 0;

        template <class Archive>
        void serialize(Archive& archive) {
            archive(CEREAL_NVP(bodies), CEREAL_NVP(tick));
        }
    };
    static constexpr std::size_t kPadding = offsetof(LastDrop, tick) - sizeof(std::uint8_t);

    LastDrop last_drop_;
};

}  // namespace reference

std::span<const isotick_simulation_table* const> pile_simulations() {
    using namespace reference;
    static const std::array kTables{
        &simulation_table<SlowMotionPile<Blind::hash_and_save>>(),
        &simulation_table<SlowMotionPile<Blind::save>>(),
        &simulation_table<PaddingPile>(),
        &simulation_table<Pile>(),
    };
    return kTables;
}

const isotick_simulation_table* find_simulation(std::string_view name) {
    const auto tables = pile_simulations();
    const auto place =
        std::ranges::find_if(tables, [&](const auto* table) { return table->info->name == name; });
    return place == tables.end() ? find_reference_simulation(name) : *place;
}

}  // namespace isotick::core
