#include "call_pipeline.hpp"

#include "../system/preload.hpp"
#include "frame_driver.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

using core::QueuedCall;
using core::Result;

constexpr std::size_t kSmallestWindow = 16;
// Half a window should take about this long: long enough that waking each other up costs little,
// short against any timeout.
constexpr auto kQuick = std::chrono::milliseconds(5);
constexpr auto kSlow = std::chrono::milliseconds(50);

Activity activity_of(QueuedCall call) {
    switch (call) {
        case QueuedCall::begin_frame:
            return Activity::beginning_frame;
        case QueuedCall::step:
            return Activity::stepping;
        case QueuedCall::render:
            return Activity::rendering;
        case QueuedCall::hash:
            return Activity::hashing;
    }
    return Activity::starting;
}

}  // namespace

// The one that was stepped last; 0 before the first.
core::Tick CallPipeline::last_tick() const {
    return core::Tick{next_.value - std::min<std::uint64_t>(next_.value, 1)};
}

Result<void> CallPipeline::begin_frame(core::FrameTime frame_time) {
    if (!ahead_) {
        enter(Activity::beginning_frame, next_);
        return simulation_.begin_frame(frame_time);
    }
    if (over_ || !simulation_.takes_frames()) {
        return {};
    }
    auto queued = simulation_.queue_begin_frame(frame_time);
    return queued ? enqueue(QueuedCall::begin_frame, next_, nullptr) : queued;
}

Result<void> CallPipeline::step(core::Tick tick, std::span<const isotick_input> inputs,
                                std::optional<core::TickDt> dt) {
    if (over_) {
        return {};
    }
    ++statistics_.ticks;
    next_ = core::Tick{tick.value + 1};
    statistics_.ticks_reached = std::max(statistics_.ticks_reached, next_.value);
    if (!ahead_) {
        enter(Activity::stepping, tick);
        return simulation_.step(tick, inputs, dt);
    }
    auto queued = simulation_.queue_step(tick, inputs, dt);
    return queued ? enqueue(QueuedCall::step, tick, nullptr) : queued;
}

Result<void> CallPipeline::render(double alpha) {
    if (!ahead_) {
        enter(Activity::rendering, last_tick());
        return simulation_.render(alpha);
    }
    if (over_ || !simulation_.renders()) {
        return {};
    }
    auto queued = simulation_.queue_render(alpha);
    return queued ? enqueue(QueuedCall::render, last_tick(), nullptr) : queued;
}

Result<void> CallPipeline::hash(const AwaitedHash& awaited) {
    const core::Tick tick{awaited.ticks_done == 0 ? 0 : awaited.ticks_done - 1};
    if (!ahead_) {
        enter(Activity::hashing, tick);
        return simulation_.hash().map([&](core::StateHash hash) { take_(awaited, hash); });
    }
    if (over_) {
        return {};
    }
    auto queued = simulation_.queue_hash();
    return queued ? enqueue(QueuedCall::hash, tick, &awaited) : queued;
}

Result<void> CallPipeline::load(std::span<const std::byte> snapshot, std::uint64_t ticks_done) {
    core::Simulation& simulation = during(Activity::restoring);
    next_ = core::Tick{ticks_done};
    return simulation.load(snapshot);
}

// Progress always shows the oldest call: that is the one that may be hanging.
Result<void> CallPipeline::enqueue(QueuedCall call, core::Tick tick, const AwaitedHash* awaited) {
    Queued& queued = queued_[(oldest_ + count_++) % kLargestWindow];
    queued.call = call;
    queued.tick = tick;
    queued.statistics = statistics_;
    if (awaited != nullptr) {
        queued.awaited = *awaited;
        queued.recorded_parts.assign(awaited->recorded_parts.begin(),
                                     awaited->recorded_parts.end());
    }
    if (count_ == 1) {
        enter(activity_of(call), tick);
    }
    if (count_ < window_) {
        return {};
    }
    const auto before = OwnClock::now();
    auto settled = settle_down_to(window_ / 2);
    const auto took = OwnClock::now() - before;
    if (took < kQuick) {
        window_ = std::min(2 * window_, kLargestWindow);
    } else if (took > kSlow) {
        window_ = std::max(window_ / 2, kSmallestWindow);
    }
    return settled;
}

Result<void> CallPipeline::settle_down_to(std::size_t most) {
    while (count_ > most) {
        ISOTICK_TRY(settle_oldest());
    }
    return {};
}

Result<void> CallPipeline::settle_oldest() {
    Queued& oldest = queued_[oldest_];
    oldest_ = (oldest_ + 1) % kLargestWindow;
    --count_;
    auto settled = simulation_.settle(oldest.call, oldest.tick);
    if (settled && oldest.call == QueuedCall::hash) {
        oldest.awaited.recorded_parts = oldest.recorded_parts;
        over_ = !take_(oldest.awaited, core::hash_parts(simulation_.parts()));
    }
    if (!settled || over_) {
        TrialStatistics then = oldest.statistics;
        then.hashes_compared = statistics_.hashes_compared;
        then.hash_changed = statistics_.hash_changed;
        statistics_ = then;
        if (over_ && oldest.awaited.ticks_done > 0) {  // before tick 0 there was no frame
            count_frame(statistics_, oldest.awaited.context.ticks_in_frame);
        }
        count_ = 0;
    } else if (count_ > 0) {
        const Queued& next = queued_[oldest_];
        progress_.enter({activity_of(next.call), next.tick, next.statistics.ticks});
    }
    return settled;
}

}  // namespace isotick::harness
