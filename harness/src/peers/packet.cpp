#include "packet.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/harness/detail/peer_options.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

// Each input begins with its size and one, or with 0 where it is absent.
bool skip_input(core::ByteReader& reader) {
    const std::uint64_t size = reader.varint(ISOTICK_LONGEST_INPUT + 1);
    return reader.ok() && (size <= 1 || !reader.take(size - 1).empty());
}

}  // namespace

void put_changes(core::Bytes& out, std::span<const MemberChange> changes) {
    core::put_varint(out, changes.size());
    for (const MemberChange& change : changes) {
        core::put_varint(out, std::uint64_t{change.peer} * 2 + (change.joins ? 1 : 0));
        core::put(out, change.life);
        core::put_varint(out, change.tick);
    }
}

std::vector<MemberChange> read_changes(core::ByteReader& reader, std::uint64_t most,
                                       std::uint32_t peers) {
    std::vector<MemberChange> changes;
    for (std::uint64_t left = reader.varint(most); left > 0 && reader.ok(); --left) {
        const std::uint64_t who = reader.varint(std::uint64_t{peers} * 2 - 1);
        const auto life = reader.get<std::uint8_t>();
        changes.push_back(
            {static_cast<std::uint32_t>(who / 2), who % 2 != 0, life, reader.varint(kLastTick)});
    }
    return changes;
}

void put_decision(core::Bytes& out, const Decision& decision) {
    core::put_varint(out, decision.ends ? 1 : 0);
    put_changes(out, decision.changes);
}

Decision read_decision(core::ByteReader& reader, std::uint32_t peers) {
    const bool ends = reader.varint(1) != 0;
    return {read_changes(reader, kMostChanges, peers), ends};
}

void put_vote(core::Bytes& out, const Vote& vote) {
    core::put_varint(out, vote.number);
    core::put_varint(out, vote.promised);
    core::put_varint(out, vote.ballot);
    if (vote.ballot != 0) {
        core::put_varint(out, vote.is_forced ? 1 : 0);
        put_decision(out, vote.decision);
    }
}

Vote read_vote(core::ByteReader& reader, std::uint32_t peers) {
    Vote vote;
    vote.number = reader.varint(kMostDecisions);
    vote.promised = reader.varint(kLastBallot);
    vote.ballot = reader.varint(kLastBallot);
    if (vote.ballot != 0) {
        vote.is_forced = reader.varint(1) != 0;
        vote.decision = read_decision(reader, peers);
    }
    return vote;
}

namespace {

constexpr std::uint64_t kAsksOnly = 0;
constexpr std::uint64_t kProposes = 1;
constexpr std::uint64_t kForces = 2;

}  // namespace

void put_proposal(core::Bytes& out, const Proposal& proposal) {
    core::put_varint(out, proposal.number);
    core::put_varint(out, proposal.ballot);
    core::put(out, proposal.asks);
    core::put_varint(out, !proposal.decision   ? kAsksOnly
                          : proposal.is_forced ? kForces
                                               : kProposes);
    if (proposal.decision) {
        put_decision(out, *proposal.decision);
    }
}

Proposal read_proposal(core::ByteReader& reader, std::uint32_t peers) {
    Proposal proposal;
    proposal.number = reader.varint(kMostDecisions);
    proposal.ballot = reader.varint(kLastBallot);
    proposal.asks = reader.get<std::uint64_t>();
    const std::uint64_t what = reader.varint(kForces);
    proposal.is_forced = what == kForces;
    if (what != kAsksOnly) {
        proposal.decision = read_decision(reader, peers);
    }
    return proposal;
}

void put_entry(core::Bytes& out, std::span<const isotick_input> inputs) {
    for (const isotick_input& input : inputs) {
        core::put_varint(out, input.present != 0 ? input.size + 1 : 0);
        if (input.present != 0 && input.size > 0) {
            core::put_bytes(out, std::as_bytes(std::span(input.data, input.size)));
        }
    }
}

bool is_entry(std::span<const std::byte> entry, std::size_t players) {
    core::ByteReader reader(entry);
    for (std::size_t i = 0; i < players && reader.ok(); ++i) {
        skip_input(reader);
    }
    return reader.at_end();
}

void read_inputs(std::span<const std::byte> entry, std::span<const std::uint32_t> columns,
                 std::span<isotick_input> inputs) {
    core::ByteReader reader(entry);
    for (const std::uint32_t column : columns) {
        isotick_input& input = inputs[column];
        const std::uint64_t size = reader.varint();
        const auto bytes = reader.take(size > 0 ? size - 1 : 0);
        input.present = size > 0 ? 1 : 0;
        input.size = bytes.size();
        input.data = bytes.empty() ? nullptr : reinterpret_cast<const std::uint8_t*>(bytes.data());
    }
}

core::Bytes neutral_entry(std::size_t players) {
    return core::Bytes(players, std::byte{0});
}

void InputLog::append(std::span<const std::byte> entry, std::uint64_t count) {
    if (runs_.empty() || !std::ranges::equal(runs_.back().entry, entry)) {
        runs_.push_back({end_, core::Bytes(entry.begin(), entry.end())});
        bytes_ += entry.size() + sizeof(Run);
    }
    end_ += count;
}

std::size_t InputLog::find(std::uint64_t tick) const {
    // What is asked for is nearly always among the latest.
    std::size_t run = runs_.size() - 1;
    for (std::size_t tries = 0; tries < 4 && run > front_ && runs_[run].first > tick; ++tries) {
        --run;
    }
    if (runs_[run].first <= tick) {
        return run;
    }
    const auto kept = std::span(runs_).subspan(front_);
    const auto after = std::ranges::upper_bound(kept, tick, {}, &Run::first);
    return front_ + static_cast<std::size_t>(after - kept.begin()) - 1;
}

std::span<const std::byte> InputLog::at(std::uint64_t tick) const {
    return runs_[find(tick)].entry;
}

void InputLog::cut(std::uint64_t tick) {
    while (runs_.size() > front_ && runs_.back().first >= tick) {
        bytes_ -= runs_.back().entry.size() + sizeof(Run);
        runs_.pop_back();
    }
    end_ = tick;
}

void InputLog::forget_before(std::uint64_t tick) {
    if (tick <= begin_) {
        return;
    }
    begin_ = std::min(tick, end_);
    for (; runs_.size() > front_ + 1 && runs_[front_ + 1].first <= begin_; ++front_) {
        bytes_ -= runs_[front_].entry.size() + sizeof(Run);
        core::Bytes().swap(runs_[front_].entry);
    }
    if (front_ * 2 > runs_.size()) {  // so each moves once at most, on average
        runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(front_));
        front_ = 0;
    }
}

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
    packet.decisions = reader.varint(kMostDecisions);
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
    front.put_varint(packet.decisions);
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

void put_runs(core::Bytes& out, const InputLog& log, std::uint64_t first, std::size_t room,
              std::uint64_t end) {
    const std::size_t begin = out.size();
    std::uint64_t at = first;
    constexpr std::size_t kMostFront = 16;  // of a run
    log.each_run(first, [&](std::span<const std::byte> entry, std::uint64_t count) {
        if (out.size() > begin && out.size() - begin + entry.size() + kMostFront > room) {
            return false;
        }
        core::FewBytes<20> front;
        front.put_varint(std::min(count, end - at));
        front.put_varint(entry.size());
        core::put_bytes(out, front.bytes());
        core::put_bytes(out, entry);
        at += count;
        return at < end;
    });
}

}  // namespace isotick::harness
