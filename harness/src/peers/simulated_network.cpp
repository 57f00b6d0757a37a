#include "simulated_network.hpp"

#include "cuts.hpp"
#include "network_link.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace isotick::harness {

// What is on its way to one node.

struct PacketInFlight {
    std::int64_t arrival_ns;
    std::uint32_t from;
    std::uint32_t bytes;
    std::uint64_t number_and_copy;  // the copy comes after its original
    BlockPool::Chain chain;

    [[nodiscard]] std::uint64_t number() const { return number_and_copy >> 1U; }
    [[nodiscard]] bool is_copy() const { return (number_and_copy & 1U) != 0; }

    friend bool operator>(const PacketInFlight& left, const PacketInFlight& right) {
        return std::tie(left.arrival_ns, left.from, left.number_and_copy) >
               std::tie(right.arrival_ns, right.from, right.number_and_copy);
    }
};

/// Packets by arrival; at the same instant by sender, number, original before copy.
class Inbox {
  public:
    [[nodiscard]] bool is_empty() const { return packets_.empty(); }
    /// The first to arrive. There must be one.
    [[nodiscard]] const PacketInFlight& first() const { return packets_.front(); }

    void put(const PacketInFlight& packet) {
        packets_.push_back(packet);
        std::ranges::push_heap(packets_, std::greater());
    }

    PacketInFlight take_first() {
        std::ranges::pop_heap(packets_, std::greater());
        const PacketInFlight packet = packets_.back();
        packets_.pop_back();
        return packet;
    }

  private:
    std::vector<PacketInFlight> packets_;  // a heap, the first to arrive in front
};

using core::ErrorCode;
using core::Result;

LinkStatistics& LinkStatistics::operator+=(const LinkStatistics& other) {
    for (const auto member :
         {&LinkStatistics::sent, &LinkStatistics::sent_bytes, &LinkStatistics::delivered,
          &LinkStatistics::delivered_bytes, &LinkStatistics::lost, &LinkStatistics::overflowed,
          &LinkStatistics::cut_off, &LinkStatistics::duplicated, &LinkStatistics::overtaken,
          &LinkStatistics::in_flight}) {
        this->*member += other.*member;
    }
    return *this;
}

class SimulatedNetwork::Impl {
  public:
    Impl(const NetworkSpec& spec, std::uint32_t nodes, std::uint64_t seed, NetworkOptions options);

    Result<void> send(std::uint32_t from, std::uint32_t to, std::span<const std::byte> bytes);
    Result<void> advance(std::int64_t to_ns);
    std::optional<Delivery> receive(std::uint32_t node);
    [[nodiscard]] Result<NetworkSpec> explicit_spec() const;

    [[nodiscard]] const Inbox* inbox(std::uint32_t node) const {
        return node < nodes_ ? &inboxes_[node] : nullptr;
    }
    [[nodiscard]] std::span<const Inbox> inboxes() const { return inboxes_; }
    [[nodiscard]] const LinkStatistics* statistics(std::uint32_t from, std::uint32_t to) const {
        return from < nodes_ && to < nodes_ ? &links_[from * nodes_ + to].statistics : nullptr;
    }
    [[nodiscard]] std::int64_t now() const { return now_ns_; }
    [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
    [[nodiscard]] std::span<const LoggedPacket> log() const { return log_; }

  private:
    /// A link and what it carries.
    struct Way {
        LinkDirection link;
        LinkStatistics statistics;
        std::uint64_t in_flight_bytes = 0;  // as they are charged
        std::uint64_t after_delivered = 0;  // the highest number that was delivered, plus 1
    };

    void add_ways(std::uint64_t seed);
    /// Under way, and its copy, as `outcome` says; `logged` is all that is to be logged of it.
    void carry(Way& way, const Outcome& outcome, LoggedPacket logged,
               std::span<const std::byte> bytes);
    /// False: there is too much in flight.
    bool put(Way& way, PacketInFlight packet, std::uint32_t to, std::span<const std::byte> bytes);
    void count_missing(Way& way, const LoggedPacket& packet);
    void log(const LoggedPacket& packet);

    /// What a packet counts as in flight.
    static std::uint64_t charge(std::size_t bytes) {
        return (BlockPool::blocks_for(bytes) + 1) * BlockPool::kBlockBytes;
    }

    NetworkSpec spec_;  // events of links are in it
    std::uint32_t nodes_;
    std::uint64_t most_in_flight_;  // of a link
    NetworkOptions options_;
    std::int64_t now_ns_ = 0;
    Cuts cuts_;
    std::vector<Way> links_;  // from * nodes + to
    std::vector<Inbox> inboxes_;
    BlockPool pool_;
    std::vector<std::byte> received_;
    std::vector<LoggedPacket> log_;
    bool log_is_full_ = false;
};

SimulatedNetwork::Impl::Impl(const NetworkSpec& spec, std::uint32_t nodes, std::uint64_t seed,
                             NetworkOptions options)
    : spec_(spec),
      nodes_(nodes),
      most_in_flight_(std::clamp<std::uint64_t>(kMostInFlight / (nodes * (nodes - 1)),
                                                charge(kMostPacketBytes), std::uint64_t{4} << 20U)),
      options_(options),
      cuts_(spec_.parts().cuts, nodes),
      inboxes_(nodes) {
    add_ways(seed);
}

void SimulatedNetwork::Impl::add_ways(std::uint64_t seed) {
    links_.reserve(std::size_t{nodes_} * nodes_);
    std::span<const PacketEvent> events = spec_.parts().events;
    for (std::uint32_t from = 0; from < nodes_; ++from) {
        for (std::uint32_t to = 0; to < nodes_; ++to) {
            const auto end = std::ranges::find_if(events, [=](const PacketEvent& each) {
                return each.from != from || each.to != to;
            });
            const auto own = events.first(static_cast<std::size_t>(end - events.begin()));
            events = events.subspan(own.size());
            const core::Pcg32 random(core::derive_seed(seed, {from, to}));
            links_.push_back({LinkDirection(spec_.settings(from, to), own, random), {}});
        }
    }
}

Result<void> SimulatedNetwork::Impl::send(std::uint32_t from, std::uint32_t to,
                                          std::span<const std::byte> bytes) {
    if (from >= nodes_ || to >= nodes_ || from == to) {
        return core::fail(ErrorCode::usage, "there is no link from node " + std::to_string(from) +
                                                " to node " + std::to_string(to));
    }
    if (bytes.size() > kMostPacketBytes) {
        return core::fail(ErrorCode::limit,
                          "a packet of " + std::to_string(bytes.size()) + " bytes; at most 65507");
    }
    Way& way = links_[from * nodes_ + to];
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const Outcome outcome = way.link.send(now_ns_, size, cuts_.part(from, to));
    LoggedPacket logged{from, to, way.statistics.sent, PacketFate::lost, now_ns_, 0};
    ++way.statistics.sent;
    way.statistics.sent_bytes += size;
    if (outcome.missing) {
        logged.fate = *outcome.missing;
        count_missing(way, logged);
    } else {
        carry(way, outcome, logged, bytes);
    }
    return {};
}

void SimulatedNetwork::Impl::carry(Way& way, const Outcome& outcome, LoggedPacket logged,
                                   std::span<const std::byte> bytes) {
    const std::int64_t plain_ns = way.link.plain_arrival_ns(now_ns_);
    PacketInFlight packet{outcome.arrival_ns, logged.from, static_cast<std::uint32_t>(bytes.size()),
                          logged.number << 1U, BlockPool::kNone};
    if (!put(way, packet, logged.to, bytes)) {
        logged.fate = PacketFate::overflowed;
        count_missing(way, logged);
        return;
    }
    if (packet.arrival_ns != plain_ns) {
        logged.fate = PacketFate::late;
        logged.by_ns = packet.arrival_ns - plain_ns;
        log(logged);
    }
    if (!outcome.copy_ns) {
        return;
    }
    packet.arrival_ns = *outcome.copy_ns;
    packet.number_and_copy |= 1U;
    if (put(way, packet, logged.to, bytes)) {
        ++way.statistics.duplicated;
        logged.fate = PacketFate::twice;
        logged.by_ns = packet.arrival_ns - plain_ns;
        log(logged);
    }
}

bool SimulatedNetwork::Impl::put(Way& way, PacketInFlight packet, std::uint32_t to,
                                 std::span<const std::byte> bytes) {
    if (way.in_flight_bytes + charge(bytes.size()) > most_in_flight_) {
        return false;
    }
    way.in_flight_bytes += charge(bytes.size());
    ++way.statistics.in_flight;
    packet.chain = pool_.keep(bytes);
    inboxes_[to].put(packet);
    return true;
}

void SimulatedNetwork::Impl::count_missing(Way& way, const LoggedPacket& packet) {
    LinkStatistics& counts = way.statistics;
    counts.lost += packet.fate == PacketFate::lost ? 1 : 0;
    counts.overflowed += packet.fate == PacketFate::overflowed ? 1 : 0;
    counts.cut_off += packet.fate == PacketFate::cut_off ? 1 : 0;
    log(packet);
}

void SimulatedNetwork::Impl::log(const LoggedPacket& packet) {
    if (!options_.log) {
        return;
    }
    if (log_.size() == kMostLogged) {
        log_is_full_ = true;
        return;
    }
    log_.push_back(packet);
}

Result<void> SimulatedNetwork::Impl::advance(std::int64_t to_ns) {
    if (to_ns < now_ns_ || to_ns > kLatest) {
        return core::fail(ErrorCode::usage, "the network is at " + std::to_string(now_ns_) +
                                                " ns and cannot go to " + std::to_string(to_ns) +
                                                " ns");
    }
    now_ns_ = to_ns;
    cuts_.advance(to_ns);
    return {};
}

std::optional<Delivery> SimulatedNetwork::Impl::receive(std::uint32_t node) {
    if (node >= nodes_ || inboxes_[node].is_empty() ||
        inboxes_[node].first().arrival_ns > now_ns_) {
        return std::nullopt;
    }
    const PacketInFlight packet = inboxes_[node].take_first();
    received_.resize(packet.bytes);
    pool_.release(packet.chain, received_);
    Way& way = links_[packet.from * nodes_ + node];
    way.in_flight_bytes -= charge(packet.bytes);
    --way.statistics.in_flight;
    ++way.statistics.delivered;
    way.statistics.delivered_bytes += packet.bytes;
    way.statistics.overtaken += packet.number() + 1 < way.after_delivered ? 1U : 0U;
    way.after_delivered = std::max(way.after_delivered, packet.number() + 1);
    return Delivery{packet.from, packet.number(), packet.is_copy(), packet.arrival_ns, received_};
}

Result<NetworkSpec> SimulatedNetwork::Impl::explicit_spec() const {
    if (!options_.log) {
        return core::fail(ErrorCode::usage, "the network was made without a log");
    }
    if (log_is_full_) {
        return core::fail(ErrorCode::limit, "the network's log of 1000000 packets is full");
    }
    NetworkParts parts;
    const auto only_delay = [](const LinkSettings& from) {
        LinkSettings settings;
        settings.delay_ns = from.delay_ns;
        return settings;
    };
    parts.usual = only_delay(spec_.parts().usual);
    for (const LinkRule& each : spec_.parts().rules) {
        if ((each.given & bit_of(LinkSetting::delay)) != 0) {
            parts.rules.push_back(
                {each.from, each.to, only_delay(each.settings), bit_of(LinkSetting::delay)});
        }
    }
    for (const LoggedPacket& each : log_) {
        PacketEvent event{each.from, each.to, each.number, PacketFault::drop, each.by_ns};
        event.fault = each.fate == PacketFate::late    ? PacketFault::late
                      : each.fate == PacketFate::twice ? PacketFault::twice
                                                       : PacketFault::drop;
        parts.events.push_back(event);
    }
    return NetworkSpec::from_parts(std::move(parts));
}

SimulatedNetwork::SimulatedNetwork(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimulatedNetwork::SimulatedNetwork(SimulatedNetwork&&) noexcept = default;
SimulatedNetwork& SimulatedNetwork::operator=(SimulatedNetwork&&) noexcept = default;
SimulatedNetwork::~SimulatedNetwork() = default;

Result<SimulatedNetwork> SimulatedNetwork::make(const NetworkSpec& spec, std::uint32_t nodes,
                                                std::uint64_t seed, NetworkOptions options) {
    if (nodes < 2 || nodes > kMostNodes) {
        return core::fail(ErrorCode::usage, "a network has 2 to 256 nodes");
    }
    if (spec.least_nodes() > nodes) {
        return core::fail(ErrorCode::usage,
                          "the network names node " + std::to_string(spec.least_nodes() - 1) +
                              ", but has nodes 0 to " + std::to_string(nodes - 1) + " only");
    }
    return SimulatedNetwork(std::make_unique<Impl>(spec, nodes, seed, options));
}

Result<void> SimulatedNetwork::send(std::uint32_t from, std::uint32_t to,
                                    std::span<const std::byte> bytes) {
    return impl_->send(from, to, bytes);
}

Result<void> SimulatedNetwork::advance(std::int64_t to_ns) {
    return impl_->advance(to_ns);
}

std::optional<Delivery> SimulatedNetwork::receive(std::uint32_t node) {
    return impl_->receive(node);
}

std::optional<std::int64_t> SimulatedNetwork::next_arrival() const {
    std::optional<std::int64_t> next;
    for (const Inbox& each : impl_->inboxes()) {
        if (!each.is_empty()) {
            next = std::min(next.value_or(kLatest * 2), each.first().arrival_ns);
        }
    }
    return next;
}

std::optional<std::int64_t> SimulatedNetwork::next_arrival(std::uint32_t node) const {
    const Inbox* const inbox = impl_->inbox(node);
    const bool has_any = inbox != nullptr && !inbox->is_empty();
    return has_any ? std::optional(inbox->first().arrival_ns) : std::nullopt;
}

std::int64_t SimulatedNetwork::now() const {
    return impl_->now();
}

std::uint32_t SimulatedNetwork::nodes() const {
    return impl_->nodes();
}

LinkStatistics SimulatedNetwork::statistics(std::uint32_t from, std::uint32_t to) const {
    const LinkStatistics* const found = impl_->statistics(from, to);
    return found == nullptr ? LinkStatistics() : *found;
}

LinkStatistics SimulatedNetwork::statistics() const {
    LinkStatistics sum;
    for (std::uint32_t from = 0; from < nodes(); ++from) {
        for (std::uint32_t to = 0; to < nodes(); ++to) {
            sum += statistics(from, to);
        }
    }
    return sum;
}

std::span<const LoggedPacket> SimulatedNetwork::log() const {
    return impl_->log();
}

Result<NetworkSpec> SimulatedNetwork::explicit_spec() const {
    return impl_->explicit_spec();
}

}  // namespace isotick::harness
