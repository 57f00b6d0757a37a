// The built-in simulations: skirmishes that leak what drives them, their twins, and a forgetful
// one.

#include "skirmish/skirmish.hpp"
#include "spring.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/reference.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// Units are drawn to the middle of all, which is computed at each tick's end for the next: derived
/// from the state, so rightly not serialized, but nothing recomputes it after load. The next tick
/// then uses the middle of another army.
///
/// Every hash is right, the restored one too; the future differs. Runs from the start never load:
/// plain verify says identical.
class StaleCacheSkirmish : public Skirmish {
  public:
    static constexpr SimulationInfo kInfo = skirmish_info(
        "fault:stale-cache", "skirmish with a pull to its middle, not recomputed after load");

    explicit StaleCacheSkirmish(const SimulationSetup& setup) : Skirmish(setup) { find_middle(); }

    void step(const Step& step) {
        constexpr float kPull = 0.25F;  // per second squared
        begin_tick(step);
        const auto seconds = static_cast<float>(step.dt_seconds);
        for (std::size_t unit = 0; unit < units().size(); ++unit) {
            units().velocity_x[unit] += (middle_.x - units().position_x[unit]) * (kPull * seconds);
            units().velocity_y[unit] += (middle_.y - units().position_y[unit]) * (kPull * seconds);
        }
        update_units(step, seconds);
        find_middle();
    }

  private:
    struct Point {
        float x = 0.0F;
        float y = 0.0F;
    };

    void find_middle() {
        Point sum;
        for (std::size_t unit = 0; unit < units().size(); ++unit) {
            sum.x += units().position_x[unit];
            sum.y += units().position_y[unit];
        }
        const float share = units().size() == 0 ? 0.0F : 1.0F / static_cast<float>(units().size());
        middle_ = {sum.x * share, sum.y * share};
    }

    Point middle_;
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
        &simulation_table<StaleCacheSkirmish>(),
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
