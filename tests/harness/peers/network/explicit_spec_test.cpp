// What happened, as explicit events: the same deliveries without any chance.

#include "random_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using tests::any_spec;
using tests::chatter;
using tests::kMillisecond;
using tests::network_of;
using tests::take;

TEST(ExplicitSpec, DeliversTheSame) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const NetworkSpec spec = any_spec(seed, 4);
        SimulatedNetwork chance = take(SimulatedNetwork::make(spec, 4, seed, {.log = true}));
        const auto arrivals = chatter(chance, seed, 400);
        const NetworkSpec spelled_out = take(chance.explicit_spec());
        SimulatedNetwork certain =
            take(SimulatedNetwork::make(spelled_out, 4, seed + 1, {.log = true}));
        ASSERT_EQ(chatter(certain, seed, 400), arrivals)
            << "seed " << seed << ": " << spec.to_string();
        ASSERT_EQ(take(certain.explicit_spec()), spelled_out) << "it spells itself out";
        const NetworkSpec read = take(NetworkSpec::parse(spelled_out.to_string()));
        ASSERT_EQ(read, spelled_out);
    }
}

TEST(ExplicitSpec, DeliversTheSameUnderAFlood) {
    const auto flood = [](SimulatedNetwork& network) {
        for (int i = 0; i < 60'000; ++i) {
            take(network.send(0, 1, tests::payload(1, 100)));
            if (i % 7 == 0) {
                take(network.advance(network.now() + kMillisecond));
                (void)network.receive(1);
            }
        }
        std::vector<tests::Arrival> arrivals;
        tests::drain(network, arrivals);
        return arrivals;
    };
    SimulatedNetwork chance = network_of("delay=5s±1s loss=20% dup=30%", 2, 1, {.log = true});
    const auto arrivals = flood(chance);
    EXPECT_GT(chance.statistics(0, 1).overflowed, 0U);
    SimulatedNetwork certain = take(SimulatedNetwork::make(take(chance.explicit_spec()), 2, 2));
    EXPECT_EQ(flood(certain), arrivals);
}

TEST(ExplicitSpec, HasOnlyWhatWasNotPlain) {
    SimulatedNetwork network = network_of(
        "delay=10ms 1>0(delay=20ms loss=0%) cut(0|1@1s+1s) late(0>1#1+5ms) twice(1>0#0+7ms)", 2, 1,
        {.log = true});
    take(network.send(0, 1, {}));
    take(network.send(0, 1, {}));
    take(network.send(1, 0, {}));
    take(network.advance(1'500 * kMillisecond));
    take(network.send(0, 1, {}));
    EXPECT_EQ(take(network.explicit_spec()).to_string(),
              "delay=10ms 1>0(delay=20ms) late(0>1#1+5ms) drop(0>1#2) twice(1>0#0+7ms)");
}

TEST(NetworkLog, TellsWhatHappenedToEachPacket) {
    SimulatedNetwork network = network_of(
        "delay=10ms drop(0>1#0) late(0>1#1-4ms) twice(0>1#1+7ms) 1>0(rate=8kbit queue=1kb) "
        "cut(0|1@1s+1s)",
        2, 1, {.log = true});
    take(network.send(0, 1, {}));
    take(network.advance(3));
    take(network.send(0, 1, {}));
    take(network.send(0, 1, {}));
    take(network.send(1, 0, tests::payload(0, 972)));
    take(network.send(1, 0, {}));
    take(network.advance(tests::kSecond));
    take(network.send(0, 1, {}));
    EXPECT_THAT(network.log(),
                ElementsAre(LoggedPacket{0, 1, 0, PacketFate::lost, 0, 0},
                            LoggedPacket{0, 1, 1, PacketFate::late, 3, -4 * kMillisecond},
                            LoggedPacket{0, 1, 1, PacketFate::twice, 3, 7 * kMillisecond},
                            LoggedPacket{1, 0, 0, PacketFate::late, 3, 1000 * kMillisecond},
                            LoggedPacket{1, 0, 1, PacketFate::overflowed, 3, 0},
                            LoggedPacket{0, 1, 3, PacketFate::cut_off, tests::kSecond, 0}));
}

TEST(NetworkLog, IsEmptyUnlessAskedFor) {
    SimulatedNetwork network = network_of("loss=100%");
    take(network.send(0, 1, {}));
    EXPECT_TRUE(network.log().empty());
    EXPECT_EQ(network.explicit_spec().error().message, "the network was made without a log");
}

TEST(NetworkLog, IsBounded) {
    SimulatedNetwork network = network_of("loss=100%", 2, 1, {.log = true});
    for (std::size_t i = 0; i <= SimulatedNetwork::kMostLogged; ++i) {
        take(network.send(0, 1, {}));
    }
    EXPECT_EQ(network.log().size(), SimulatedNetwork::kMostLogged);
    EXPECT_EQ(network.explicit_spec().error().code, core::ErrorCode::limit);
    EXPECT_EQ(network.explicit_spec().error().message,
              "the network's log of 1000000 packets is full");
}

}  // namespace
}  // namespace isotick::harness
