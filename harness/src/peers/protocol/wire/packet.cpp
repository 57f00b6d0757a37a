#include "packet.hpp"

#include <isotick/core/hash.hpp>

namespace isotick::harness {
namespace {

constexpr std::uint8_t kLife = 0x01;
constexpr std::uint8_t kMember = 0x02;
constexpr std::uint8_t kSynced = 0x04;
constexpr std::uint8_t kTimes = 0x08;
constexpr std::uint8_t kInputs = 0x10;
constexpr std::uint8_t kHashes = 0x20;
constexpr std::uint8_t kSections = 0x40;
constexpr std::uint8_t kFinished = 0x80;

/// All of a packet but inputs and sections.
using Front = core::FewBytes<64>;

constexpr std::size_t kSectionRoom = 64;  // bytes that inputs leave to small sections

std::uint8_t flags_of(const Packet& packet, bool has_sections) {
    return static_cast<std::uint8_t>(
        (packet.life != 0 ? kLife : 0) | (packet.takes_part ? kMember : 0) |
        (packet.ack ? kSynced : 0) | (packet.times ? kTimes : 0) | (packet.inputs ? kInputs : 0) |
        (packet.hashes ? kHashes : 0) | (has_sections ? kSections : 0) |
        (packet.finished ? kFinished : 0));
}

void put_times(Front& out, const PacketTimes& times) {
    out.put(times.sent_ms);
    out.put(times.echo_ms);
    out.put(static_cast<std::uint8_t>(times.has_echo ? 1 : 0));
}

/// As a varint, for put_difference.
std::uint64_t difference(std::uint64_t value, std::uint64_t base) {
    const auto difference = static_cast<std::int64_t>(value - base);
    const auto sign = static_cast<std::uint64_t>(difference >> 63);
    return (static_cast<std::uint64_t>(difference) << 1U) ^ sign;
}

void read_times(core::ByteReader& reader, Packet& packet) {
    PacketTimes& times = packet.times.emplace();
    times.sent_ms = reader.get<std::uint16_t>();
    times.echo_ms = reader.get<std::uint16_t>();
    times.has_echo = reader.get<std::uint8_t>() != 0;
}

void read_inputs(core::ByteReader& reader, Packet& packet) {
    InputRuns& inputs = packet.inputs.emplace();
    inputs.first = read_difference(reader, packet.tick);
    inputs.bytes = reader.take(reader.varint());
}

void read_sections(core::ByteReader& reader, Packet& packet) {
    while (reader.ok() && reader.remaining() > 0) {
        const auto kind = reader.get<std::uint8_t>();
        const auto payload = reader.take(reader.varint());
        if (packet.sections.size() == kMostSections) {
            reader.fail();
        } else if (reader.ok()) {
            packet.sections.push_back({static_cast<SectionKind>(kind), payload});
        }
    }
}

}  // namespace

std::optional<std::uint32_t> cookie_of(std::span<const std::byte> bytes) {
    core::ByteReader reader(bytes);
    const auto cookie = reader.get<std::uint32_t>();
    return reader.ok() ? std::optional(cookie) : std::nullopt;
}

void put_difference(core::Bytes& out, std::uint64_t value, std::uint64_t base) {
    core::put_varint(out, difference(value, base));
}

std::uint64_t read_difference(core::ByteReader& reader, std::uint64_t base) {
    const std::uint64_t coded = reader.varint();
    const std::uint64_t value = base + ((coded >> 1U) ^ (~(coded & 1U) + 1));
    if (value > kLastTick) {
        reader.fail();
    }
    return value;
}

bool read_packet(std::span<const std::byte> bytes, Packet& packet) {
    auto sections = std::move(packet.sections);
    sections.clear();
    packet = {};
    packet.sections = std::move(sections);
    core::ByteReader reader(bytes);
    [[maybe_unused]] const auto cookie = reader.get<std::uint32_t>();
    packet.sender = reader.get<std::uint8_t>();
    const auto flags = reader.get<std::uint8_t>();
    packet.life = (flags & kLife) != 0 ? reader.get<std::uint8_t>() : std::uint8_t{0};
    packet.takes_part = (flags & kMember) != 0;
    packet.finished = (flags & kFinished) != 0;
    packet.tick = reader.varint(kLastTick);
    packet.advantage = static_cast<std::int8_t>(reader.get<std::uint8_t>());
    if ((flags & kSynced) != 0) {
        packet.ack = read_difference(reader, packet.tick);
    }
    if ((flags & kTimes) != 0) {
        read_times(reader, packet);
    }
    if ((flags & kInputs) != 0) {
        read_inputs(reader, packet);
    }
    if ((flags & kHashes) != 0) {
        packet.hashes = HashReport{reader.varint(kLastTick), reader.get<std::uint64_t>()};
    }
    if ((flags & kSections) != 0) {
        read_sections(reader, packet);
    }
    return reader.at_end();
}

void put_packet(core::Bytes& out, std::uint32_t cookie, const Packet& packet, const InputLog& log,
                bool has_sections, core::Bytes& scratch) {
    Front front;
    front.put(cookie);
    front.put(packet.sender);
    front.put(flags_of(packet, has_sections));
    if (packet.life != 0) {
        front.put(packet.life);
    }
    front.put_varint(packet.tick);
    front.put(static_cast<std::int8_t>(packet.advantage));
    if (packet.ack) {
        front.put_varint(difference(*packet.ack, packet.tick));
    }
    if (packet.times) {
        put_times(front, *packet.times);
    }
    if (packet.inputs) {
        front.put_varint(difference(packet.inputs->first, packet.tick));
        scratch.clear();
        put_runs(scratch, log, packet.inputs->first,
                 kUsualPacket - out.size() - front.bytes().size() - kSectionRoom);
        front.put_varint(scratch.size());
        core::put_bytes(out, front.bytes());
        core::put_bytes(out, scratch);
        front = {};
    }
    if (packet.hashes) {
        front.put_varint(packet.hashes->ticks);
        front.put(packet.hashes->chain);
    }
    core::put_bytes(out, front.bytes());
}

void put_section(core::Bytes& out, SectionKind kind, std::span<const std::byte> payload) {
    core::put(out, static_cast<std::uint8_t>(kind));
    core::put_varint(out, payload.size());
    core::put_bytes(out, payload);
}

void put_runs(core::Bytes& out, const InputLog& log, std::uint64_t first, std::size_t room) {
    const std::size_t begin = out.size();
    constexpr std::size_t kMostFront = 16;  // of a run
    log.each_run(first, [&](std::span<const std::byte> entry, std::uint64_t count) {
        if (out.size() > begin && out.size() - begin + entry.size() + kMostFront > room) {
            return false;
        }
        core::FewBytes<20> front;
        front.put_varint(count);
        front.put_varint(entry.size());
        core::put_bytes(out, front.bytes());
        core::put_bytes(out, entry);
        return true;
    });
}

}  // namespace isotick::harness
