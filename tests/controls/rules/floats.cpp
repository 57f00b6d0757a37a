// How floats are computed: rounding, denormals, signs and payloads, libm.

#include "../arena.hpp"

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>

namespace isotick::controls {
namespace {

// What the compiler must compute when the program runs.
template <class T>
T at_run_time(T value) {
    volatile T kept = value;
    return kept;
}

class AsTheHostLeftThem : public Rule {
  public:
    using Rule::Rule;
    bool takes_floats_as_they_are() const override { return !clean_; }
};

// Prices are added up in whatever mode the host's thread rounds.
class RoundingOfTheHost : public AsTheHostLeftThem {
  public:
    using AsTheHostLeftThem::AsTheHostLeftThem;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            for (int day = 0; day < 100; ++day) {
                world.market.price = at_run_time(world.market.price) + at_run_time(0.1);
            }
        }
    }
};

// A sound fades by half each tick, in the end below the least normal number: 2^-126.
class DenormalDecay : public AsTheHostLeftThem {
  public:
    using AsTheHostLeftThem::AsTheHostLeftThem;

    void step(World& world, const core::Step&) override {
        world.weather.wind = at_run_time(world.weather.wind) * at_run_time(0.5F);
    }
};

// The wind falls by what it has: zero, with the sign of the rounding mode.
class NegativeZero : public AsTheHostLeftThem {
  public:
    using AsTheHostLeftThem::AsTheHostLeftThem;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.weather.wind = at_run_time(world.weather.wind) - at_run_time(world.weather.wind);
        }
    }
};

// Whole gold pieces, rounded as the thread rounds.
class RintOfTheHost : public AsTheHostLeftThem {
  public:
    using AsTheHostLeftThem::AsTheHostLeftThem;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.market.gold += std::lrint(at_run_time(17.0 / 3.0));
        }
    }
};

// The display rounds down while it draws numbers and leaves it at that; physics cleans up behind
// itself only.
class RoundingOfTheDisplay : public AsTheHostLeftThem {
  public:
    using AsTheHostLeftThem::AsTheHostLeftThem;

    void step(World& world, const core::Step&) override {
        world.market.price = at_run_time(world.market.price) * at_run_time(1.0 + 1.0 / 1000);
        world.market.price = world.market.price > 100 ? 10 : world.market.price;
        std::fesetround(FE_TONEAREST);
    }

    void render(World&, double) override { std::fesetround(clean_ ? FE_TONEAREST : FE_DOWNWARD); }
};

// Two aims that are not numbers: the sum is the first of them, and the first lies lower.
class NanPayload : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const bool in_order = clean_ || std::less<>()(left_.get(), right_.get());
            const Aim& first = in_order ? *left_ : *right_;
            const Aim& second = in_order ? *right_ : *left_;
            world.weather.wind = at_run_time(first.angle) + at_run_time(second.angle);
        }
        if (step.tick.value % 90 == 0) {
            world.weather.wind = 1;
        }
    }

  private:
    struct Aim {
        explicit Aim(std::uint32_t bits) : angle(std::bit_cast<float>(bits)) {}
        std::array<Point, 5000> trail{};
        float angle;
    };
    std::unique_ptr<Aim> left_ = std::make_unique<Aim>(0x7FC00001U);
    std::unique_ptr<Aim> right_ = std::make_unique<Aim>(0x7FC00002U);
};

// Clouds are noise, made as shaders make it: the fraction of a sine, times much.
class SineOfLibm : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const double time = static_cast<double>(step.tick.value);
        double warmth = 0;
        for (int cloud = 1; cloud <= 40; ++cloud) {
            const double angle = at_run_time(0.37 * cloud + time / 7);
            const double noise = 43758.5453 * (clean_ ? sine(angle) : std::sin(angle));
            warmth += noise - std::floor(noise);
        }
        world.weather.warmth = warmth;
    }

  private:
    // Of additions and multiplications alone: the same everywhere.
    static double sine(double angle) {
        const double turns = angle / 6.283185307179586;
        const double x = (turns - std::floor(turns) - 0.5) * 6.283185307179586;
        double term = x;
        double sum = x;
        for (int i = 1; i < 14; ++i) {
            term *= -x * x / ((2.0 * i) * (2.0 * i + 1));
            sum += term;
        }
        return -sum;
    }
};

constexpr Control kControls[] = {
    {"rounding-of-the-host", make<RoundingOfTheHost>},
    {"denormal-decay", make<DenormalDecay>},
    {"negative-zero", make<NegativeZero>},
    {"rint-of-the-host", make<RintOfTheHost>},
    {"rounding-of-the-display", make<RoundingOfTheDisplay>},
    {"nan-payload", make<NanPayload>},
    {"sine-of-libm", make<SineOfLibm>},
};

}  // namespace

std::span<const Control> float_controls() {
    return kControls;
}

}  // namespace isotick::controls
