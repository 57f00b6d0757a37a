// Time that may run backwards, through states that were there before.

#include "../engine.hpp"
#include "../limits.hpp"

#include <algorithm>

namespace isotick::core {
namespace {

// How many ticks are done, and alpha, are functions of the time alone: so going back gives the
// moments that were there going forward.
class ReversibleLoop final : public EngineOf<ReversibleLoop> {
  public:
    ReversibleLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& start)
        : start_(start), loop_(start), longest_(effective_longest_frame(rate, options)) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t limited = std::clamp(frame_time.nanoseconds, -longest_, longest_);
        const std::int64_t before = now_;
        now_ = limited < 0 ? std::max<std::int64_t>(before + limited, 0)
                           : saturating_sum(before, limited);
        // In unsigned numbers, so that the smallest int64 has a magnitude too; what is cut of it is
        // at most the largest.
        const auto moved = static_cast<std::uint64_t>(limited < 0 ? before - now_ : now_ - before);
        const auto bits = static_cast<std::uint64_t>(frame_time.nanoseconds);
        const std::uint64_t asked = frame_time.nanoseconds < 0 ? 0 - bits : bits;
        frame.plan.cut.nanoseconds = static_cast<std::int64_t>(
            std::min(asked - moved, static_cast<std::uint64_t>(kMostNanoseconds)));
        loop_ = start_;
        const FramePlan now = loop_.advance({now_});
        frame.plan.alpha = now.alpha;
        frame.plan.ticks = now.ticks - std::min(now.ticks, done_);
        frame.back = done_ - std::min(now.ticks, done_);
        done_ = now.ticks;
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        return loop_.alpha_after(later);
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    AccumulatorLoop start_;
    AccumulatorLoop loop_;  // as after one frame of now_
    std::int64_t longest_;
    std::int64_t now_ = 0;
    std::uint64_t done_ = 0;
};

}  // namespace

EngineResult make_reversible_loop(TickRate rate, const LoopOptions& options) {
    return make_unlimited(rate, options).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<ReversibleLoop>(rate, options, loop));
    });
}

}  // namespace isotick::core
