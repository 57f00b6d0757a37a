#include <isotick/harness/network.hpp>
#include <isotick/harness/peer.hpp>

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

// What player `player` does in a tick: another thing every third.
std::uint8_t pad(std::uint32_t player, core::Tick tick) {
    return static_cast<std::uint8_t>(tick.value / 3 * 7 + player);
}

/// Two rollback peers on a network, in a game that shares one byte a tick.
class TwoPeers : public ::testing::Test {
  protected:
    static PeerOptions options(std::uint32_t self) {
        PeerOptions options;
        options.mode = PeerMode::rollback;
        options.self = self;
        options.ticks = 300;
        options.cookie = 77;
        options.input_delay = 0;
        return options;
    }

    static Peer make(std::uint32_t self) {
        auto peer = Peer::make(options(self));
        EXPECT_TRUE(peer);
        return *std::move(peer);
    }

    void frame(std::uint32_t self) {
        Peer& peer = peers_[self];
        while (const auto delivery = network_.receive(self)) {
            peer.receive(delivery->from, delivery->bytes);
        }
        give_input(self);
        rolled_back_ += peer.begin_frame(network_.now(), 1).back;
        while (const auto step = peer.next_step()) {
            peer.add_hash(step->tick, {step->tick.value});
            for (std::size_t player = 0; player < 2; ++player) {
                const isotick_input& input = step->inputs[player];
                last_[self][player] = input.present != 0 ? input.data[0] : std::uint8_t{0};
            }
            give_input(self);
        }
        while (const auto packet = peer.next_packet()) {
            ASSERT_TRUE(network_.send(self, packet->to, packet->bytes));
        }
    }

    void give_input(std::uint32_t self) {
        while (const auto tick = peers_[self].wanted_input()) {
            const std::uint8_t byte = pad(self, *tick);
            std::vector<isotick_input> inputs{{self, 1, 1, &byte}};
            if (self == 0) {
                inputs.push_back({ISOTICK_WORLD, 0, 0, nullptr});
            }
            ASSERT_TRUE(peers_[self].add_input(inputs));
        }
    }

    void play() {
        for (std::int64_t now = 0; now < 20'000'000'000; now += 16'666'667) {
            ASSERT_TRUE(network_.advance(now));
            frame(0);
            frame(1);
        }
    }

    SimulatedNetwork network_ =
        *SimulatedNetwork::make(*NetworkSpec::parse("delay=40ms±5ms loss=2%"), 2, 5);
    std::array<Peer, 2> peers_{make(0), make(1)};
    std::array<std::array<std::uint8_t, 2>, 2> last_{};
    std::uint64_t rolled_back_ = 0;
};

TEST_F(TwoPeers, GoBackWhereTheLastInputWasNoGoodGuess) {
    play();
    for (std::uint32_t self = 0; self < 2; ++self) {
        EXPECT_EQ(peers_[self].state(), PeerState::finished);
        EXPECT_EQ(last_[self][0], pad(0, core::Tick{299}));
        EXPECT_EQ(last_[self][1], pad(1, core::Tick{299}));
        EXPECT_GT(peers_[self].statistics().rollbacks, 50U);
        EXPECT_EQ(peers_[self].statistics().steps, 300 + peers_[self].statistics().run_again);
    }
}

TEST_F(TwoPeers, NeverGoBackWhereTheGameGuessesRight) {
    std::array<std::uint8_t, 2> guesses{};
    for (std::uint32_t self = 0; self < 2; ++self) {
        peers_[self].set_guess(
            [&guesses](std::uint32_t peer, core::Tick tick, std::span<isotick_input> inputs) {
                guesses[peer] = pad(peer, tick);
                inputs[0] = {peer, 1, 1, &guesses[peer]};
            });
    }
    play();
    for (const Peer& peer : peers_) {
        EXPECT_EQ(peer.state(), PeerState::finished);
        EXPECT_EQ(peer.statistics().rollbacks, 0U);
        EXPECT_EQ(peer.statistics().steps, 300U);
    }
    EXPECT_EQ(rolled_back_, 0U);
}

TEST_F(TwoPeers, CountStrangersAndDropThem) {
    PeerOptions stranger = options(1);
    stranger.cookie = 78;
    auto other = Peer::make(stranger);
    ASSERT_TRUE(other);
    static_cast<void>(other->begin_frame(0, 1));
    const auto packet = other->next_packet();
    ASSERT_TRUE(packet);
    peers_[0].receive(1, packet->bytes);
    peers_[0].receive(1, {});
    peers_[0].receive(7, packet->bytes);
    EXPECT_EQ(peers_[0].statistics().strangers, 3U);
    EXPECT_EQ(peers_[0].statistics().packets_refused, 0U);
    play();
    EXPECT_EQ(peers_[0].state(), PeerState::finished);
}

TEST_F(TwoPeers, RefuseWhatTheGameGetsWrong) {
    const std::uint8_t byte = 1;
    const std::vector<isotick_input> one{{0, 1, 1, &byte}};
    const auto few = peers_[0].add_input(one);  // the world's is missing
    ASSERT_FALSE(few);
    EXPECT_EQ(few.error().message, "this peer has 2 inputs in a tick, not 1");

    const std::vector<std::uint8_t> large(40'000);
    const std::vector<isotick_input> much{{0, 1, large.size(), large.data()},
                                          {ISOTICK_WORLD, 0, 0, nullptr}};
    const auto refused = peers_[0].add_input(much);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::ErrorCode::limit);

    give_input(0);
    const auto unwanted = peers_[0].add_input(much);
    ASSERT_FALSE(unwanted);
    EXPECT_EQ(unwanted.error().message, "no input is wanted now");

    const auto snapshot = peers_[0].add_snapshot(std::vector<std::byte>(kLargestPeerSnapshot + 1));
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, core::ErrorCode::limit);
}

}  // namespace
}  // namespace isotick::harness
