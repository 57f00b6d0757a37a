// Peers that come on the way, or again: a snapshot, then all inputs since, then a seat.

#include "peer_core.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {

bool Peer::Core::wants_snapshot(std::uint32_t peer) const {
    const Link& link = links_[peer];
    return !is_self(peer) && link.heard && !link.synced && !link.suspect && !link.snapshot &&
           !members_.is_active(peer);
}

std::optional<std::uint64_t> Peer::Core::wanted_snapshot() const {
    const bool is_there = state_ == PeerState::running || state_ == PeerState::finished;
    if (!is_there || decider() != options_.self || !has_quorum() || voted_ != 0) {
        return std::nullopt;
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (wants_snapshot(peer)) {
            return verified();
        }
    }
    return std::nullopt;
}

core::Result<void> Peer::Core::add_snapshot(std::vector<std::byte> snapshot) {
    if (snapshot.size() > kLargestPeerSnapshot) {
        return core::fail(core::ErrorCode::limit,
                          "the snapshot for a peer that joins takes more than 64 MiB");
    }
    hashes_.confirm(verified());
    const auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(snapshot));
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (wants_snapshot(peer)) {
            links_[peer].snapshot.emplace(verified(), hashes_.chain(), bytes);
        }
    }
    return {};
}

std::optional<Peer::Arrival> Peer::Core::take_arrival() {
    return std::exchange(arrival_, std::nullopt);
}

// Whether everybody that this joining peer hears has finished, and nobody sends it a snapshot.
bool Peer::Core::comes_too_late() const {
    const std::int64_t before = now_ns_ - 2 * options_.silence_ns;
    bool hears_any = false;
    for (const Link& link : links_) {
        if (!link.heard || link.suspect) {
            continue;
        }
        if (!link.finished || link.moved_ns >= before) {
            return false;
        }
        hears_any = true;
    }
    return hears_any && (!incoming_ || incoming_->heard_ns < before);
}

void Peer::Core::put_join_sections(std::uint32_t to) {
    const Link& link = links_[to];
    if (link.snapshot) {
        put_offer(*link.snapshot);
    }
    scratch_.clear();
    if (incoming_ && to == incoming_->from) {
        put_piece_ack(scratch_, incoming_->snapshot.ack());
        section(SectionKind::piece_ack);
    }
    scratch_.clear();
    const bool up_to_date = !lacks(options_.self) && links_[to].tick <= tick_ + notice();
    if (state_ == PeerState::running && options_.joins && !leaving_ && to == decider() &&
        has_players(options_.self) && !takes_part() && up_to_date) {
        section(SectionKind::ready);
    }
}

void Peer::Core::put_offer(const SnapshotSender& snapshot) {
    scratch_.clear();
    core::put_varint(scratch_, snapshot.ticks_done());
    core::put_varint(scratch_, snapshot.size());
    core::put(scratch_, snapshot.chain());
    core::put_varint(scratch_, decisions());
    core::put_varint(scratch_, has_ended_ ? 1 : 0);
    put_changes(scratch_, members_.history());
    section(SectionKind::offer);
}

std::string_view Peer::Core::take_offer(std::uint32_t from, core::ByteReader reader) {
    const std::uint64_t ticks_done = reader.varint(kLastTick);
    const std::uint64_t size = reader.varint(kLargestPeerSnapshot);
    const auto chain = reader.get<std::uint64_t>();
    const std::uint64_t decisions = reader.varint(kMostDecisions);
    const bool has_ended = reader.varint(1) != 0;
    auto changes =
        read_changes(reader, std::uint64_t{2} * kMostLives * options_.peers, options_.peers);
    if (!reader.at_end()) {
        return "it offers a snapshot in a way that makes no sense";
    }
    const bool is_others = incoming_ && from != incoming_->from;
    const bool is_known = incoming_ && ticks_done == incoming_->snapshot.ticks_done();
    const bool stays = incoming_ && !links_[incoming_->from].suspect &&
                       now_ns_ - incoming_->heard_ns <= options_.silence_ns;
    if (incoming_ && !is_others) {
        incoming_->heard_ns = now_ns_;
    }
    if (state_ != PeerState::joining || (is_others ? stays : is_known)) {
        return {};
    }
    incoming_.emplace(Incoming{SnapshotReceiver(ticks_done, size), from, chain, decisions,
                               has_ended, std::move(changes), now_ns_});
    if (size == 0) {
        arrive();
    }
    return {};
}

std::string_view Peer::Core::take_piece(std::uint32_t from, std::span<const std::byte> bytes) {
    if (!incoming_ || from != incoming_->from) {
        return {};
    }
    incoming_->heard_ns = now_ns_;
    if (!incoming_->snapshot.take(bytes)) {
        return {};  // of an earlier offer
    }
    if (incoming_->snapshot.is_complete()) {
        arrive();
    }
    return {};
}

void Peer::Core::arrive() {
    const std::uint64_t tick = incoming_->snapshot.ticks_done();
    Incoming incoming = *std::exchange(incoming_, std::nullopt);
    arrival_ = Arrival{tick, incoming.snapshot.take_bytes()};
    members_.clear();
    for (const MemberChange& change : incoming.changes) {
        members_.apply(change);
    }
    first_decision_ = incoming.decisions;
    has_ended_ = incoming.has_ended;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        PeerInputs& source = sources_[peer];
        source.log = InputLog(tick);
        fill_gap(peer);  // it may be known to return only later
        if (members_.is_active(peer) || members_.is_over(peer, links_[peer].life)) {
            meet(peer, members_.life(peer));
        }
        links_[peer].flood_ns = -kLatePieces * options_.silence_ns;
        links_[peer].synced = members_.is_active(peer);
        links_[peer].acked = 0;
    }
    tick_ = tick;
    confirmed_ = tick;
    guesses_checked_ = tick;
    hashes_.restart(tick, incoming.chain);
    state_ = PeerState::running;
}

// Those who have caught up, once nobody lacks what they sent when they were here before. Nobody is
// admitted whose seat would begin after the last tick: they follow to the end without it.
std::vector<MemberChange> Peer::Core::ready_to_join() const {
    std::vector<MemberChange> joins;
    const std::uint64_t from = own().log.end() + notice();
    const bool is_late = options_.ticks != 0 && from >= options_.ticks;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        const bool waits =
            link.ready && !link.suspect && has_players(peer) && !members_.is_active(peer);
        if (waits && !is_late && state_ == PeerState::running && !is_dropping() &&
            can_help(link.tick) && all_know_end_of(peer) && all_have(link.synced_at)) {
            joins.push_back({peer, true, link.life, from});
        }
    }
    return joins;
}

// Whether this peer still has all inputs from that tick on. A joiner with an old snapshot may need
// earlier ones, which nobody here keeps.
bool Peer::Core::can_help(std::uint64_t tick) const {
    return std::ranges::all_of(
        sources_, [tick](const PeerInputs& source) { return source.log.begin() <= tick; });
}

// Who is not heard is dropped first, since it may decide otherwise.
bool Peer::Core::is_dropping() const {
    return std::ranges::any_of(dropping_since_,
                               [](const auto& since) { return since.has_value(); });
}

// Whether nobody needs inputs from before that tick any more, which who got a snapshot cannot give.
bool Peer::Core::all_have(std::uint64_t tick) const {
    bool all = true;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const bool counts = !is_self(peer) && members_.is_active(peer);
        all = all && (!counts || links_[peer].tick >= tick + options_.most_guessed);
    }
    return all;
}

bool Peer::Core::all_know_end_of(std::uint32_t peer) const {
    if (!members_.was_ever_active(peer)) {
        return true;
    }
    const std::uint64_t end = members_.until(peer);
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        if (other != peer && follows(other) && links_[other].synced_at < end &&
            sources_[peer].asked[other].value_or(0) < end) {
            return false;
        }
    }
    return true;
}

}  // namespace isotick::harness
