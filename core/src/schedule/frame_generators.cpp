#include "frame_generators.hpp"

#include <algorithm>
#include <utility>

namespace isotick::core {

JitterFrames::JitterFrames(const ScheduleItem& item, TickClock clock)
    : random_(item.seed), clock_(clock), spread_(item.duration.nanoseconds) {}

std::int64_t JitterFrames::next() {
    const std::int64_t frame = clock_.next() + random_.between(-spread_, spread_);
    return std::max<std::int64_t>(frame, 0);
}

VsyncFrames::VsyncFrames(const ScheduleItem& item, TickClock clock)
    : random_(item.seed), clock_(clock), per_mille_(item.per_mille) {}

std::int64_t VsyncFrames::next() {
    std::int64_t frame = clock_.next();
    if (random_.chance(per_mille_, 1000)) {
        for (std::uint32_t missed = 1 + random_.below(3); missed > 0; --missed) {
            frame += clock_.next();
        }
    }
    return frame;
}

BimodalFrames::BimodalFrames(const ScheduleItem& item)
    : random_(item.seed),
      usual_(item.duration.nanoseconds),
      rare_(item.other_duration.nanoseconds),
      per_mille_(item.per_mille) {}

std::int64_t BimodalFrames::next() {
    return random_.chance(per_mille_, 1000) ? rare_ : usual_;
}

bool OneInEvery::next(Pcg32& random) {
    if (at_ == 0) {
        place_ = random.below(every_);
    }
    const bool is_picked = at_ == place_;
    at_ = at_ + 1 == every_ ? 0 : at_ + 1;
    return is_picked;
}

HitchFrames::HitchFrames(const ScheduleItem& item, TickClock clock)
    : random_(item.seed),
      clock_(clock),
      hitches_(item.every),
      longest_(item.duration.nanoseconds) {}

std::int64_t HitchFrames::next() {
    std::int64_t frame = clock_.next();
    if (hitches_.next(random_)) {
        frame += random_.between(std::max<std::int64_t>(longest_ / 10, 1), longest_);
    }
    return frame;
}

QuantisedFrames::QuantisedFrames(const ScheduleItem& item, TickClock clock)
    : clock_(clock), unit_(item.duration.nanoseconds) {}

std::int64_t QuantisedFrames::next() {
    const std::int64_t passed = rest_ + clock_.next();
    rest_ = passed % unit_;
    return passed - rest_;
}

StuckFrames::StuckFrames(const ScheduleItem& item, TickClock clock)
    : random_(item.seed), clock_(clock), per_mille_(item.per_mille) {}

std::int64_t StuckFrames::next() {
    missed_ += clock_.next();
    if (random_.chance(per_mille_, 1000) && run_ < kLongestRun) {
        ++run_;
        return 0;
    }
    run_ = 0;
    return std::exchange(missed_, 0);
}

BackwardsFrames::BackwardsFrames(const ScheduleItem& item, TickClock clock)
    : random_(item.seed),
      clock_(clock),
      per_mille_(item.per_mille),
      most_(item.duration.nanoseconds) {}

std::int64_t BackwardsFrames::next() {
    return random_.chance(per_mille_, 1000) ? -random_.between(1, most_) : clock_.next();
}

BurstFrames::BurstFrames(const ScheduleItem& item, TickClock clock)
    : random_(item.seed),
      clock_(clock),
      bursts_(item.every),
      tiny_(item.duration.nanoseconds),
      length_(item.burst_frames) {}

std::int64_t BurstFrames::next() {
    if (left_ == 0 && !steady_is_due_ && bursts_.next(random_)) {
        left_ = length_;
        steady_is_due_ = true;
    }
    if (left_ > 0) {
        --left_;
        return tiny_;
    }
    steady_is_due_ = false;
    return clock_.next();
}

EdgeFrames::EdgeFrames(const ScheduleItem& item, TickRate rate, std::uint64_t elapsed)
    : random_(item.seed), clock_(rate), offset_(clock_.seek(elapsed)) {}

std::int64_t EdgeFrames::next() {
    if (is_creeping_ && offset_ < 1) {
        ++offset_;
        return 1;
    }
    std::int64_t distance = clock_.next();
    if (random_.chance(1, 8)) {
        distance += clock_.next();
    }
    const std::uint32_t drawn = random_.below(4);
    is_creeping_ = drawn == 3;
    const std::int64_t offset = is_creeping_ ? -1 : std::int64_t{drawn} - 1;
    return distance - std::exchange(offset_, offset) + offset;
}

TickRate clamp_generator_rate(TickRate rate) {
    constexpr std::uint64_t kMost = kMostGeneratorRate;
    if (rate.numerator() > kMost * rate.denominator()) {
        return *TickRate::make(kMost, 1);
    }
    if (rate.denominator() > kMost * rate.numerator()) {
        return *TickRate::make(1, kMost);
    }
    return rate;
}

FrameGenerator make_frame_generator(const ScheduleItem& item, TickRate session_rate,
                                    std::uint64_t elapsed) {
    const TickRate rate = item.rate.value_or(session_rate);
    const TickRate clamped = clamp_generator_rate(rate);
    const TickClock clock(clamped);
    switch (item.kind) {
        case FrameKind::frame:
            return ConstantFrames(item);
        case FrameKind::jitter:
            return JitterFrames(item, clock);
        case FrameKind::vsync:
            return VsyncFrames(item, clock);
        case FrameKind::bimodal:
            return BimodalFrames(item);
        case FrameKind::hitches:
            return HitchFrames(item, clock);
        case FrameKind::quantised:
            return QuantisedFrames(item, clock);
        case FrameKind::stuck:
            return StuckFrames(item, clock);
        case FrameKind::backwards:
            return BackwardsFrames(item, clock);
        case FrameKind::burst:
            return BurstFrames(item, clock);
        case FrameKind::edges:
            return EdgeFrames(item, clamped, elapsed);
        case FrameKind::steady:
        case FrameKind::mix:
        case FrameKind::capture:
            break;
    }
    return SteadyFrames(TickClock(rate));
}

}  // namespace isotick::core
