// Ticks without a remainder: as many per frame as it pretends to be long.

#include "../engine.hpp"
#include "../limits.hpp"

#include <algorithm>

namespace isotick::core {
namespace {

__extension__ using Wide = unsigned __int128;

// numerator / denominator to the nearest whole number, halves up, but at least one.
std::uint64_t nearest_from_one(Wide numerator, Wide denominator) {
    const Wide nearest = (2 * numerator + denominator) / (2 * denominator);
    return static_cast<std::uint64_t>(std::clamp<Wide>(nearest, 1, kNoLimit));
}

class PerFrameLoop final : public EngineOf<PerFrameLoop> {
  public:
    PerFrameLoop(TickRate rate, const LoopOptions& options)
        : rate_(rate),
          shortest_(options.shortest_frame.nanoseconds),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)),
          is_measured_(options.kind == LoopKind::substeps && !options.display) {
        if (options.display) {
            ticks_ = nearest_from_one(Wide{rate.numerator()} * options.display->denominator(),
                                      Wide{rate.denominator()} * options.display->numerator());
        }
    }

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = not_negative(frame_time);
        frame.wait.nanoseconds = std::max(shortest_ - lasted, std::int64_t{0});
        std::uint64_t due = ticks_;
        if (is_measured_) {
            const std::int64_t fed = std::min(lasted, longest_);
            frame.plan.cut.nanoseconds = lasted - fed;
            due = fed == 0 ? 0
                           : nearest_from_one(static_cast<Wide>(fed) * rate_.numerator(),
                                              Wide{rate_.denominator()} * kNanosecondsPerSecond);
        }
        frame.plan.ticks = std::min(due, most_);
        frame.plan.given_up = due - frame.plan.ticks;
        return frame;
    }

  private:
    TickRate rate_;
    std::int64_t shortest_;
    std::int64_t longest_;
    std::uint64_t most_;
    bool is_measured_;
    std::uint64_t ticks_ = 1;
};

}  // namespace

EngineResult make_per_frame_loop(TickRate rate, const LoopOptions& options) {
    return std::unique_ptr<Loop::Engine>(std::make_unique<PerFrameLoop>(rate, options));
}

}  // namespace isotick::core
