// What drawing changes in the game: the classic leaks of render.

#include "../arena.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace isotick::controls {
namespace {

// Draws between two positions, and leaves the drawn one in the state.
class InterpolatedPosition : public Rule {
  public:
    using Rule::Rule;

    void step(World&, const core::Step&) override {}

    void render(World& world, double alpha) override {
        Unit& hero = world.units.front();
        Unit drawn = hero;
        Unit& shown = clean_ ? drawn : hero;
        shown.position.x += static_cast<std::int32_t>(alpha * shown.velocity.x);
    }
};

// The camera floats after the hero, and what it does not see stays asleep.
class CulledByCamera : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        const double center = clean_ ? kSide / 2.0 : camera_;
        for (Unit& unit : world.units) {
            if (std::abs(unit.position.x - center) < kSide / 4.0) {
                unit.target = (unit.target + 1) % 16;
            }
        }
    }

    void render(World& world, double alpha) override {
        const Unit& hero = world.units.front();
        camera_ += (hero.position.x + alpha * hero.velocity.x - camera_) / 8;
    }

  private:
    double camera_ = kSide / 2.0;
};

// Sparks draw from the game's own random numbers.
class SparksFromTheSameRandom : public Rule {
  public:
    using Rule::Rule;

    void step(World&, const core::Step&) override {}

    void render(World& world, double) override {
        core::Pcg32& random = clean_ ? sparks_ : world.random;
        glow_ = random.next();
    }

  private:
    core::Pcg32 sparks_;
    std::uint32_t glow_ = 0;
};

// Both game and sparks call rand().
class SharedRand : public Rule {
  public:
    explicit SharedRand(const Start& start) : Rule(start) {
        std::srand(static_cast<unsigned>(start.setup.seed));
    }

    void step(World& world, const core::Step&) override {
        const std::uint32_t drawn =
            clean_ ? world.random.next() : static_cast<std::uint32_t>(std::rand());
        world.wave.wait = drawn % 1000;
    }

    void render(World&, double) override { glow_ = std::rand(); }

  private:
    int glow_ = 0;
};

// The map of ways is made when it is first shown, from the places where units then stand.
class MadeWhenFirstShown : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (clean_ && step.tick.value == 0) {
            draw_map(world);
        }
    }

    void render(World& world, double) override {
        if (!clean_ && world.turns.size() < 17) {
            draw_map(world);
        }
    }

  private:
    static void draw_map(World& world) {
        world.turns.push_back(static_cast<std::uint32_t>(advance_of(world.units.back())));
    }
};

// Transforms are worked out only while they are drawn, and shots start from there.
class LazyTransform : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        if (clean_) {
            muzzle_ = world.units.front().position;
        }
        world.units[1].target = static_cast<std::uint32_t>(muzzle_.x / 64);
    }

    void render(World& world, double) override { muzzle_ = world.units.front().position; }

  private:
    Point muzzle_;
};

// No more than eight sparks at a time, and where there are too many, no spell.
class SparksAreCounted : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value % 4 == 0 && (clean_ || sparks_ < 8)) {
            sparks_ += 4;
            world.market.gold -= 1;  // what the spell costs
        }
    }

    void render(World&, double) override { sparks_ -= sparks_ > 0 ? 1 : 0; }

  private:
    int sparks_ = 0;
};

// Sorts units from far to near for drawing: the units themselves.
class SortedForDrawing : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        world.units.back().target = world.turns.front();
    }

    void render(World& world, double alpha) override {
        std::vector<std::uint32_t> copy = world.turns;
        std::vector<std::uint32_t>& order = clean_ ? copy : world.turns;
        const auto depth = [&](std::uint32_t id) {
            const Unit& unit = world.units[id - 1];
            return unit.position.y + alpha * unit.velocity.y;
        };
        std::ranges::sort(order, {}, depth);
    }
};

// Health bars follow with a delay, and the healer looks at the bar.
class BarInsteadOfHealth : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        world.units[9].health = 100 - static_cast<std::int32_t>(step.tick.value % 60);
        const std::int32_t seen = clean_ ? world.units[9].health : bar_;
        world.market.gold -= seen < 80 ? 1 : 0;
    }

    void render(World& world, double) override { bar_ += (world.units[9].health - bar_) / 4; }

  private:
    std::int32_t bar_ = 100;
};

constexpr Control kControls[] = {
    {"interpolated-position", make<InterpolatedPosition>},
    {"culled-by-camera", make<CulledByCamera>},
    {"sparks-from-the-same-random", make<SparksFromTheSameRandom>},
    {"shared-rand", make<SharedRand>},
    {"made-when-first-shown", make<MadeWhenFirstShown>},
    {"lazy-transform", make<LazyTransform>},
    {"sparks-are-counted", make<SparksAreCounted>},
    {"sorted-for-drawing", make<SortedForDrawing>},
    {"bar-instead-of-health", make<BarInsteadOfHealth>},
};

}  // namespace

std::span<const Control> render_controls() {
    return kControls;
}

}  // namespace isotick::controls
