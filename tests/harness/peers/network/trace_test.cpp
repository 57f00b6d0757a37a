// Traces of real links: how they are read, and what links with them do.

#include "traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using tests::Arrival;
using tests::kMillisecond;
using tests::kSecond;
using tests::payload;
using tests::take;

SimulatedNetwork network_with(const std::string& content, const std::string& text = "") {
    const auto resolve = [&content](const std::string&) { return LinkTrace::parse(content); };
    const auto spec = take(NetworkSpec::parse("trace(link) " + text, resolve));
    return take(SimulatedNetwork::make(spec, 2, 1));
}

std::vector<std::int64_t> arrivals_ms(SimulatedNetwork& network) {
    std::vector<Arrival> arrivals;
    tests::drain(network, arrivals);
    std::vector<std::int64_t> times;
    for (const Arrival& each : arrivals) {
        times.push_back(each.at_ns / kMillisecond);
    }
    return times;
}

TEST(LinkTrace, ReadsDeliveries) {
    const auto trace = take(LinkTrace::parse("0\n 3 \r\n\n3\n17"));
    EXPECT_THAT(trace->deliveries_ns(),
                ElementsAre(0, 3 * kMillisecond, 3 * kMillisecond, 17 * kMillisecond));
    EXPECT_EQ(trace->length_ns(), 17 * kMillisecond);
    EXPECT_TRUE(trace->conditions().empty());
}

TEST(LinkTrace, ReadsTables) {
    const auto trace = take(
        LinkTrace::parse("host, rtt_ms, time_s, "
                         "loss_percent\na,80,1000.5,0\nb,,1001,\nc,40.5,1002,12.5\nd,9,1003,0"));
    using Condition = LinkTrace::Condition;
    EXPECT_THAT(trace->conditions(), ElementsAre(Condition{0, 40 * kMillisecond, 0},
                                                 Condition{500 * kMillisecond, 0, 1000},
                                                 Condition{1'500 * kMillisecond, 20'250'000, 125}));
    EXPECT_EQ(trace->length_ns(), 2'500 * kMillisecond);
}

TEST(LinkTrace, CountsFromTheFirstRowWhateverTheClockSays) {
    const auto trace =
        take(LinkTrace::parse("time_s,delay_ms\n1700000000.25,10\n1700000000.5000000005,20\n"
                              "1700000002,0\n"));
    using Condition = LinkTrace::Condition;
    EXPECT_THAT(trace->conditions(),
                ElementsAre(Condition{0, 10 * kMillisecond, 0},
                            Condition{250 * kMillisecond + 1, 20 * kMillisecond, 0}));
    EXPECT_EQ(trace->length_ns(), 1'750 * kMillisecond);
    EXPECT_EQ(*take(LinkTrace::parse("time_ms,delay_ms\n1700000000000,1\n1700000000007,0\n")),
              *take(LinkTrace::parse("time_ms,delay_ms\n0,1\n7,0\n")));
    for (const char* const time : {"9000000001", "-1", "", "1s", "99999999999999999999", "1e10"}) {
        const auto refused =
            LinkTrace::parse("time_s,delay_ms\n" + std::string(time) + ",1\n9000000002,1\n");
        ASSERT_FALSE(refused) << time;
        EXPECT_EQ(describe(refused.error()),
                  "line 2: expected a number in the column time_s, not negative and not too large");
    }
}

TEST(LinkTrace, PrintsWhatReadsBackEqual) {
    for (const char* const content :
         {"0\n3\n3\n17\n", "time_ms,rtt_ms,loss_percent\n5.000001,3.000002,99.9\n6,,\n9,1,0\n",
          "time_s,delay_ms\n1,60000\n86401,0\n"}) {
        const auto trace = take(LinkTrace::parse(content));
        EXPECT_EQ(*take(LinkTrace::parse(trace->to_string())), *trace) << trace->to_string();
    }
}

TEST(LinkTrace, RefusesNonsenseWithItsLine) {
    const auto message = [](const std::string& content) {
        const auto trace = LinkTrace::parse(content);
        return trace ? "" : describe(trace.error());
    };
    const std::string columns =
        "milliseconds, one per line, or the names of columns: time_ms or time_s, delay_ms or "
        "rtt_ms, and perhaps loss_percent";
    EXPECT_EQ(message(""), "line 0: expected " + columns);
    EXPECT_EQ(message("\n\ntime,delay\n1,2"), "line 3: expected " + columns);
    EXPECT_EQ(message("1\n2x\n"), "line 2: expected whole milliseconds from 0 to 86400000");
    EXPECT_EQ(message("1\n-2\n"), "line 2: expected whole milliseconds from 0 to 86400000");
    EXPECT_EQ(message("1\n86400001\n"), "line 2: expected whole milliseconds from 0 to 86400000");
    EXPECT_EQ(message("5\n4\n"),
              "line 2: expected a time that is not before that of the line before");
    EXPECT_EQ(message("0\n0\n"), "line 2: expected a trace that lasts at least 1 ms");
    const std::string head = "time_ms,delay_ms,loss_percent\n";
    EXPECT_EQ(message(head), "line 1: expected at least two rows");
    EXPECT_EQ(message(head + "0,1,2"), "line 2: expected at least two rows");
    EXPECT_EQ(message(head + "0,1"), "line 2: expected 3 fields");
    EXPECT_EQ(message(head + "0,1,2\n0,1,2"),
              "line 3: expected a time after that of the row before");
    EXPECT_EQ(message(head + "0,1,2\n86400001,1,2"), "line 3: expected a trace of at most 86400 s");
    EXPECT_EQ(message(head + "0,x,2"),
              "line 2: expected a number in the column delay_ms, not negative and not too large");
    EXPECT_EQ(message(head + "0,60001,2"),
              "line 2: expected a number in the column delay_ms, not negative and not too large");
    EXPECT_EQ(
        message(head + "0,1,101"),
        "line 2: expected a number in the column loss_percent, not negative and not too large");
    EXPECT_EQ(LinkTrace::parse("x").error().code, core::ErrorCode::damaged);
}

TEST(Deliveries, CarryWholeAndPartsOfPackets) {
    SimulatedNetwork network = network_with("10\n20\n30\n", "delay=1ms");
    // With headers 1000, 500, 600 and 2400 bytes: the first delivery takes two of them.
    for (const unsigned size : {972U, 472U, 572U, 2372U}) {
        take(network.send(0, 1, payload(0, size)));
    }
    EXPECT_THAT(arrivals_ms(network), ElementsAre(11, 11, 21, 31));
}

TEST(Deliveries, AreWastedWhenNothingWaitsAndRepeat) {
    SimulatedNetwork network = network_with("10\n20\n30\n");
    take(network.advance(15 * kMillisecond));
    take(network.send(0, 1, payload(0, 1472)));
    take(network.send(0, 1, payload(0, 1472)));
    take(network.send(0, 1, payload(0, 1472)));
    EXPECT_THAT(arrivals_ms(network), ElementsAre(20, 30, 40));
    take(network.advance(3'021 * kMillisecond));
    take(network.send(0, 1, payload(0, 1)));
    take(network.send(0, 1, payload(0, 1472)));
    EXPECT_THAT(arrivals_ms(network), ElementsAre(3'030, 3'040));
}

TEST(Deliveries, AreUsedUpAtTheirVeryTime) {
    SimulatedNetwork network = network_with("10\n20\n");
    take(network.advance(10 * kMillisecond));
    take(network.send(0, 1, payload(0, 972)));
    take(network.advance(network.now()));
    take(network.send(0, 1, payload(0, 572)));
    EXPECT_THAT(arrivals_ms(network), ElementsAre(10, 20));
}

TEST(Deliveries, HaveAQueue) {
    SimulatedNetwork network = network_with("1000\n", "queue=3kb");
    for (int i = 0; i < 3; ++i) {
        take(network.send(0, 1, payload(0, 1472)));
    }
    EXPECT_EQ(network.statistics(0, 1).overflowed, 1U);
}

TEST(Conditions, HoldUntilTheNextOneAndRepeat) {
    SimulatedNetwork network =
        network_with("time_ms,delay_ms,loss_percent\n0,10,0\n100,200,0\n300,,\n400,0,0\n");
    const auto delay_ms = [&network](std::int64_t at_ms) {
        take(network.advance(at_ms * kMillisecond));
        take(network.send(0, 1, {}));
        const auto next = network.next_arrival();
        if (next) {
            take(network.advance(std::max(*next, network.now())));
            EXPECT_TRUE(network.receive(1).has_value());
        }
        return next ? *next / kMillisecond - at_ms : -1;
    };
    EXPECT_EQ(delay_ms(0), 10);
    EXPECT_EQ(delay_ms(99), 10);
    EXPECT_EQ(delay_ms(110), 200);
    EXPECT_EQ(delay_ms(320), -1) << "no delay is known: nothing came back";
    EXPECT_EQ(delay_ms(400), 10) << "from the beginning";
    EXPECT_EQ(delay_ms(500), 200);
}

TEST(Conditions, WithoutLossLoseNothingAfterABurst) {
    SimulatedNetwork network =
        network_with("time_s,delay_ms,loss_percent\n0,1,99\n1,1,0\n9,1,0\n", "burst=1000");
    take(network.send(0, 1, {}));
    EXPECT_EQ(network.statistics(0, 1).lost, 1U);
    take(network.advance(kSecond));
    for (int i = 0; i < 100; ++i) {
        take(network.send(0, 1, {}));
    }
    EXPECT_EQ(network.statistics(0, 1).lost, 1U);
}

TEST(Conditions, GoWithBurstsAndJitter) {
    SimulatedNetwork network = network_with(
        "time_s,delay_ms,loss_percent\n0,50,20\n10,50,0\n20,0,0\n", "delay=5ms+-5ms burst=3");
    const auto arrivals = tests::stream(network, 60'000, 10 * kMillisecond);
    EXPECT_NEAR(static_cast<double>(network.statistics(0, 1).lost), 6'000, 600);
    for (const Arrival& each : arrivals) {
        const std::int64_t sent_ns = static_cast<std::int64_t>(each.number) * 10 * kMillisecond;
        ASSERT_GE(each.at_ns - sent_ns, 45 * kMillisecond);
        ASSERT_LE(each.at_ns - sent_ns, 55 * kMillisecond);
    }
}

}  // namespace
}  // namespace isotick::harness
