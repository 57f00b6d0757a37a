#include "bottleneck.hpp"

#include <algorithm>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kBitsTimesSecond = 8'000'000'000;  // of a byte, in bits and nanoseconds

}  // namespace

Bottleneck::Bottleneck(const LinkSettings& settings)
    : rate_(settings.rate), queue_(settings.queue) {
    if (settings.trace.trace && !settings.trace.trace->deliveries_ns().empty()) {
        trace_ = settings.trace.trace;
        left_in_delivery_ = kDeliveryBytes;
    }
}

std::optional<std::int64_t> Bottleneck::pass(std::int64_t now_ns, std::uint32_t bytes) {
    if (rate_ == 0 && !trace_) {
        return now_ns;
    }
    forget_those_that_left(now_ns);
    if (waiting_bytes_ + bytes > queue_) {
        return std::nullopt;
    }
    const std::int64_t leaves_ns =
        trace_ ? leave_by_trace(now_ns, bytes) : leave_by_rate(now_ns, bytes);
    waiting_.push_back({leaves_ns, bytes});
    waiting_bytes_ += bytes;
    return leaves_ns;
}

void Bottleneck::forget_those_that_left(std::int64_t now_ns) {
    while (first_ < waiting_.size() && waiting_[first_].leaves_ns <= now_ns) {
        waiting_bytes_ -= waiting_[first_].bytes;
        ++first_;
    }
    // Moves each packet down once at most, on average.
    if (first_ * 2 >= waiting_.size()) {
        waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
}

std::int64_t Bottleneck::leave_by_rate(std::int64_t now_ns, std::uint32_t bytes) {
    const std::uint64_t takes_ns = (bytes * kBitsTimesSecond + rate_ - 1) / rate_;
    busy_until_ns_ = std::max(busy_until_ns_, now_ns) + static_cast<std::int64_t>(takes_ns);
    return busy_until_ns_;
}

std::int64_t Bottleneck::leave_by_trace(std::int64_t now_ns, std::uint32_t bytes) {
    if (delivery_ns(delivery_) < now_ns) {  // what nobody used is gone
        delivery_ = first_delivery_from(now_ns);
        left_in_delivery_ = kDeliveryBytes;
    }
    while (bytes > left_in_delivery_) {
        bytes -= left_in_delivery_;
        ++delivery_;
        left_in_delivery_ = kDeliveryBytes;
    }
    left_in_delivery_ -= bytes;
    return delivery_ns(delivery_);
}

std::int64_t Bottleneck::delivery_ns(std::uint64_t index) const {
    const auto deliveries = trace_->deliveries_ns();
    const auto laps = static_cast<std::int64_t>(index / deliveries.size());
    return laps * trace_->length_ns() + deliveries[index % deliveries.size()];
}

std::uint64_t Bottleneck::first_delivery_from(std::int64_t time_ns) const {
    const auto deliveries = trace_->deliveries_ns();
    const std::int64_t lap = time_ns / trace_->length_ns();
    const auto found = std::ranges::lower_bound(deliveries, time_ns % trace_->length_ns());
    return static_cast<std::uint64_t>(lap) * deliveries.size() +
           static_cast<std::uint64_t>(found - deliveries.begin());
}

}  // namespace isotick::harness
