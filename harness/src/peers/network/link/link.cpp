#include "link.hpp"

#include <algorithm>

namespace isotick::harness {

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
