// Packets that come in. Nothing in them is trusted.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

void Peer::Core::receive(std::uint32_t from, std::span<const std::byte> bytes) {
    ++statistics_.packets_received;
    if (from >= options_.peers || is_self(from) || cookie_of(bytes) != options_.cookie) {
        ++statistics_.strangers;
        return;
    }
    Link& link = links_[from];
    if (link.refused > kMostRefused) {
        ++statistics_.packets_refused;
    } else if (++link.in_frame > kMostInFrame) {
        refuse(from, "more than 4096 packets in a frame");
    } else if (bytes.size() > kLargestPacket) {
        refuse(from, "a packet of more than 60 KiB");
    } else if (!read_packet(bytes, packet_)) {
        refuse(from, "a packet that makes no sense");
    } else if (packet_.sender != from) {
        refuse(from, "a packet in the name of another peer");
    } else if (accepts(from, packet_)) {
        take(from, packet_);
    }
}

void Peer::Core::refuse(std::uint32_t from, std::string_view why) {
    ++statistics_.packets_refused;
    if (links_[from].refused++ == 0) {
        complaints_.push_back("peer " + std::to_string(from) + ": " + std::string(why));
    }
}

// Whether the sender is the one that this peer knows; another incarnation of it may be there.
bool Peer::Core::accepts(std::uint32_t from, const Packet& packet) {
    Link& link = links_[from];
    const bool active = members_.is_active(from);
    if (options_.joins && !link.heard) {
        link.incarnation = packet.incarnation;  // how often it was there is new to whoever joins
    }
    const unsigned newer = (packet.incarnation - link.incarnation) & 3U;
    if (newer == 3 || (newer == 0 && link.restarted)) {
        return false;  // one that was there before
    }
    if (newer != 0 && active) {
        link.restarted = true;
        return false;
    }
    if (newer != 0) {
        const std::uint64_t refused = link.refused;
        link = {};
        link.incarnation = packet.incarnation;
        link.refused = refused;
        hashes_.forget(from);
    } else if (link.gone) {
        link.talks_on = true;  // it was dropped, and does not know
        return false;
    }
    return true;
}

void Peer::Core::take(std::uint32_t from, const Packet& packet) {
    Link& link = links_[from];
    const bool active = members_.is_active(from);
    if (packet.ack && members_.is_active(options_.self) && *packet.ack > own().log.end()) {
        return refuse(from, "it has inputs that this peer did not send");
    }
    take_front(link, packet);
    link.ready = false;
    for (Source& source : sources_) {
        source.asked[from] = source.froze[from] ? source.asked[from] : std::nullopt;
    }
    if (packet.inputs && active && !sources_[from].frozen) {
        if (!is_plausible(from, *packet.inputs)) {
            return refuse(from, "inputs for ticks that are far ahead");
        }
        if (!take_runs(from, packet.inputs->first, packet.inputs->bytes)) {
            return refuse(from, "inputs that make no sense");
        }
    }
    if (packet.hashes && packet.ack) {
        hashes_.take(from, *packet.hashes);
    }
    for (const Section& section : packet.sections) {
        if (const std::string_view wrong = take_section(from, section); !wrong.empty()) {
            return refuse(from, wrong);
        }
    }
}

void Peer::Core::take_front(Link& link, const Packet& packet) {
    link.heard = true;
    link.heard_lately = true;
    link.finished = packet.finished;
    link.advantage = packet.advantage;
    if (packet.tick >= link.tick || !packet.ack) {
        link.tick = packet.tick;
        link.tick_at_ns = now_ns_;
    }
    if (packet.ack) {
        link.synced_at = link.synced ? link.synced_at : packet.tick;
        link.synced = true;
        link.acked = std::max(link.acked, *packet.ack);
        link.snapshot.reset();
    }
    if (packet.times) {
        link.round_trip.take(*packet.times, now_ns_);
    }
}

// A peer that takes part runs no further than guesses and delays let it go beyond this peer's
// inputs.
bool Peer::Core::is_plausible(std::uint32_t from, const InputRuns& inputs) const {
    constexpr std::uint64_t kMostDelay = 256;
    std::uint64_t end = inputs.first;
    const bool read =
        each_run(inputs.bytes, [&end](std::uint64_t count, std::span<const std::byte>) {
            end += count;
            return end <= kLastTick;
        });
    const std::uint64_t known = std::max(own().log.end(), sources_[from].log.end());
    return !read || !members_.is_active(options_.self) ||
           end <= known + options_.most_guessed + kMostDelay;
}

std::string_view Peer::Core::take_section(std::uint32_t from, const Section& section) {
    Link& link = links_[from];
    switch (section.kind) {
        case SectionKind::leaving:
            link.leaving = true;
            return {};
        case SectionKind::dropped:
            link.says_dropped = is_member_;  // else it was meant for an earlier incarnation
            return {};
        case SectionKind::ready:
            link.ready = !members_.is_active(from);
            return {};
        case SectionKind::missing:
            return take_missing(from, core::ByteReader(section.payload));
        case SectionKind::relay:
            return take_relay(from, core::ByteReader(section.payload));
        case SectionKind::details:
            return link.synced ? take_details(from, section.payload) : std::string_view();
        case SectionKind::offer:
            return take_offer(from, core::ByteReader(section.payload));
        case SectionKind::piece:
            return take_piece(from, section.payload);
        case SectionKind::piece_ack:
            if (const auto ack = read_piece_ack(section.payload)) {
                if (link.snapshot) {
                    link.snapshot->take(*ack);
                }
                return {};
            }
            return "it received a snapshot in a way that makes no sense";
    }
    return {};  // of a newer isotick
}

std::string_view Peer::Core::take_missing(std::uint32_t from, core::ByteReader reader) {
    const auto peer = static_cast<std::uint32_t>(reader.varint(options_.peers - 1));
    const std::uint64_t next = reader.varint(kLastTick);
    const bool froze = reader.varint(1) != 0;
    const std::uint64_t first = reader.varint(kLastTick);
    const auto runs = reader.take(reader.remaining());
    if (!reader.ok()) {
        return "it misses inputs in a way that makes no sense";
    }
    Source& source = sources_[peer];
    if (next > source.log.end() + kMostAhead) {
        return "more inputs of another peer than there can be";
    }
    source.asked[from] = next;
    source.froze[from] = froze;
    const bool wanted = dropping_since_[peer].has_value() && froze;
    return wanted && !take_runs(peer, first, runs) ? "inputs of another peer that make no sense"
                                                   : std::string_view();
}

std::string_view Peer::Core::take_relay(std::uint32_t from, core::ByteReader reader) {
    const auto peer = static_cast<std::uint32_t>(reader.varint(options_.peers - 1));
    const bool dropping = reader.varint(1) != 0;
    const std::uint64_t has = reader.varint(kLastTick);
    const std::uint64_t first = reader.varint(kLastTick);
    const auto runs = reader.take(reader.remaining());
    if (!reader.ok()) {
        return "it passes on inputs in a way that makes no sense";
    }
    const bool decides = is_self(decider());
    if (from != decider() && !(decides && lacks(peer))) {
        return {};
    }
    Source& source = sources_[peer];
    if (!decides && members_.is_active(peer) && !is_self(peer)) {
        source.frozen = dropping;
    }
    source.decider_has = has;
    return misses(peer) && !take_runs(peer, first, runs)
               ? "inputs of another peer that make no sense"
               : std::string_view();
}

}  // namespace isotick::harness
