// The peer for C: options, refusals, joining and leaving. What it does in a session, the example
// tests/consumer/netcode/peers_game.c tests.

#include <isotick/harness/isotick_peers.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

constexpr std::int64_t kFrameNs = 16'666'667;

isotick_peer_options options_of(std::uint32_t self) {
    isotick_peer_options options{};
    options.struct_size = sizeof options;
    options.mode = ISOTICK_PEER_ROLLBACK;
    options.peers = 3;
    options.players = 3;
    options.self = self;
    options.cookie = 77;
    options.late = 4;
    options.joins = self == 2 ? 1 : 0;
    return options;
}

/// A peer whose game counts the bytes of all inputs.
struct Player {
    explicit Player(const isotick_peer_options& options) : self(options.self) {
        std::array<char, 256> text{};
        isotick_message message{text.data(), text.size()};
        EXPECT_EQ(isotick_peer_create(&options, &peer, &message), ISOTICK_OK) << text.data();
    }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    ~Player() { isotick_peer_destroy(peer); }

    void give_inputs() {
        std::uint64_t tick = 0;
        while (isotick_peer_wanted_input(peer, &tick) != 0) {
            const std::array<std::uint8_t, 3> bytes{};
            const std::array inputs{isotick_input{self, 1, tick / 20 % 4, bytes.data()},
                                    isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
            ASSERT_EQ(isotick_peer_add_input(peer, inputs.data(), self == 0 ? 2 : 1, nullptr),
                      ISOTICK_OK);
        }
    }

    void hand_snapshots() {
        std::uint64_t ticks_done = 0;
        if (isotick_peer_wanted_snapshot(peer, &ticks_done) != 0) {
            const bool is_now = ticks_done == isotick_peer_tick(peer);
            const std::uint64_t given = is_now ? state : saved.at(ticks_done);
            ASSERT_EQ(isotick_peer_add_snapshot(peer, &given, sizeof given, nullptr), ISOTICK_OK);
        }
        const std::uint8_t* data = nullptr;
        std::uint64_t size = 0;
        if (isotick_peer_take_arrival(peer, &ticks_done, &data, &size) != 0) {
            ASSERT_EQ(size, sizeof state);
            std::memcpy(&state, data, sizeof state);
            arrived_at = ticks_done;
        }
    }

    void frame(std::int64_t now_ns, isotick_network* network) {
        isotick_delivery arrived{};
        arrived.struct_size = sizeof arrived;
        while (isotick_network_receive(network, self, &arrived) != 0) {
            isotick_peer_receive(peer, arrived.from, arrived.data, arrived.size);
        }
        give_inputs();
        isotick_peer_frame begun{};
        begun.struct_size = sizeof begun;
        isotick_peer_begin_frame(peer, now_ns, 1, &begun);
        state = begun.back > 0 ? saved.at(isotick_peer_tick(peer)) : state;
        hand_snapshots();
        isotick_peer_step step{};
        step.struct_size = sizeof step;
        while (isotick_peer_next_step(peer, &step) != 0) {
            saved.resize(step.tick + 1);
            saved[step.tick] = state;
            for (std::uint32_t i = 0; i < step.input_count; ++i) {
                state = state * 31 + step.inputs[i].size + step.inputs[i].present;
            }
            isotick_peer_add_hash(peer, step.tick, state);
            give_inputs();
        }
        isotick_outgoing packet{};
        packet.struct_size = sizeof packet;
        while (isotick_peer_next_packet(peer, &packet) != 0) {
            ASSERT_EQ(
                isotick_network_send(network, self, packet.to, packet.data, packet.size, nullptr),
                ISOTICK_OK);
        }
    }

    std::uint32_t self;
    isotick_peer* peer = nullptr;
    std::uint64_t state = 0;
    std::vector<std::uint64_t> saved;  // by tick
    std::uint64_t arrived_at = 0;
};

TEST(PeerForC, JoinsBySnapshotAndLeaves) {
    isotick_network_options options{};
    options.struct_size = sizeof options;
    options.nodes = 3;
    options.text = "mobile";
    isotick_network* network = nullptr;
    ASSERT_EQ(isotick_network_create(&options, &network, nullptr), ISOTICK_OK);
    Player first(options_of(0));
    Player second(options_of(1));
    Player third(options_of(2));
    EXPECT_EQ(isotick_peer_state(third.peer), ISOTICK_PEER_JOINING);
    for (std::int64_t frame = 1; frame < 900; ++frame) {
        ASSERT_EQ(isotick_network_advance(network, frame * kFrameNs, nullptr), ISOTICK_OK);
        first.frame(frame * kFrameNs, network);
        second.frame(frame * kFrameNs, network);
        if (frame > 200) {
            third.frame(frame * kFrameNs, network);
        }
        if (frame == 600) {
            EXPECT_EQ(isotick_peer_state(third.peer), ISOTICK_PEER_RUNNING);
            isotick_peer_leave(second.peer);
        }
    }
    EXPECT_GT(third.arrived_at, 0U);
    EXPECT_EQ(isotick_peer_state(second.peer), ISOTICK_PEER_LEFT);
    EXPECT_EQ(isotick_peer_waits_for(first.peer) & 2U, 0U) << "nobody waits for the one that left";
    const std::uint64_t verified =
        std::min(isotick_peer_verified(first.peer), isotick_peer_verified(third.peer));
    EXPECT_GT(verified, 800U);
    EXPECT_EQ(first.saved.at(verified), third.saved.at(verified));
    isotick_hash_mismatch told{};
    told.struct_size = sizeof told;
    EXPECT_EQ(isotick_peer_mismatch(first.peer, &told), 0);
    isotick_peer_statistics counted{};
    counted.struct_size = sizeof counted;
    isotick_peer_statistics_of(first.peer, &counted);
    EXPECT_EQ(counted.confirmed, isotick_peer_verified(first.peer));
    EXPECT_GT(counted.rollbacks, 0U);
    EXPECT_GT(counted.bytes_sent, 0U);
    EXPECT_EQ(isotick_peer_complaint(first.peer, 0), nullptr);
    isotick_network_destroy(network);
}

TEST(PeerForC, CountsStrangers) {
    Player player(options_of(0));
    isotick_peer_receive(player.peer, 1, "garbage of a stranger", 21);
    isotick_peer_receive(player.peer, 9, nullptr, 0);
    isotick_peer_statistics counted{};
    counted.struct_size = sizeof counted;
    isotick_peer_statistics_of(player.peer, &counted);
    EXPECT_EQ(counted.strangers + counted.packets_refused, 2U);
}

TEST(PeerForC, AsksTheGameForItsGuess) {
    isotick_peer_options options = options_of(0);
    options.late = 0;
    std::uint64_t asked = 0;
    options.context = &asked;
    options.guess = [](void* context, std::uint32_t peer, std::uint64_t, isotick_input* inputs,
                       std::uint32_t count) {
        *static_cast<std::uint64_t*>(context) += peer != 0 && count == 1 ? 1U : 0U;
        inputs[0].present = 0;
        inputs[0].size = 0;
    };
    Player player(options);
    isotick_network_options alone{};
    alone.struct_size = sizeof alone;
    alone.nodes = 3;
    isotick_network* network = nullptr;
    ASSERT_EQ(isotick_network_create(&alone, &network, nullptr), ISOTICK_OK);
    for (std::int64_t frame = 1; frame < 20; ++frame) {
        player.frame(frame * kFrameNs, network);
    }
    EXPECT_GT(asked, 0U);
    isotick_network_destroy(network);
}

TEST(PeerForC, RefusesInWords) {
    const auto refusal = [](const isotick_peer_options& options) {
        std::array<char, 256> text{};
        isotick_message message{text.data(), text.size()};
        isotick_peer* peer = nullptr;
        EXPECT_EQ(isotick_peer_create(&options, &peer, &message), ISOTICK_ERROR_USAGE);
        EXPECT_EQ(peer, nullptr);
        return std::string(text.data());
    };
    isotick_peer_options options = options_of(0);
    options.mode = 2;
    EXPECT_EQ(refusal(options), "the mode of a peer is 0 or 1, and its incarnation up to 255");
    options = options_of(3);
    EXPECT_NE(refusal(options), "") << "there is no peer 3";
    options = options_of(0);
    options.struct_size = 0;
    EXPECT_EQ(refusal(options), "the struct_size of an argument is not set");
    Player player(options_of(0));
    EXPECT_EQ(isotick_peer_add_input(player.peer, nullptr, 0, nullptr), ISOTICK_ERROR_USAGE)
        << "peer 0 has a player, and the world";
}

}  // namespace
