#include "peers/packet.hpp"

#include "peers/snapshot_transfer.hpp"

#include <isotick/core/random.hpp>
#include <isotick/harness/detail/peer_options.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::Bytes;

Bytes text_bytes(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

TEST(InputLog, KeepsRunsOfEqualEntries) {
    core::Pcg32 random(3);
    InputLog log(5);
    std::vector<Bytes> all(5);
    for (int i = 0; i < 400; ++i) {
        const Bytes entry = text_bytes("x" + std::to_string(random.below(3)));
        const std::uint64_t count = 1 + random.below(4);
        log.append(entry, count);
        all.insert(all.end(), count, entry);
    }
    ASSERT_EQ(log.end(), all.size());
    log.forget_before(77);
    EXPECT_EQ(log.begin(), 77U);
    for (std::uint64_t tick = 77; tick < log.end(); ++tick) {
        ASSERT_TRUE(std::ranges::equal(log.at(tick), all[tick])) << tick;
    }
    std::uint64_t at = 100;
    log.each_run(100, [&](std::span<const std::byte> entry, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i, ++at) {
            EXPECT_TRUE(std::ranges::equal(entry, all[at])) << at;
        }
        return true;
    });
    EXPECT_EQ(at, log.end());
}

Packet example(core::Pcg32& random, const InputLog& log) {
    Packet packet;
    packet.sender = static_cast<std::uint8_t>(random.below(64));
    packet.life = static_cast<std::uint8_t>(random.below(kMostLives));
    packet.finished = random.below(2) == 0;
    packet.tick = random.next64() % 100'000;
    packet.decisions = random.below(300);
    packet.advantage = random.between(-127, 127);
    if (random.below(4) > 0) {
        packet.ack = random.next64() % 100'000;
    }
    if (random.below(2) == 0) {
        packet.times =
            PacketTimes{static_cast<std::uint16_t>(random.below(65536)),
                        static_cast<std::uint16_t>(random.below(65536)), random.below(2) == 0};
    }
    if (random.below(2) == 0) {
        packet.inputs = InputRuns{random.below(static_cast<std::uint32_t>(log.end())), {}};
    }
    if (random.below(2) == 0) {
        packet.hashes = HashReport{random.next64() % 100'000, random.next64()};
    }
    return packet;
}

void expect_same_front(const Packet& read, const Packet& packet) {
    EXPECT_EQ(read.sender, packet.sender);
    EXPECT_EQ(read.life, packet.life);
    EXPECT_EQ(read.finished, packet.finished);
    EXPECT_EQ(read.tick, packet.tick);
    EXPECT_EQ(read.decisions, packet.decisions);
    EXPECT_EQ(read.advantage, packet.advantage);
    EXPECT_EQ(read.ack, packet.ack);
    ASSERT_EQ(read.times.has_value(), packet.times.has_value());
    if (read.times) {
        EXPECT_EQ(read.times->sent_ms, packet.times->sent_ms);
        EXPECT_EQ(read.times->echo_ms, packet.times->echo_ms);
        EXPECT_EQ(read.times->has_echo, packet.times->has_echo);
    }
    ASSERT_EQ(read.hashes.has_value(), packet.hashes.has_value());
    if (read.hashes) {
        EXPECT_EQ(read.hashes->ticks, packet.hashes->ticks);
        EXPECT_EQ(read.hashes->chain, packet.hashes->chain);
    }
}

void expect_same_inputs(const Packet& read, const Packet& packet, const InputLog& log) {
    ASSERT_EQ(read.inputs.has_value(), packet.inputs.has_value());
    if (!read.inputs) {
        return;
    }
    std::uint64_t at = read.inputs->first;
    EXPECT_TRUE(each_run(read.inputs->bytes, [&](auto count, auto entry) {
        EXPECT_TRUE(std::ranges::equal(entry, log.at(at)));
        at += count;
        return true;
    }));
    EXPECT_EQ(at, log.end());
}

TEST(Packet, IsReadBack) {
    core::Pcg32 random(4);
    InputLog log;
    for (int i = 0; i < 60; ++i) {
        log.append(text_bytes(std::to_string(random.below(5))), 1 + random.below(9));
    }
    Packet read;
    Bytes scratch;
    for (int i = 0; i < 2000; ++i) {
        const Packet packet = example(random, log);
        const bool has_section = random.below(2) == 0;
        Bytes bytes;
        put_packet(bytes, 77, packet, log, has_section, scratch);
        if (has_section) {
            put_section(bytes, SectionKind::relay, text_bytes("payload"));
        }
        ASSERT_EQ(cookie_of(bytes), 77U);
        ASSERT_TRUE(read_packet(bytes, read));
        expect_same_front(read, packet);
        expect_same_inputs(read, packet, log);
        ASSERT_EQ(read.sections.size(), has_section ? 1U : 0U);
        if (has_section) {
            EXPECT_EQ(read.sections[0].kind, SectionKind::relay);
            EXPECT_TRUE(std::ranges::equal(read.sections[0].payload, text_bytes("payload")));
        }
        for (std::size_t size = 0; size < bytes.size(); ++size) {  // cut short: never more
            static_cast<void>(read_packet(std::span(bytes).first(size), read));
        }
    }
}

TEST(Packet, HoldsNoMoreInputsThanFit) {
    InputLog log;
    for (int i = 0; i < 500; ++i) {
        log.append(text_bytes(std::to_string(i) + std::string(40, 'x')));
    }
    Packet packet;
    packet.inputs = InputRuns{};
    Bytes bytes;
    Bytes scratch;
    put_packet(bytes, 1, packet, log, false, scratch);
    EXPECT_LE(bytes.size(), kUsualPacket);
    EXPECT_GT(bytes.size(), kUsualPacket / 2);
    InputLog large;
    large.append(text_bytes(std::string(20'000, 'x')));
    bytes.clear();
    put_packet(bytes, 1, packet, large, false, scratch);
    EXPECT_GT(bytes.size(), 20'000U);  // one entry always goes
}

TEST(Entry, HoldsInputs) {
    const std::array<std::uint8_t, 3> pad{1, 2, 3};
    const std::array inputs{isotick_input{0, 1, 3, pad.data()}, isotick_input{4, 0, 0, nullptr},
                            isotick_input{8, 1, 0, nullptr}};
    Bytes entry;
    put_entry(entry, inputs);
    EXPECT_TRUE(is_entry(entry, 3));
    EXPECT_FALSE(is_entry(entry, 2));
    EXPECT_FALSE(is_entry(entry, 4));
    std::array<isotick_input, 3> read{};
    const std::array<std::uint32_t, 3> columns{2, 0, 1};
    read_inputs(entry, columns, read);
    EXPECT_EQ(read[2].size, 3U);
    EXPECT_EQ(read[2].data[1], 2);
    EXPECT_EQ(read[0].present, 0U);
    EXPECT_EQ(read[1].present, 1U);
    EXPECT_EQ(read[1].size, 0U);
    EXPECT_TRUE(is_entry(neutral_entry(3), 3));
}

template <class Message>
Message read_back(const Message& message, void (*put)(Bytes&, const Message&),
                  Message (*read)(core::ByteReader&, std::uint32_t)) {
    Bytes bytes;
    put(bytes, message);
    core::ByteReader reader(bytes);
    Message copy = read(reader, 4);
    EXPECT_TRUE(reader.at_end());
    return copy;
}

const Decision kDecision{{{3, false, 1, 400}, {2, true, 7, 500}}, true};

TEST(Proposal, IsReadBack) {
    for (const Proposal& proposal :
         {Proposal{4, 66, 0x8000'0000'0000'0001, std::nullopt, false},
          Proposal{0, 131, 8, kDecision, false}, Proposal{5, 130, 0, Decision(), true}}) {
        EXPECT_EQ(read_back(proposal, put_proposal, read_proposal), proposal);
    }
}

TEST(Vote, IsReadBack) {
    for (const Vote& vote : {Vote{7, 130, 0, false, {}}, Vote{7, 131, 66, true, kDecision}}) {
        EXPECT_EQ(read_back(vote, put_vote, read_vote), vote);
    }
}

TEST(Vote, NamesNoPeerThatThereIsNot) {
    Bytes bytes;
    put_vote(bytes, Vote{7, 131, 66, true, kDecision});
    core::ByteReader reader(bytes);
    static_cast<void>(read_vote(reader, 3));  // peers, so that peer 3 is none
    EXPECT_FALSE(reader.ok());
}

TEST(Snapshot, ArrivesWholeThroughALossyLine) {
    core::Pcg32 random(6);
    for (const std::size_t size : {0U, 1U, 1023U, 1024U, 1025U, 200'000U}) {
        std::vector<std::byte> bytes(size);
        for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(random.below(256));
        }
        SnapshotSender sender(9, 5, std::make_shared<const std::vector<std::byte>>(bytes));
        SnapshotReceiver receiver(9, size);
        std::int64_t now = 0;
        for (int round = 0; !receiver.is_complete() && round < 5000; ++round, now += 20'000'000) {
            Bytes piece;
            for (int i = 0; i < 16 && sender.put_piece(piece, now, 0); ++i) {
                if (random.below(3) > 0) {
                    EXPECT_TRUE(receiver.take(piece));
                }
                if (random.below(5) == 0) {
                    EXPECT_TRUE(receiver.take(piece));
                }
                piece.clear();
            }
            if (random.below(3) > 0) {
                sender.take(receiver.ack());
            }
        }
        ASSERT_TRUE(receiver.is_complete()) << size;
        EXPECT_EQ(receiver.take_bytes(), bytes);
        sender.take(receiver.ack());
        core::Bytes more;
        EXPECT_FALSE(sender.put_piece(more, 1LL << 40, 1));  // it knows that all has arrived
    }
}

}  // namespace
}  // namespace isotick::harness
