// How long frames take and how many there are: what begin_frame lets in.

#include "../arena.hpp"

#include <algorithm>

namespace isotick::controls {
namespace {

// Wounds heal by the time that the frame took.
class FrameTimeInState : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override {
        frame_ms_ = frame_time.nanoseconds / 1'000'000;
    }

    void step(World& world, const core::Step&) override {
        const std::int64_t passed_ms = clean_ ? 16 : frame_ms_;
        for (Unit& unit : world.units) {
            unit.health = std::min(unit.health + static_cast<std::int32_t>(passed_ms / 12), 100);
        }
    }

  private:
    std::int64_t frame_ms_ = 16;
};

// Poison hurts once a frame.
class OncePerFrame : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World& world, core::FrameTime) override {
        if (!clean_) {
            hurt(world);
        }
    }

    void step(World& world, const core::Step&) override {
        if (clean_) {
            hurt(world);
        }
    }

  private:
    static void hurt(World& world) { world.units.back().health -= 1; }
};

// After each wave the game holds its breath for three frames.
class HitStopInFrames : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World& world, core::FrameTime) override {
        world.wave.wait -= !clean_ && world.wave.wait > 0 ? 1 : 0;
    }

    void step(World& world, const core::Step& step) override {
        if (world.wave.wait == 0) {
            world.market.gold += 1;
        }
        world.wave.wait -= clean_ && world.wave.wait > 0 ? 1 : 0;
        if (ends_wave(step)) {
            world.wave.wait = 3;
        }
    }
};

// Where a frame took long, nobody thinks in the next tick.
class NoThoughtInLongFrames : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override {
        long_ = frame_time.nanoseconds > 40'000'000;
    }

    void step(World& world, const core::Step& step) override {
        const std::size_t thinker = step.tick.value % world.units.size();
        if (clean_ || !long_) {
            Unit& unit = world.units[thinker];
            unit.target = unit.target % static_cast<std::uint32_t>(world.units.size()) + 1;
        }
    }

  private:
    bool long_ = false;
};

// A clock of the game's own, in floats, from frame times.
class DoubleAccumulator : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override {
        time_ += static_cast<double>(frame_time.nanoseconds) * 1e-9;
    }

    void step(World& world, const core::Step& step) override {
        const double now = clean_ ? static_cast<double>(step.tick.value) * step.dt_seconds : time_;
        world.wave.wait = static_cast<std::uint32_t>(now * 4);  // quarters of a second
    }

  private:
    double time_ = 0;
};

// A buffer holds the first long frame, and nobody sees that until the boss comes 800 ticks later.
class ShowsMuchLater : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override {
        angry_ = angry_ || frame_time.nanoseconds > 40'000'000;
    }

    void step(World& world, const core::Step& step) override {
        if (step.tick.value == 899) {
            world.wave.strength *= !clean_ && angry_ ? 2 : 1;
        }
    }

  private:
    bool angry_ = false;
};

// The last boss of an evening comes after 28 minutes, and turns with the frame rate.
class AfterAnEvening : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override {
        frame_ms_ = frame_time.nanoseconds / 1'000'000;
    }

    void step(World& world, const core::Step& step) override {
        if (step.tick.value >= 100'000) {
            const std::int64_t turn = clean_ ? 16 : frame_ms_;
            world.units.back().velocity.x += static_cast<std::int32_t>(turn % 3);
        }
    }

  private:
    std::int64_t frame_ms_ = 16;
};

constexpr Control kControls[] = {
    {"frame-time-in-state", make<FrameTimeInState>},
    {"once-per-frame", make<OncePerFrame>},
    {"hit-stop-in-frames", make<HitStopInFrames>},
    {"no-thought-in-long-frames", make<NoThoughtInLongFrames>},
    {"double-accumulator", make<DoubleAccumulator>},
    {"shows-much-later", make<ShowsMuchLater>},
    {"after-an-evening", make<AfterAnEvening>},
};

}  // namespace

std::span<const Control> frame_controls() {
    return kControls;
}

}  // namespace isotick::controls
