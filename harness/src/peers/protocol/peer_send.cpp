// Packets that go out: one to each other peer for each tick, or tick's time.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostSectionBytes = std::size_t{20} << 10U;  // then no more are begun

}  // namespace

std::optional<OutgoingPacket> Peer::Core::next_packet() {
    for (; next_to_ < options_.peers; ++next_to_, pieces_left_ = kPiecesInFrame) {
        if (is_self(next_to_)) {
            continue;
        }
        Link& link = links_[next_to_];
        if (is_due(next_to_)) {
            sections_.clear();
            put_sections(next_to_);
            put_front(next_to_);
            return sent(next_to_);
        }
        if (link.snapshot && pieces_left_ > 0) {
            scratch_.clear();
            if (link.snapshot->put_piece(scratch_, now_ns_, link.round_trip.mean_ns())) {
                --pieces_left_;
                sections_.clear();
                section(SectionKind::piece);
                put_front(next_to_);
                return sent(next_to_);
            }
        }
    }
    return std::nullopt;
}

bool Peer::Core::is_due(std::uint32_t to) const {
    const Link& link = links_[to];
    if (state_ == PeerState::left || state_ == PeerState::dropped) {
        return false;
    }
    const bool asks_all = state_ == PeerState::joining || state_ == PeerState::alone;
    const bool known = link.heard || members_.is_active(to) || asks_all;
    const bool waited = now_ns_ - link.last_sent_ns >= tick_ns_;
    return (known || link.talks_on) &&
           (!link.ever_sent || waited ||
            (tick_ != link.sent_at_tick && now_ns_ > link.last_sent_ns));
}

void Peer::Core::put_front(std::uint32_t to) {
    constexpr std::int64_t kTimesEvery = 100'000'000;
    Link& link = links_[to];
    const bool is_synced = state_ != PeerState::joining;
    Packet packet;
    packet.sender = static_cast<std::uint8_t>(options_.self);
    packet.life = options_.incarnation;
    packet.takes_part = takes_part();
    packet.finished = ended_ns_.has_value() && !leaving_;
    packet.tick = tick_;
    packet.advantage = advantage_over(link);
    if (is_synced) {
        packet.ack = sources_[to].log.end();
    }
    if (!link.ever_sent || now_ns_ - link.last_times_ns >= kTimesEvery) {
        packet.times = link.round_trip.times(now_ns_);
        link.last_times_ns = now_ns_;
    }
    const InputLog& log = own().log;
    if (is_synced && link.synced && members_.was_ever_active(options_.self) &&
        link.acked < log.end() && link.acked >= log.begin() &&
        sections_.size() + log.at(link.acked).size() < kLargestPacket - kUsualPacket) {
        packet.inputs = InputRuns{link.acked, {}};
    }
    if (const auto report = is_synced ? hashes_.report(packet.finished) : std::nullopt;
        report && (link.told_ticks < report->ticks || packet.finished)) {
        packet.hashes = report;
        link.told_ticks = report->ticks;
    }
    out_.clear();
    put_packet(out_, options_.cookie, packet, log, !sections_.empty(), runs_);
    core::put_bytes(out_, sections_);
}

OutgoingPacket Peer::Core::sent(std::uint32_t to) {
    Link& link = links_[to];
    link.ever_sent = true;
    link.talks_on.reset();
    link.last_sent_ns = now_ns_;
    link.sent_at_tick = tick_;
    ++statistics_.packets_sent;
    statistics_.bytes_sent += out_.size();
    return {to, out_};
}

void Peer::Core::section(SectionKind kind) {
    put_section(sections_, kind, scratch_);
}

void Peer::Core::put_sections(std::uint32_t to) {
    scratch_.clear();
    if (leaving_) {
        core::put_varint(scratch_, changes_known());
        section(SectionKind::leaving);
    }
    if (const auto life = lost_life(to)) {
        scratch_.clear();
        core::put(scratch_, *life);
        section(SectionKind::dropped);
    }
    put_agreed(to);
    put_gone(to);
    put_missing(to);
    put_relays(to);
    if (details_[options_.self] && links_[to].synced) {
        scratch_.clear();
        put_details(scratch_, *details_[options_.self]);
        section(SectionKind::details);
    }
    put_join_sections(to);
}

// To those who may not have heard it: nobody runs far beyond a change that it does not know.
void Peer::Core::put_agreed(std::uint32_t to) {
    if (links_[to].tick > told_until_ + notice()) {
        return;
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (sources_[peer].agreed_until > 0) {
            scratch_.clear();
            core::put_varint(scratch_, peer);
            core::put_varint(scratch_, members_.lives(peer));
            core::put_varint(scratch_, sources_[peer].agreed_until);
            section(SectionKind::agreed);
        }
    }
}

// Of those who take part: `to` may have been out of reach when they left.
void Peer::Core::put_gone(std::uint32_t to) {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (peer != to && links_[peer].left && members_.is_active(peer)) {
            scratch_.clear();
            core::put_varint(scratch_, peer);
            core::put_varint(scratch_, members_.lives(peer));
            core::put_varint(scratch_, *links_[peer].left);
            section(SectionKind::gone);
        }
    }
}

// Of `to`: the one that it takes to take part, or to follow, while the others go on without it. Who
// follows and does not get on may lack inputs that nobody keeps.
std::optional<std::uint8_t> Peer::Core::lost_life(std::uint32_t to) const {
    const Link& link = links_[to];
    const bool follows = link.synced && !members_.is_active(to);
    const bool is_stuck = is_self(decider()) && now_ns_ - link.moved_ns > 2 * options_.silence_ns &&
                          link.tick + notice() < verified();
    const bool is_lost = follows && (is_stuck || link.tick + kKeptTicks < verified());
    return link.talks_on ? link.talks_on : is_lost ? std::optional(link.life) : std::nullopt;
}

// What this peer lacks, to the one that can help; and what that one may lack, where it drops a
// peer.
void Peer::Core::put_missing(std::uint32_t to) {
    if (!is_running() && state_ != PeerState::finished) {
        return;
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const PeerInputs& source = sources_[peer];
        if (!misses(peer) || peer == to || sections_.size() > kMostSectionBytes) {
            continue;
        }
        const bool frozen = source.frozen && source.promised_to.value_or(to) == to;
        const std::uint64_t first = std::max(source.decider_has, source.log.begin());
        scratch_.clear();
        core::put_varint(scratch_, peer);
        core::put_varint(scratch_, members_.lives(peer));
        core::put_varint(scratch_, source.log.end());
        core::put_varint(scratch_, frozen ? 1 : 0);
        core::put_varint(scratch_, promised_);
        core::put_varint(scratch_, first);
        if (frozen && members_.is_active(peer) && first < source.log.end()) {
            put_runs(scratch_, source.log, first, kUsualPacket / 2);
        }
        section(SectionKind::missing);
    }
}

void Peer::Core::put_relays(std::uint32_t to) {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const PeerInputs& source = sources_[peer];
        const bool dropping = dropping_since_[peer].has_value();
        const bool asks = source.asked[to] && *source.asked[to] < source.log.end() &&
                          *source.asked[to] >= source.log.begin();
        const bool releases = !dropping && source.froze[to] && !source.frozen;
        if (!links_[to].synced || (peer == to && dropping) || !(dropping || asks || releases) ||
            sections_.size() > kMostSectionBytes) {
            continue;
        }
        scratch_.clear();
        core::put_varint(scratch_, peer);
        core::put_varint(scratch_, members_.lives(peer));
        core::put_varint(scratch_, dropping ? 1 : 0);
        core::put_varint(scratch_, ballot_);
        core::put_varint(scratch_, source.log.end());
        core::put_varint(scratch_, source.asked[to].value_or(0));
        if (asks) {
            put_runs(scratch_, source.log, *source.asked[to], kUsualPacket / 2);
        }
        section(SectionKind::relay);
    }
}

}  // namespace isotick::harness
