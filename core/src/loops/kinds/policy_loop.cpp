// The exact accumulator under everything that may be chosen about it: debt, ramps, every n-th tick
// …

#include "../engine.hpp"
#include "../limits.hpp"
#include "../scaled_time.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace isotick::core {
namespace {

using Units = AccumulatorLoop::Units;

class PolicyLoop final : public EngineOf<PolicyLoop> {
  public:
    PolicyLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& loop)
        : loop_(loop),
          options_(options),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)) {
        if (options.ramp) {
            ramp_.emplace(options.time_scale, *options.ramp);
        }
    }

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = repay(frame_time);
        const std::int64_t given = std::max(lasted, options_.shortest_frame.nanoseconds);
        frame.wait.nanoseconds = given - lasted;
        const std::int64_t fed = limit(given, frame.plan.cut);
        const FramePlan due = loop_.advance({ramp_ ? ramp_->advance(fed) : fed});
        frame.owed.nanoseconds = owed_;
        frame.plan.alpha = due.alpha;
        frame.plan.ticks = due.ticks;
        skip_ticks(frame.plan);
        frame.plan.given_up = frame.plan.ticks - std::min(frame.plan.ticks, most_);
        frame.plan.ticks -= frame.plan.given_up;
        if (options_.reread.nanoseconds > 0 || options_.view == View::current) {
            frame.plan.alpha = alpha_after(options_.reread);
        }
        frame.renders = options_.render == RenderWhen::always || frame.plan.ticks > 0;
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        if (options_.view == View::current) {
            return 0;
        }
        return of_every(loop_.alpha_after(later));
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    // How long a frame lasted by a clock that may go backwards.
    std::int64_t repay(FrameTime frame_time) {
        const std::int64_t lasted = not_negative(frame_time);
        if (options_.negative == NegativeTime::zero) {
            return lasted;
        }
        if (frame_time.nanoseconds < 0) {
            const auto back = -std::max(frame_time.nanoseconds, -kMostNanoseconds);
            behind_ = saturating_sum(behind_, back);
            return 0;
        }
        const std::int64_t repaid = std::min(lasted, behind_);
        behind_ -= repaid;
        return lasted - repaid;
    }

    // What of `given` goes into the accumulator now.
    std::int64_t limit(std::int64_t given, FrameTime& cut) {
        std::int64_t fed = std::min(given, longest_);
        if (options_.debt == Debt::kept) {
            const std::int64_t available = saturating_sum(owed_, given);
            fed = std::min({available, longest_, longest_without_a_tick_more()});
            owed_ = available - fed;
            return fed;
        }
        if (options_.debt == Debt::reset) {
            const auto left = Units{options_.every} - skipped_;
            fed = is_too_long(given) ? std::min(given, loop_.until_tick(left).nanoseconds) : given;
        }
        cut.nanoseconds = given - fed;
        return fed;
    }

    // The most that can be fed without more than most_ ticks to run.
    [[nodiscard]] std::int64_t longest_without_a_tick_more() const {
        if (most_ == kNoLimit) {
            return kMostNanoseconds;
        }
        const Units too_many = (Units{most_} + 1) * options_.every - skipped_;
        return loop_.until_tick(too_many).nanoseconds - 1;
    }

    // Whether more than a limit would be accumulated with `given` more nanoseconds.
    [[nodiscard]] bool is_too_long(std::int64_t given) const {
        const Units per_nanosecond = loop_.per_nanosecond();
        const Units total = skipped_ * loop_.per_tick() + loop_.passed() +
                            static_cast<Units>(given) * per_nanosecond;
        const Units due = total / loop_.per_tick();
        const Units most = Units{most_} * options_.every;
        return total > static_cast<Units>(longest_) * per_nanosecond || due > most ||
               (due == most && total % loop_.per_tick() > 0);
    }

    // Runs every n-th of the ticks that are due.
    void skip_ticks(FramePlan& plan) {
        if (options_.every == 1) {
            return;
        }
        const std::uint64_t due = skipped_ + plan.ticks;
        plan.ticks = due / options_.every;
        skipped_ = due % options_.every;
        plan.alpha = of_every(plan.alpha);
    }

    [[nodiscard]] double of_every(double alpha) const {
        return options_.every == 1 ? alpha
                                   : below_one((static_cast<double>(skipped_) + alpha) /
                                               static_cast<double>(options_.every));
    }

    AccumulatorLoop loop_;
    LoopOptions options_;
    std::int64_t longest_;
    std::uint64_t most_;
    std::optional<ScaledTime> ramp_;
    std::uint64_t skipped_ = 0;  // due, but not an n-th one
    std::int64_t owed_ = 0;      // Debt::kept
    std::int64_t behind_ = 0;    // NegativeTime::repaid
};

}  // namespace

EngineResult make_policy_loop(TickRate rate, const LoopOptions& options) {
    LoopOptions chosen = options;
    if (options.kind == LoopKind::canonical) {
        chosen.debt = Debt::reset;
    }
    if (options.kind == LoopKind::clock) {
        chosen.longest_frame.reset();
    }
    LoopOptions inner = chosen;
    if (options.ramp) {
        inner.time_scale = {1, 1};  // it is fed scaled time
    }
    return make_unlimited(rate, inner).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<PolicyLoop>(rate, chosen, loop));
    });
}

}  // namespace isotick::core
