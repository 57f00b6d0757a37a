#include "network_link.hpp"

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

LinkDirection::LinkDirection(const LinkSettings& settings, std::span<const PacketEvent> events,
                             core::Pcg32 random)
    : settings_(settings), events_(events), random_(random), bottleneck_(settings) {
    losses_.set(settings.loss_per_mille, settings.burst);
}

Outcome LinkDirection::send(std::int64_t now_ns, std::uint32_t bytes, bool is_cut_off) {
    const PacketDraws draws = PacketDraws::next(random_);
    const LinkTrace::Condition condition = condition_at(now_ns);
    losses_.set(condition.loss_per_mille, settings_.burst);
    const bool is_lost = losses_.loses(draws.loss);
    const Given given = events_.empty() ? Given() : take_events(number_);
    ++number_;
    if (is_cut_off) {
        return {PacketFate::cut_off, 0, {}};
    }
    const auto leaves_ns = bottleneck_.pass(now_ns, bytes + kHeaderBytes);
    if (!leaves_ns) {
        return {PacketFate::overflowed, 0, {}};
    }
    if (is_lost || given.drops) {
        return {PacketFate::lost, 0, {}};
    }
    // Jitter is a queue somewhere else: it delays what follows, too.
    const std::int64_t usual_ns =
        std::max(*leaves_ns + jittered(condition.delay_ns, draws.jitter), in_order_ns_);
    const std::int64_t held_back_ns = held_back_by(draws) + given.late_ns;
    if (held_back_ns == 0) {
        in_order_ns_ = usual_ns;
    }
    Outcome outcome;
    outcome.arrival_ns = std::max(usual_ns + held_back_ns, now_ns);
    if (given.copies) {
        outcome.copy_ns = std::max(plain_arrival_ns(now_ns) + given.copy_late_ns, now_ns);
    } else if (hits(draws.duplication, settings_.duplication_per_mille)) {
        outcome.copy_ns = *leaves_ns + jittered(condition.delay_ns, draws.copy_jitter);
    }
    return outcome;
}

LinkDirection::Given LinkDirection::take_events(std::uint64_t number) {
    Given given;
    while (!events_.empty() && events_.front().number == number) {
        const PacketEvent& event = events_.front();
        switch (event.fault) {
            case PacketFault::drop:
                given.drops = true;
                break;
            case PacketFault::late:
                given.late_ns = event.by_ns;
                break;
            case PacketFault::twice:
                given.copies = true;
                given.copy_late_ns = event.by_ns;
                break;
        }
        events_ = events_.subspan(1);
    }
    return given;
}

LinkTrace::Condition LinkDirection::condition_at(std::int64_t now_ns) {
    const LinkTrace* const trace = settings_.trace.trace.get();
    if (trace == nullptr || trace->conditions().empty()) {
        return {0, settings_.delay_ns, settings_.loss_per_mille};
    }
    const auto after = std::ranges::upper_bound(trace->conditions(), now_ns % trace->length_ns(),
                                                {}, &LinkTrace::Condition::from_ns);
    return *std::prev(after);
}

std::int64_t LinkDirection::jittered(std::int64_t delay_ns, std::uint32_t draw) const {
    const auto range = static_cast<std::uint64_t>(settings_.jitter_ns) * 2 + 1;
    const auto drawn = static_cast<std::int64_t>(scaled(draw, range));
    return std::max<std::int64_t>(delay_ns + drawn - settings_.jitter_ns, 0);
}

std::int64_t LinkDirection::held_back_by(const PacketDraws& draws) const {
    if (!hits(draws.reordering, settings_.reordering_per_mille)) {
        return 0;
    }
    const std::int64_t least = settings_.hold_back_ns / 2;
    const auto range = static_cast<std::uint64_t>(settings_.hold_back_ns - least);
    return least + 1 + static_cast<std::int64_t>(scaled(draws.hold_back, range));
}

}  // namespace isotick::harness
