// A tick that grows while the host cannot keep up, as the SDL article considers.

#include "../engine.hpp"
#include "../limits.hpp"

#include <numeric>

namespace isotick::core {
namespace {

constexpr std::uint64_t kUsualGrowth = 8;

class GrowingLoop final : public EngineOf<GrowingLoop> {
  public:
    GrowingLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& loop)
        : rate_(rate), loop_(loop), steps_(options.steps), most_growth_(growth_of(rate, options)) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        frame.plan = loop_.advance(frame_time);
        const std::uint64_t due = left_ + frame.plan.ticks;
        growth_ = 1;
        while (due / growth_ > steps_ && growth_ <= most_growth_ / 2) {
            growth_ *= 2;
        }
        frame.plan.ticks = due / growth_;
        left_ = due % growth_;
        frame.plan.alpha = of_growth(frame.plan.alpha);
        if (frame.plan.ticks > 0) {
            frame.dt = ChangingDt{dt(), dt()};
        }
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        return of_growth(loop_.alpha_after(later));
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    // The most ticks that a step may stand for; a power of two is at most that.
    static std::uint64_t growth_of(TickRate rate, const LoopOptions& options) {
        if (!options.most_dt) {
            return kUsualGrowth;
        }
        __extension__ using Wide = unsigned __int128;
        const Wide ticks = static_cast<Wide>(options.most_dt->nanoseconds) * rate.numerator() /
                           (Wide{kNanosecondsPerSecond} * rate.denominator());
        return static_cast<std::uint64_t>(ticks);
    }

    // growth × denominator is at most most_dt × numerator, 2^63 ns × 10^9 per second: it fits.
    [[nodiscard]] Fraction dt() const {
        const std::uint64_t length = growth_ * rate_.denominator();
        const std::uint64_t divisor = std::gcd(length, std::uint64_t{rate_.numerator()});
        return {length / divisor, rate_.numerator() / divisor};
    }

    [[nodiscard]] double of_growth(double alpha) const {
        return below_one((static_cast<double>(left_) + alpha) / static_cast<double>(growth_));
    }

    TickRate rate_;
    AccumulatorLoop loop_;
    std::uint64_t steps_;
    std::uint64_t most_growth_;
    std::uint64_t growth_ = 1;  // ticks to a step, in the last frame
    std::uint64_t left_ = 0;    // ticks that did not fill a step
};

}  // namespace

EngineResult make_growing_loop(TickRate rate, const LoopOptions& options) {
    LoopOptions inner;
    inner.longest_frame = options.longest_frame;
    return AccumulatorLoop::make(rate, inner).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<GrowingLoop>(rate, options, loop));
    });
}

}  // namespace isotick::core
