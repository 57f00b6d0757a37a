// Order, determinism, conservation and limits of the simulated network.

#include "random_spec.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/hash.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using tests::any_spec;
using tests::Arrival;
using tests::chatter;
using tests::drain;
using tests::kMillisecond;
using tests::kSecond;
using tests::network_of;
using tests::payload;
using tests::receive_all;
using tests::stream;
using tests::take;

TEST(SimulatedNetwork, DeliversBytesOfAnySize) {
    SimulatedNetwork network = network_of("delay=5ms");
    for (const unsigned size : {0U, 1U, 63U, 64U, 65U, 128U, 1500U, 65507U}) {
        take(network.send(0, 1, payload(size, size)));
    }
    EXPECT_FALSE(network.receive(1).has_value()) << "nothing has arrived yet";
    take(network.advance(5 * kMillisecond - 1));
    EXPECT_FALSE(network.receive(1).has_value());
    take(network.advance(5 * kMillisecond));
    std::vector<Arrival> arrivals;
    receive_all(network, 1, arrivals);
    ASSERT_EQ(arrivals.size(), 8U);
    for (const Arrival& each : arrivals) {
        EXPECT_EQ(each.bytes, payload(each.bytes.size(), each.bytes.size()));
        EXPECT_EQ(each.at_ns, 5 * kMillisecond);
    }
}

TEST(SimulatedNetwork, OrdersWhatArrivesAtOnceBySenderNumberAndCopy) {
    SimulatedNetwork network = network_of("dup=100%", 4);
    take(network.send(2, 1, {}));
    take(network.send(0, 1, {}));
    take(network.send(2, 1, {}));
    std::vector<std::string> order;
    while (const auto each = network.receive(1)) {
        order.push_back(std::to_string(each->from) + "#" + std::to_string(each->number) +
                        (each->is_copy ? "'" : ""));
    }
    EXPECT_THAT(order, ElementsAre("0#0", "0#0'", "2#0", "2#0'", "2#1", "2#1'"));
}

TEST(SimulatedNetwork, TellsTheNextArrival) {
    SimulatedNetwork network = network_of("delay=30ms 0>1(delay=20ms)", 3);
    EXPECT_FALSE(network.next_arrival().has_value());
    take(network.send(0, 2, {}));
    take(network.send(0, 1, {}));
    EXPECT_EQ(network.next_arrival(), 20 * kMillisecond);
    EXPECT_EQ(network.next_arrival(2), 30 * kMillisecond);
    EXPECT_FALSE(network.next_arrival(0).has_value());
    EXPECT_FALSE(network.next_arrival(9).has_value());
    take(network.advance(kSecond));
    EXPECT_EQ(network.next_arrival(), 20 * kMillisecond) << "it is still to be received";
    EXPECT_TRUE(network.receive(1).has_value());
    EXPECT_EQ(network.next_arrival(), 30 * kMillisecond);
}

TEST(SimulatedNetwork, RefusesWhatMakesNoSense) {
    const auto message = [](const core::Result<void>& result) {
        return result ? "" : result.error().message;
    };
    SimulatedNetwork network = network_of("perfect", 3);
    EXPECT_EQ(message(network.send(0, 3, {})), "there is no link from node 0 to node 3");
    EXPECT_EQ(message(network.send(3, 0, {})), "there is no link from node 3 to node 0");
    EXPECT_EQ(message(network.send(1, 1, {})), "there is no link from node 1 to node 1");
    EXPECT_EQ(message(network.send(0, 1, payload(0, 65'508))),
              "a packet of 65508 bytes; at most 65507");
    take(network.advance(10));
    EXPECT_EQ(message(network.advance(9)), "the network is at 10 ns and cannot go to 9 ns");
    EXPECT_FALSE(network.advance(SimulatedNetwork::kLatest + 1).has_value());
    EXPECT_EQ(network.now(), 10);
    EXPECT_FALSE(network.receive(3).has_value());
    EXPECT_EQ(network.statistics(0, 9), LinkStatistics());
    EXPECT_EQ(network.statistics(), LinkStatistics()) << "what is refused is not sent";
    const NetworkSpec spec = take(NetworkSpec::parse("3>1(loss=1%)"));
    EXPECT_EQ(SimulatedNetwork::make(spec, 3, 1).error().message,
              "the network names node 3, but has nodes 0 to 2 only");
    EXPECT_EQ(SimulatedNetwork::make({}, 1, 1).error().message, "a network has 2 to 256 nodes");
    EXPECT_EQ(SimulatedNetwork::make({}, 257, 1).error().message, "a network has 2 to 256 nodes");
}

TEST(SimulatedNetwork, IsTheSameForTheSameSeed) {
    SimulatedNetwork network = network_of("awful", 4, 7);
    SimulatedNetwork twin = network_of("awful", 4, 7);
    SimulatedNetwork other = network_of("awful", 4, 8);
    const auto arrivals = chatter(network, 3, 3000);
    EXPECT_EQ(arrivals, chatter(twin, 3, 3000));
    EXPECT_NE(arrivals, chatter(other, 3, 3000));
}

/// A hash over all that arrives of a chatter of 4 nodes.
std::uint64_t hash_of(const std::string& text) {
    SimulatedNetwork network = network_of(text, 4, 7);
    core::StreamHasher hasher;
    const auto update = [&hasher](std::uint64_t value) {
        std::array<std::byte, 8> bytes{};
        core::store(bytes.data(), value);
        hasher.update(bytes);
    };
    for (const Arrival& each : chatter(network, 3, 3000)) {
        update(each.to);
        update(each.from);
        update(each.number * 2 + (each.is_copy ? 1 : 0));
        update(static_cast<std::uint64_t>(each.at_ns));
    }
    return hasher.value();
}

TEST(SimulatedNetwork, IsTheSameInEveryVersion) {
    EXPECT_EQ(hash_of("perfect"), 8918449692925303406U);
    EXPECT_EQ(hash_of("lan"), 10432042102437091136U);
    EXPECT_EQ(hash_of("broadband"), 6580009810165413987U);
    EXPECT_EQ(hash_of("mobile"), 7246174900863917150U);
    EXPECT_EQ(hash_of("satellite"), 8708207502514262185U);
    EXPECT_EQ(hash_of("awful"), 9888124909377230412U);
}

std::vector<Arrival> between(std::vector<Arrival> arrivals, std::uint32_t from, std::uint32_t to) {
    std::erase_if(arrivals,
                  [=](const Arrival& each) { return each.from != from || each.to != to; });
    return arrivals;
}

TEST(SimulatedNetwork, OneLinkChangesNoOther) {
    SimulatedNetwork quiet = network_of("awful", 3, 7);
    SimulatedNetwork busy = network_of("awful", 3, 7);
    std::vector<Arrival> calm;
    std::vector<Arrival> loud;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        take(quiet.send(0, 1, payload(i, 30)));
        take(busy.send(2, 1, payload(i, 900)));
        take(busy.send(1, 0, payload(i, 9)));
        take(busy.send(0, 1, payload(i, 30)));
        take(quiet.advance(quiet.now() + tests::kTickNs));
        take(busy.advance(busy.now() + tests::kTickNs));
    }
    drain(quiet, calm);
    drain(busy, loud);
    EXPECT_EQ(calm, between(loud, 0, 1));
    EXPECT_EQ(quiet.statistics(0, 1), busy.statistics(0, 1));
}

TEST(SimulatedNetwork, ASettingChangesNothingButItself) {
    SimulatedNetwork plain = network_of("loss=10% burst=3");
    SimulatedNetwork more = network_of("delay=90ms±80ms loss=10% burst=3 reorder=20% rate=1mbit");
    const auto numbers = [](const std::vector<Arrival>& arrivals) {
        std::vector<std::uint64_t> found;
        for (const Arrival& each : arrivals) {
            found.push_back(each.number);
        }
        std::ranges::sort(found);
        return found;
    };
    EXPECT_EQ(numbers(stream(plain, 3000)), numbers(stream(more, 3000)));
}

TEST(SimulatedNetwork, ConservesPackets) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SimulatedNetwork network =
            take(SimulatedNetwork::make(any_spec(seed, 4), 4, seed, {.log = true}));
        const auto arrivals = chatter(network, seed, 800);
        const LinkStatistics sum = network.statistics();
        EXPECT_EQ(sum.sent, 800U);
        EXPECT_EQ(sum.in_flight, 0U);
        EXPECT_EQ(sum.delivered, arrivals.size());
        EXPECT_EQ(sum.sent + sum.duplicated,
                  sum.delivered + sum.lost + sum.overflowed + sum.cut_off)
            << "seed " << seed;
        std::uint64_t bytes = 0;
        for (const Arrival& each : arrivals) {
            bytes += each.bytes.size();
        }
        EXPECT_EQ(sum.delivered_bytes, bytes);
        EXPECT_TRUE(std::ranges::is_sorted(between(arrivals, 0, 1), {}, &Arrival::at_ns));
    }
}

TEST(SimulatedNetwork, HoldsNoMoreThanItsShareUnderAFlood) {
    SimulatedNetwork network = network_of("delay=1s", 2);
    constexpr std::uint64_t kShare = std::uint64_t{4} << 20U;
    for (int i = 0; i < 100'000; ++i) {
        take(network.send(0, 1, payload(1, 100)));
    }
    EXPECT_EQ(network.statistics(0, 1).in_flight, kShare / (128 + 64));
    EXPECT_EQ(network.statistics(0, 1).overflowed, 100'000 - kShare / (128 + 64));
    take(network.send(1, 0, payload(1, 100)));
    EXPECT_EQ(network.statistics(1, 0).in_flight, 1U) << "the other links have their own";
    take(network.advance(kSecond));
    std::vector<Arrival> arrivals;
    receive_all(network, 1, arrivals);
    take(network.send(0, 1, payload(1, 100)));
    EXPECT_EQ(network.statistics(0, 1).in_flight, 1U);
}

TEST(SimulatedNetwork, EachLinkHoldsAPacketOfTheLargestSize) {
    SimulatedNetwork network = network_of("delay=1ms", kMostNodes);
    const std::vector<std::byte> largest(SimulatedNetwork::kMostPacketBytes);
    take(network.send(0, 255, largest));
    EXPECT_EQ(network.statistics(0, 255).in_flight, 1U);
    take(network.send(0, 255, {}));
    EXPECT_EQ(network.statistics(0, 255).in_flight, 1U);
    EXPECT_EQ(network.statistics(0, 255).overflowed, 1U) << "and no more";
}

TEST(SimulatedNetwork, GoesUpToTheLatestTime) {
    SimulatedNetwork network = network_of("awful rate=1kbit");
    take(network.advance(SimulatedNetwork::kLatest));
    for (int i = 0; i < 1000; ++i) {
        take(network.send(0, 1, payload(0, 10)));
    }
    EXPECT_GT(*network.next_arrival(1), SimulatedNetwork::kLatest);
    EXPECT_FALSE(network.receive(1).has_value());
}

TEST(SimulatedNetwork, CanBeMovedAndReplaced) {
    SimulatedNetwork network = network_of("delay=1ms");
    take(network.send(0, 1, payload(4, 20)));
    SimulatedNetwork moved = std::move(network);
    network = network_of("delay=2ms", 5);
    EXPECT_EQ(network.nodes(), 5U);
    take(moved.advance(kMillisecond));
    EXPECT_TRUE(moved.receive(1).has_value());
}

}  // namespace
}  // namespace isotick::harness
