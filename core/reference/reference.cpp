// The built-in simulations and their variants: piles and skirmishes with one planted fault each.

#include "pile/pile.hpp"
#include "skirmish/skirmish.hpp"
#include "spring.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/hash_archive.hpp>
#include <isotick/core/reference.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

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

/// A weak pull draws all bodies to the middle of the pile, which is computed at each tick's end
/// for the next: derived from the state, so rightly not serialized, but nobody computes it anew
/// when a state is loaded. The next tick then uses the middle of another pile.
///
/// `fault:stale-cache`: every hash is right, the restored one too; the future differs. Runs from
/// the start never load: plain verify says identical.
class StaleCachePile : public Pile {
  public:
    static constexpr SimulationInfo kInfo =
        pile_info("fault:stale-cache", "pile with a pull to its middle, not recomputed after load");

    explicit StaleCachePile(const SimulationSetup& setup) : Pile(setup) { find_middle(); }

    void step(const Step& step) {
        constexpr float kPull = 0.25F;  // per second squared
        begin_tick(step);
        const auto seconds = static_cast<float>(step.dt_seconds);
        for (pile::Body& body : bodies()) {
            if (pile::is_awake(body, islands())) {
                body.velocity = body.velocity + (middle_ - body.position) * (kPull * seconds);
            }
        }
        advance(seconds);
        find_middle();
    }

  private:
    void find_middle() {
        pile::Vector sum;
        float count = 0.0F;
        for (const pile::Body& body : bodies()) {
            if (body.shape != pile::Shape::wall) {
                sum = sum + body.position;
                count += 1.0F;
            }
        }
        middle_ = sum * (1.0F / count);
    }

    pile::Vector middle_;
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

}  // namespace isotick::core

namespace isotick::core::reference {

// Skirmishes that each observe something of the frames that drive them. As a control they let it
// into the state, in the way real games do; as its twin they keep it in the renderer.

/// How long the frame takes. Leak: units move by the frame's time instead of the tick's.
template <bool kLeaks>
class FrameTimeSkirmish : public Skirmish {
  public:
    static constexpr SimulationInfo kInfo =
        kLeaks ? skirmish_info("control:frame-time", "skirmish, but units move by the frame time")
               : skirmish_info("twin:frame-time", "skirmish that animates by the frame time");
    using Skirmish::Skirmish;

    void begin_frame(FrameTime frame_time) {
        Skirmish::begin_frame(frame_time);
        frame_seconds_ = static_cast<float>(frame_time.nanoseconds) * 1e-9F;
    }

    void step(const Step& step) {
        begin_tick(step);
        update_units(step, kLeaks ? frame_seconds_ : static_cast<float>(step.dt_seconds));
    }

    void render(double alpha) {
        Skirmish::render(alpha);
        animation_seconds_ += frame_seconds_;
    }

  private:
    float frame_seconds_ = 0.0F;
    float animation_seconds_ = 0.0F;
};

/// The blend factor. Leak: render moves units ahead in place, not a copy of them.
template <bool kLeaks>
class AlphaSkirmish : public Skirmish {
  public:
    static constexpr SimulationInfo kInfo =
        kLeaks ? skirmish_info("control:alpha", "skirmish, but render moves units ahead by alpha")
               : skirmish_info("twin:alpha", "skirmish that draws units ahead by alpha");
    using Skirmish::Skirmish;

    void step(const Step& step) {
        tick_seconds_ = static_cast<float>(step.dt_seconds);
        Skirmish::step(step);
    }

    void render(double alpha) {
        Skirmish::render(alpha);
        const float ahead = static_cast<float>(alpha) * tick_seconds_;
        if constexpr (kLeaks) {
            draw_ahead(ahead, units().position_x, units().position_y);
        } else {
            drawn_ahead_x_ = units().position_x;
            drawn_ahead_y_ = units().position_y;
            draw_ahead(ahead, drawn_ahead_x_, drawn_ahead_y_);
        }
    }

  private:
    void draw_ahead(float seconds, std::vector<float>& x, std::vector<float>& y) {
        for (std::size_t unit = 0; unit < x.size(); ++unit) {
            x[unit] += units().velocity_x[unit] * seconds;
            y[unit] += units().velocity_y[unit] * seconds;
        }
    }

    float tick_seconds_ = 0.0F;
    std::vector<float> drawn_ahead_x_;
    std::vector<float> drawn_ahead_y_;
};

/// How many frames are rendered. Leak: the sparks that render draws come from the game's generator.
template <bool kLeaks>
class RenderRandomSkirmish : public Skirmish {
  public:
    static constexpr SimulationInfo kInfo =
        kLeaks ? skirmish_info("control:render-random",
                               "skirmish, but render draws from the game's random numbers")
               : skirmish_info("twin:render-random",
                               "skirmish whose render has its own random numbers");
    using Skirmish::Skirmish;

    void render(double alpha) {
        Skirmish::render(alpha);
        Pcg32& generator = kLeaks ? random() : sparks_random_;
        spark_ = generator.unit_float();
    }

  private:
    Pcg32 sparks_random_{0, 0};
    float spark_ = 0.0F;
};

/// Whether the frame is long. Leak: the units' tick is dropped then, not only the drawing.
template <bool kLeaks>
class LongFrameSkirmish : public Skirmish {
  public:
    static constexpr std::int64_t kLongFrameNanoseconds = 100'000'000;
    static constexpr SimulationInfo kInfo =
        kLeaks ? skirmish_info("control:long-frame",
                               "skirmish, but units stand still in frames over 100 ms")
               : skirmish_info("twin:long-frame", "skirmish that draws no frame over 100 ms");
    using Skirmish::Skirmish;

    void begin_frame(FrameTime frame_time) {
        Skirmish::begin_frame(frame_time);
        frame_is_long_ = frame_time.nanoseconds > kLongFrameNanoseconds;
    }

    void step(const Step& step) {
        begin_tick(step);
        if (kLeaks && frame_is_long_) {
            return;
        }
        update_units(step, static_cast<float>(step.dt_seconds));
    }

    void render(double alpha) {
        if (!frame_is_long_) {
            Skirmish::render(alpha);
        }
    }

  private:
    bool frame_is_long_ = false;
};

}  // namespace isotick::core::reference

namespace isotick::core {

std::span<const isotick_simulation_table* const> reference_simulations() {
    using namespace reference;
    static const std::array kTables{
        &simulation_table<AlphaSkirmish<true>>(),
        &simulation_table<FrameTimeSkirmish<true>>(),
        &simulation_table<LongFrameSkirmish<true>>(),
        &simulation_table<RenderRandomSkirmish<true>>(),
        &simulation_table<SlowMotionPile<Blind::hash_and_save>>(),
        &simulation_table<SlowMotionPile<Blind::save>>(),
        &simulation_table<PaddingPile>(),
        &simulation_table<StaleCachePile>(),
        &simulation_table<Pile>(),
        &simulation_table<Skirmish>(),
        &simulation_table<Spring>(),
        &simulation_table<AlphaSkirmish<false>>(),
        &simulation_table<FrameTimeSkirmish<false>>(),
        &simulation_table<LongFrameSkirmish<false>>(),
        &simulation_table<RenderRandomSkirmish<false>>(),
    };
    return kTables;
}

const isotick_simulation_table* find_reference_simulation(std::string_view name) {
    const auto tables = reference_simulations();
    const auto place = std::find_if(tables.begin(), tables.end(),
                                    [&](const auto* table) { return table->info->name == name; });
    return place == tables.end() ? nullptr : *place;
}

}  // namespace isotick::core
