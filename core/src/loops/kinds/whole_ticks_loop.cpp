// Waits until the frame is whole ticks long: nothing is left over, so nothing need be blended.

#include "../engine.hpp"
#include "../limits.hpp"

#include <algorithm>

namespace isotick::core {
namespace {

class WholeTicksLoop final : public EngineOf<WholeTicksLoop> {
  public:
    WholeTicksLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& loop)
        : loop_(loop),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = not_negative(frame_time);
        const std::int64_t fed = std::min(lasted, longest_);
        std::uint64_t due = loop_.advance({fed}).ticks;
        if (loop_.passed() > 0) {
            frame.wait = loop_.until_tick(1);
            due += loop_.advance(frame.wait).ticks;
        }
        frame.plan.ticks = std::min(due, most_);
        frame.plan.given_up = due - frame.plan.ticks;
        frame.plan.cut.nanoseconds = lasted - fed;
        return frame;
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    AccumulatorLoop loop_;
    std::int64_t longest_;
    std::uint64_t most_;
};

}  // namespace

EngineResult make_whole_ticks_loop(TickRate rate, const LoopOptions& options) {
    return make_unlimited(rate, options).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<WholeTicksLoop>(rate, options, loop));
    });
}

}  // namespace isotick::core
