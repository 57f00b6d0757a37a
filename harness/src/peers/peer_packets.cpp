// What a peer sends, and what it makes of what arrives.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

// Packets that come in. Nothing in them is trusted.

void Peer::Core::receive(std::uint32_t from, std::span<const std::byte> bytes) {
    ++statistics_.packets_received;
    if (from >= options_.peers || is_self(from) || cookie_of(bytes) != options_.cookie) {
        ++statistics_.strangers;
        return;
    }
    Link& link = links_[from];
    if (link.refused > kMostRefused) {
        ++statistics_.packets_refused;
    } else if (state_ != PeerState::joining &&
               (link.flood_ns += tick_ns_ / kMostInTick) > kMostFlood * options_.silence_ns) {
        refuse(from, "a flood of packets");
    } else if (bytes.size() > kLargestPacket) {
        refuse(from, "a packet of more than 60 KiB");
    } else if (!read_packet(bytes, packet_)) {
        refuse(from, "a packet that makes no sense");
    } else if (packet_.sender != from) {
        refuse(from, "a packet in the name of another peer");
    } else if (accepts(from, packet_)) {
        take(from, packet_);
    } else if (link.restarted) {
        take_ends(link, packet_);
    }
}

void Peer::Core::refuse(std::uint32_t from, std::string_view why) {
    ++statistics_.packets_refused;
    if (links_[from].refused++ == 0) {
        complaints_.push_back("peer " + std::to_string(from) + ": " + std::string(why));
    }
}

// Whether the packet is of the life of its sender that counts. Of a peer that takes part that is
// the one that all agreed on; of another one, the latest that is heard.
bool Peer::Core::accepts(std::uint32_t from, const Packet& packet) {
    Link& link = links_[from];
    if (members_.is_over(from, packet.life)) {
        link.talks_on = packet.life;  // it was dropped, and does not know
        link.decisions = packet.decisions;
        return false;
    }
    if (members_.is_active(from)) {
        if (packet.life > members_.life(from) && !link.restarted) {
            link.restarted = now_ns_;
        }
        return !link.restarted;
    }
    if (packet.life > link.life) {
        meet(from, packet.life);
    }
    return packet.life == link.life;
}

// From now on that life of a peer is the one that counts.
void Peer::Core::meet(std::uint32_t peer, std::uint8_t life) {
    Link& link = links_[peer];
    if (link.life == life) {
        return;
    }
    const std::uint64_t refused = link.refused;
    link = {};
    link.life = life;
    link.refused = refused;
    link.last_heard_ns = now_ns_;
    proposers_ &= ~(std::uint64_t{1} << peer);
    hashes_.forget(peer);
    for (PeerInputs& source : sources_) {
        source.asked[peer].reset();
        source.froze[peer] = false;
    }
}

// What a life that takes no part yet knows of this one.
void Peer::Core::take_ends(Link& link, const Packet& packet) const {
    link.decisions = std::max(link.decisions, packet.decisions);
    for (const Section& section : packet.sections) {
        link.says_dropped |= section.kind == SectionKind::dropped && is_own_life(section.payload);
    }
}

bool Peer::Core::is_own_life(std::span<const std::byte> payload) const {
    return payload.size() == 1 && std::to_integer<std::uint8_t>(payload[0]) == options_.incarnation;
}

void Peer::Core::take(std::uint32_t from, const Packet& packet) {
    Link& link = links_[from];
    const bool active = members_.is_active(from);
    const bool knows_own = takes_part() && !lacks(options_.self);  // those of lives before, too
    if (packet.ack && active && knows_own && *packet.ack > own().log.end()) {
        return refuse(from, "it has inputs that this peer did not send");
    }
    take_front(link, packet);
    link.ready = false;
    for (PeerInputs& source : sources_) {
        source.asked[from].reset();
        source.froze[from] = false;
    }
    link.proposal.reset();
    proposers_ &= ~(std::uint64_t{1} << from);
    link.vote.reset();
    if (const std::string_view wrong = take_decisions(from, packet); !wrong.empty()) {
        return refuse(from, wrong);
    }
    // Its inputs may be for ticks of which it knows better who takes part.
    const bool knows_more = packet.ack && packet.decisions > decisions();
    if (packet.inputs && active && !knows_more && !is_frozen(from)) {
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
        const bool is_skipped = knows_more && (section.kind == SectionKind::missing ||
                                               section.kind == SectionKind::relay);
        const std::string_view wrong =
            is_skipped ? std::string_view() : take_section(from, section);
        if (!wrong.empty()) {
            return refuse(from, wrong);
        }
    }
}

void Peer::Core::take_front(Link& link, const Packet& packet) {
    link.heard = true;
    link.heard_lately = true;
    link.takes_part = packet.takes_part;
    link.decisions = std::max(link.decisions, packet.decisions);
    link.finished = link.finished || packet.finished;
    link.advantage = packet.advantage;
    if (packet.tick > link.tick || !packet.ack || !link.synced) {
        link.moved_ns = now_ns_;
    }
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
    constexpr std::uint64_t kMostDelay = 512;
    std::uint64_t end = inputs.first;
    const bool read =
        each_run(inputs.bytes, [&end](std::uint64_t count, std::span<const std::byte>) {
            end += count;
            return end <= kLastTick;
        });
    const std::uint64_t known = std::max(own().log.end(), sources_[from].log.end());
    return !read || !takes_part() || end <= known + options_.most_guessed + kMostDelay;
}

// First, since the rest of a packet depends on what is decided and proposed.
std::string_view Peer::Core::take_decisions(std::uint32_t from, const Packet& packet) {
    std::string_view wrong;
    for (const Section& section : packet.sections) {
        if (wrong.empty() && section.kind == SectionKind::decided) {
            wrong = take_decided(core::ByteReader(section.payload));
        } else if (wrong.empty() && section.kind == SectionKind::proposal) {
            wrong = take_proposal(from, core::ByteReader(section.payload));
        }
    }
    return wrong;
}

std::string_view Peer::Core::take_section(std::uint32_t from, const Section& section) {
    Link& link = links_[from];
    switch (section.kind) {
        case SectionKind::leaving:
            return take_leaving(link, core::ByteReader(section.payload));
        case SectionKind::dropped:
            link.says_dropped |= is_own_life(section.payload);
            return {};
        case SectionKind::ready:
            link.ready = !members_.is_active(from);
            return {};
        case SectionKind::decided:
        case SectionKind::proposal:
            return {};  // see take
        case SectionKind::vote:
            return take_vote(from, core::ByteReader(section.payload));
        case SectionKind::gone:
            return take_gone(core::ByteReader(section.payload));
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

std::string_view Peer::Core::take_leaving(Link& link, core::ByteReader reader) {
    link.left = read_vote(reader, options_.peers);
    note_ballot(link.left->promised);
    return reader.at_end() ? std::string_view() : "it leaves in a way that makes no sense";
}

// Who is heard says good-bye itself.
std::string_view Peer::Core::take_gone(core::ByteReader reader) {
    const auto peer = static_cast<std::uint32_t>(reader.varint(options_.peers - 1));
    const std::uint64_t lives = reader.varint(kMostLives);
    const Vote last = read_vote(reader, options_.peers);
    if (!reader.at_end()) {
        return "it passes on a good-bye in a way that makes no sense";
    }
    if (!is_self(peer) && members_.is_active(peer) && lives == members_.lives(peer) &&
        is_silent(peer) && !links_[peer].left) {
        links_[peer].left = last;
        note_ballot(last.promised);
    }
    return {};
}

std::string_view Peer::Core::take_missing(std::uint32_t from, core::ByteReader reader) {
    const auto peer = static_cast<std::uint32_t>(reader.varint(options_.peers - 1));
    const std::uint64_t lives = reader.varint(kMostLives);
    const std::uint64_t next = reader.varint(kLastTick);
    const bool froze = reader.varint(1) != 0;
    const std::uint64_t promised = reader.varint(kLastBallot);
    const std::uint64_t first = reader.varint(kLastTick);
    const auto runs = reader.take(reader.remaining());
    if (!reader.ok()) {
        return "it misses inputs in a way that makes no sense";
    }
    PeerInputs& source = sources_[peer];
    if (state_ == PeerState::joining || lives > members_.lives(peer)) {
        return {};  // an earlier life was asked
    }
    const bool is_behind = lives < members_.lives(peer);  // it needs what was before, and no more
    if (next > std::max(source.log.end(), tick_) + kMostAhead) {
        return {};  // it is too far ahead to be of use
    }
    // What somebody without a vote has and cannot hand over counts for nobody.
    const bool counts = first <= source.log.end() || members_.is_active(from);
    source.asked[from] = counts ? next : std::min(next, source.log.end());
    source.asked_lives[from] = lives;
    source.keeps_later[from] = first > source.log.end();
    source.froze[from] = !is_behind && froze && (promised == ballot_ || !asks_about(peer));
    const bool wanted = asks_about(peer) && froze && !is_behind;
    return wanted && !take_runs(peer, first, runs) ? "inputs of another peer that make no sense"
                                                   : std::string_view();
}

std::string_view Peer::Core::take_relay(std::uint32_t from, core::ByteReader reader) {
    const auto peer = static_cast<std::uint32_t>(reader.varint(options_.peers - 1));
    const std::uint64_t lives = reader.varint(kMostLives);
    const std::uint64_t has = reader.varint(kLastTick);
    const std::uint64_t first = reader.varint(kLastTick);
    const auto runs = reader.take(reader.remaining());
    if (!reader.ok()) {
        return "it passes on inputs in a way that makes no sense";
    }
    PeerInputs& source = sources_[peer];
    constexpr std::string_view kWrong = "inputs of another peer that make no sense";
    if (lives != members_.lives(peer)) {  // but those of a life before are the same for all
        const bool helps = lives > members_.lives(peer) && misses(peer);
        return helps && !take_runs(peer, first, runs) ? kWrong : std::string_view();
    }
    const bool asks = is_asked_about(from, peer);
    if (asks) {
        source.asked_lives[from] = lives;
        source.asked[from] = has;  // so where both ask, both get to know the same
    }
    if (from != decider() && !asks && !asks_about(peer) && !needs_help(peer)) {
        return {};
    }
    source.decider_has = has;
    return misses(peer) && !take_runs(peer, first, runs) ? kWrong : std::string_view();
}

// Packets that go out: one to each other peer for each tick, or tick's time.

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
    packet.finished = has_all_ && !leaving_;
    packet.tick = tick_;
    packet.decisions = decisions();
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
        put_vote(scratch_, own_vote());
        section(SectionKind::leaving);
    }
    put_decisions(to);
    if (const auto life = lost_life(to)) {
        scratch_.clear();
        core::put(scratch_, *life);
        section(SectionKind::dropped);
    }
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

// Of those who take part: `to` may have been out of reach when they left.
void Peer::Core::put_gone(std::uint32_t to) {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (peer != to && links_[peer].left && members_.is_active(peer)) {
            scratch_.clear();
            core::put_varint(scratch_, peer);
            core::put_varint(scratch_, members_.lives(peer));
            put_vote(scratch_, *links_[peer].left);
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
        const bool frozen = is_frozen(peer);
        const std::uint64_t first = std::max(source.decider_has, source.log.begin());
        scratch_.clear();
        core::put_varint(scratch_, peer);
        core::put_varint(scratch_, members_.lives(peer));
        core::put_varint(scratch_, source.log.end());
        core::put_varint(scratch_, frozen ? 1 : 0);
        core::put_varint(scratch_, promised_);
        core::put_varint(scratch_, first);
        if (frozen && is_asked_about(to, peer) && members_.is_active(peer) &&
            first < source.log.end()) {
            put_runs(scratch_, source.log, first, kUsualPacket / 2);
        }
        section(SectionKind::missing);
    }
}

void Peer::Core::put_relays(std::uint32_t to) {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const PeerInputs& source = sources_[peer];
        const std::uint64_t end = members_.end_of_lives(peer, source.asked_lives[to]);
        const bool asks = source.asked[to] && *source.asked[to] >= source.log.begin() &&
                          *source.asked[to] < std::min(source.log.end(), end);
        if (!links_[to].synced || (peer == to && asks_about(peer)) || !(asks_about(peer) || asks) ||
            sections_.size() > kMostSectionBytes) {
            continue;
        }
        scratch_.clear();
        core::put_varint(scratch_, peer);
        core::put_varint(scratch_, members_.lives(peer));
        core::put_varint(scratch_, source.log.end());
        core::put_varint(scratch_, source.asked[to].value_or(0));
        if (asks) {
            put_runs(scratch_, source.log, *source.asked[to], kUsualPacket / 2, end);
        }
        section(SectionKind::relay);
    }
}

}  // namespace isotick::harness
