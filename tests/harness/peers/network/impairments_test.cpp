// What each setting does to packets, by statistics of fixed seeds and exact times.

#include "traffic.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using tests::Arrival;
using tests::kMillisecond;
using tests::kSecond;
using tests::kTickNs;
using tests::network_of;
using tests::payload;
using tests::receive_all;
using tests::stream;
using tests::take;

constexpr std::uint64_t kMany = 100'000;

std::int64_t delay_of(const Arrival& arrival, std::int64_t gap_ns = kTickNs) {
    return arrival.at_ns - static_cast<std::int64_t>(arrival.number) * gap_ns;
}

/// How long each run of missing numbers below `count` is.
std::vector<std::uint64_t> missing_runs(const std::vector<Arrival>& arrivals, std::uint64_t count) {
    std::vector<bool> is_there(count);
    for (const Arrival& each : arrivals) {
        is_there[each.number] = true;
    }
    std::vector<std::uint64_t> runs;
    std::uint64_t run = 0;
    for (std::uint64_t i = 0; i <= count; ++i) {
        if (i < count && !is_there[i]) {
            ++run;
        } else if (run > 0) {
            runs.push_back(run);
            run = 0;
        }
    }
    return runs;
}

double mean(const std::vector<std::uint64_t>& values) {
    double sum = 0;
    for (const std::uint64_t each : values) {
        sum += static_cast<double>(each);
    }
    return sum / static_cast<double>(values.size());
}

TEST(Loss, IsAsFrequentAsItSaysAndIndependent) {
    SimulatedNetwork network = network_of("loss=10%");
    const auto arrivals = stream(network, kMany);
    const auto lost = static_cast<double>(network.statistics(0, 1).lost);
    EXPECT_NEAR(lost / kMany, 0.1, 0.005) << "five standard deviations";
    EXPECT_NEAR(mean(missing_runs(arrivals, kMany)), 1 / 0.9, 0.03);
}

TEST(Loss, ComesInBursts) {
    SimulatedNetwork network = network_of("loss=10% burst=8");
    const auto arrivals = stream(network, kMany);
    const auto lost = static_cast<double>(network.statistics(0, 1).lost);
    EXPECT_NEAR(lost / kMany, 0.1, 0.02);
    const auto runs = missing_runs(arrivals, kMany);
    EXPECT_NEAR(mean(runs), 8, 1);
    EXPECT_GT(*std::ranges::max_element(runs), 20U);
}

TEST(Loss, NeverHasShorterBurstsThanChanceGives) {
    SimulatedNetwork network = network_of("loss=90% burst=2");
    const auto arrivals = stream(network, kMany);
    EXPECT_NEAR(static_cast<double>(arrivals.size()) / kMany, 0.1, 0.005);
    EXPECT_NEAR(mean(missing_runs(arrivals, kMany)), 10, 0.5);
}

TEST(Loss, OfNothingAndOfEverythingIsExact) {
    SimulatedNetwork none = network_of("loss=0% burst=5");
    EXPECT_EQ(stream(none, kMany).size(), kMany);
    SimulatedNetwork all = network_of("loss=100% burst=5");
    EXPECT_EQ(stream(all, kMany).size(), 0U);
}

TEST(Duplication, IsAsFrequentAsItSays) {
    SimulatedNetwork network = network_of("dup=5%");
    const auto arrivals = stream(network, kMany);
    const auto copies = std::ranges::count(arrivals, true, &Arrival::is_copy);
    EXPECT_NEAR(static_cast<double>(copies) / kMany, 0.05, 0.004);
    EXPECT_EQ(network.statistics(0, 1).duplicated, static_cast<std::uint64_t>(copies));
    EXPECT_EQ(network.statistics(0, 1).overtaken, 0U) << "a copy follows its original";
    for (const Arrival& each : arrivals) {
        ASSERT_EQ(each.bytes, payload(each.number, 30)) << "copies have the same bytes";
    }
}

TEST(Reordering, HoldsBackAsOftenAndAsLongAsItSays) {
    SimulatedNetwork network = network_of("delay=10ms reorder=5%+40ms");
    const auto arrivals = stream(network, kMany);
    std::uint64_t held_back = 0;
    for (const Arrival& each : arrivals) {
        const std::int64_t extra = delay_of(each) - 10 * kMillisecond;
        held_back += extra > 0 ? 1 : 0;
        ASSERT_TRUE(extra == 0 || (extra > 20 * kMillisecond && extra <= 40 * kMillisecond));
    }
    EXPECT_NEAR(static_cast<double>(held_back) / kMany, 0.05, 0.004);
    EXPECT_GT(network.statistics(0, 1).overtaken, held_back * 9 / 10)
        << "20 ms and more is longer than a tick; only one right after another may keep its place";
}

TEST(Jitter, SpreadsEvenlyWhereNothingQueues) {
    SimulatedNetwork network = network_of("delay=50ms±20ms");
    const std::int64_t gap_ns = 40 * kMillisecond + 1;
    const auto arrivals = stream(network, kMany, gap_ns);
    std::int64_t sum = 0;
    std::map<std::int64_t, int> counts;
    for (const Arrival& each : arrivals) {
        const std::int64_t delay = delay_of(each, gap_ns);
        ASSERT_GE(delay, 30 * kMillisecond);
        ASSERT_LE(delay, 70 * kMillisecond);
        sum += delay;
        ++counts[(delay - 30 * kMillisecond) / (10 * kMillisecond)];
    }
    EXPECT_NEAR(static_cast<double>(sum) / kMany, 50e6, 2e5);
    for (std::int64_t quarter = 0; quarter < 4; ++quarter) {
        EXPECT_NEAR(counts[quarter], kMany / 4, kMany / 100);
    }
}

TEST(Jitter, SpreadsOverLongTimesToo) {
    SimulatedNetwork network = network_of("delay=30s±30s");
    const std::int64_t gap_ns = 60 * kSecond + 1;
    std::int64_t longest = 0;
    for (const Arrival& each : stream(network, 1000, gap_ns)) {
        longest = std::max(longest, delay_of(each, gap_ns));
    }
    EXPECT_GT(longest, 59 * kSecond);
    EXPECT_LE(longest, 60 * kSecond);
}

TEST(Jitter, KeepsTheOrder) {
    SimulatedNetwork network = network_of("delay=100ms±100ms");
    const auto arrivals = stream(network, kMany, kMillisecond);
    EXPECT_TRUE(std::ranges::is_sorted(arrivals, {}, &Arrival::number));
    EXPECT_EQ(network.statistics(0, 1).overtaken, 0U);
}

TEST(Rate, SendsOnePacketAfterTheOther) {
    // 72 + 28 bytes take 8 ms at 100 kbit/s.
    SimulatedNetwork network = network_of("delay=1ms rate=100kbit");
    for (int i = 0; i < 3; ++i) {
        take(network.send(0, 1, payload(0, 72)));
    }
    std::vector<Arrival> arrivals;
    tests::drain(network, arrivals);
    EXPECT_EQ(arrivals[0].at_ns, 9 * kMillisecond);
    EXPECT_EQ(arrivals[1].at_ns, 17 * kMillisecond);
    EXPECT_EQ(arrivals[2].at_ns, 25 * kMillisecond);
    take(network.advance(kSecond));
    take(network.send(0, 1, payload(0, 72)));
    EXPECT_EQ(network.next_arrival(), kSecond + 9 * kMillisecond) << "the link has been idle";
}

TEST(Rate, BoundsWhatArrivesPerSecond) {
    SimulatedNetwork network = network_of("rate=1mbit queue=50kb");
    const auto arrivals = stream(network, 20'000, 100'000, 472);
    EXPECT_EQ(arrivals.size() + network.statistics(0, 1).overflowed, 20'000U);
    // 2 s at a million bits are 500 packets of 500 bytes, and 100 are queued at the end.
    EXPECT_NEAR(static_cast<double>(arrivals.size()), 600, 2);
}

TEST(Queue, DropsWhatDoesNotFit) {
    SimulatedNetwork network = network_of("rate=8kbit queue=1kb");
    for (int i = 0; i < 12; ++i) {
        take(network.send(0, 1, payload(0, 72)));
    }
    EXPECT_EQ(network.statistics(0, 1).overflowed, 2U);
    take(network.advance(100 * kMillisecond));
    take(network.send(0, 1, payload(0, 72)));
    EXPECT_EQ(network.statistics(0, 1).overflowed, 2U) << "one has left";
    take(network.send(0, 1, payload(0, 72)));
    EXPECT_EQ(network.statistics(0, 1).overflowed, 3U);
    take(network.send(1, 0, payload(0, 973)));
    EXPECT_EQ(network.statistics(1, 0).overflowed, 1U) << "larger than the queue";
}

TEST(Cut, LosesWhatIsSentWhileItLasts) {
    SimulatedNetwork network = network_of("delay=10ms cut(0,1|2,3@1s+500ms)", 5);
    const auto arrives = [&network](std::int64_t at_ns, std::uint32_t from, std::uint32_t to) {
        const std::uint64_t before = network.statistics(from, to).cut_off;
        take(network.advance(at_ns));
        take(network.send(from, to, {}));
        return network.statistics(from, to).cut_off == before;
    };
    EXPECT_TRUE(arrives(kSecond - 1, 0, 2)) << "it is under way when the cut begins";
    EXPECT_FALSE(arrives(kSecond, 0, 2));
    EXPECT_FALSE(arrives(kSecond, 3, 1));
    EXPECT_TRUE(arrives(kSecond, 0, 1));
    EXPECT_TRUE(arrives(kSecond, 2, 3));
    EXPECT_TRUE(arrives(kSecond, 4, 2)) << "in no group";
    EXPECT_TRUE(arrives(kSecond, 0, 4));
    EXPECT_FALSE(arrives(1'500 * kMillisecond - 1, 2, 0));
    EXPECT_TRUE(arrives(1'500 * kMillisecond, 2, 0)) << "healed";
    EXPECT_EQ(network.statistics(0, 2).in_flight, 1U);
}

TEST(Cut, OfOneGroupIsFromEveryoneElse) {
    SimulatedNetwork network = network_of("cut(1,2@0ms+1s) cut(0|3@0ms+2s)", 4);
    for (const auto& [from, to] : {std::pair(1, 0), {0, 2}, {1, 2}, {0, 3}}) {
        take(network.send(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), {}));
    }
    EXPECT_EQ(network.statistics(1, 0).cut_off, 1U);
    EXPECT_EQ(network.statistics(0, 2).cut_off, 1U);
    EXPECT_EQ(network.statistics(1, 2).cut_off, 0U);
    EXPECT_EQ(network.statistics(0, 3).cut_off, 1U) << "two cuts at once";
}

TEST(Events, HitTheirPacketAlone) {
    SimulatedNetwork network = network_of(
        "delay=10ms drop(0>1#1) late(0>1#2+120ms) twice(0>1#3+5ms) late(0>1#4-7ms) "
        "late(0>1#5-99ms) drop(1>0#0)");
    const auto arrivals = stream(network, 7, kSecond);
    std::vector<std::string> what;
    for (const Arrival& each : arrivals) {
        what.push_back(std::to_string(each.number) + "+" +
                       std::to_string(delay_of(each, kSecond) / kMillisecond));
    }
    EXPECT_THAT(what, ElementsAre("0+10", "2+130", "3+10", "3+15", "4+3", "5+0", "6+10"));
    EXPECT_EQ(network.statistics(0, 1).lost, 1U);
    EXPECT_EQ(network.statistics(0, 1).duplicated, 1U);
}

TEST(Links, HaveTheirOwnSettings) {
    SimulatedNetwork network = network_of("delay=10ms 0>1(delay=300ms loss=20%) 1>0(dup=100%)");
    stream(network, 10'000);
    EXPECT_NEAR(static_cast<double>(network.statistics(0, 1).lost), 2000, 200);
    take(network.send(1, 0, {}));
    EXPECT_EQ(*network.next_arrival() - network.now(), 10 * kMillisecond);
    EXPECT_EQ(network.statistics(1, 0).in_flight, 2U);
}

}  // namespace
}  // namespace isotick::harness
