// A loop as it was written on SDL_GetTicks: clock, accumulator and tick in whole milliseconds.

#include "../engine.hpp"
#include "../limits.hpp"

#include <algorithm>

namespace isotick::core {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kMillisecondsPerSecond = 1'000;

class MillisecondLoop final : public EngineOf<MillisecondLoop> {
  public:
    MillisecondLoop(std::int64_t tick, const LoopOptions& options)
        : tick_(tick),
          longest_(options.longest_frame
                       ? std::max(options.longest_frame->nanoseconds / kMillisecond, tick)
                       : kMostNanoseconds / kMillisecond),
          view_(options.view) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t before = now_ / kMillisecond;
        now_ = saturating_sum(now_, not_negative(frame_time));
        const std::int64_t lasted = now_ / kMillisecond - before;
        const std::int64_t fed = std::min(lasted, longest_);
        frame.plan.cut.nanoseconds = (lasted - fed) * kMillisecond;
        held_ += fed;
        frame.plan.ticks = static_cast<std::uint64_t>(held_ / tick_);
        held_ %= tick_;
        frame.plan.alpha = alpha(held_);
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        const std::int64_t then = saturating_sum(now_, not_negative(later));
        return alpha(held_ + then / kMillisecond - now_ / kMillisecond);
    }

  private:
    [[nodiscard]] double alpha(std::int64_t held) const {
        return view_ == View::current
                   ? 0
                   : below_one(static_cast<double>(held) / static_cast<double>(tick_));
    }

    std::int64_t tick_;  // in milliseconds, as are longest_ and held_
    std::int64_t longest_;
    View view_;
    std::int64_t now_ = 0;  // in nanoseconds
    std::int64_t held_ = 0;
};

}  // namespace

EngineResult make_millisecond_loop(TickRate rate, const LoopOptions& options) {
    const std::uint64_t tick = kMillisecondsPerSecond * rate.denominator() / rate.numerator();
    if (tick == 0) {
        return fail(ErrorCode::limit, "the loop milliseconds takes at most 1000 ticks per second");
    }
    return std::unique_ptr<Loop::Engine>(
        std::make_unique<MillisecondLoop>(static_cast<std::int64_t>(tick), options));
}

}  // namespace isotick::core
