// Who takes part, who counts as gone, and what is a majority.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

Membership::Membership(const PeerOptions& options) : spans_(options.peers), lives_(options.peers) {
    for (std::uint32_t peer = 0; peer < options.peers - options.spectators; ++peer) {
        if ((options.late >> peer & 1U) == 0) {
            spans_[peer].push_back({});
            lives_[peer].push_back(0);
        }
    }
}

bool Membership::fits(const MemberChange& change) const {
    const auto& spans = spans_[change.peer];
    if (!change.joins) {
        return is_active(change.peer) && change.life == life(change.peer) &&
               spans.back().from <= change.tick;
    }
    return !is_active(change.peer) && !is_over(change.peer, change.life) &&
           change.life < kMostLives && (spans.empty() || spans.back().until <= change.tick);
}

bool Membership::apply(const MemberChange& change) {
    if (!fits(change)) {
        return false;
    }
    if (change.joins) {
        spans_[change.peer].push_back({change.tick, kNever});
        lives_[change.peer].push_back(change.life);
    } else {
        spans_[change.peer].back().until = change.tick;
    }
    return true;
}

std::vector<MemberChange> Membership::history() const {
    std::vector<MemberChange> changes;
    for (std::uint32_t peer = 0; peer < spans_.size(); ++peer) {
        for (std::size_t i = 0; i < spans_[peer].size(); ++i) {
            const Presence& span = spans_[peer][i];
            changes.push_back({peer, true, lives_[peer][i], span.from});
            if (span.until != kNever) {
                changes.push_back({peer, false, lives_[peer][i], span.until});
            }
        }
    }
    return changes;
}

void Membership::clear() {
    for (std::size_t peer = 0; peer < spans_.size(); ++peer) {
        spans_[peer].clear();
        lives_[peer].clear();
    }
}

// Whether it counts no more: it said good-bye, and votes in no ballot of this peer's.
bool Peer::Core::has_left(std::uint32_t peer) const {
    const auto& left = links_[peer].left;
    return left && left->number <= decisions() && (ballot_ == 0 || left->promised <= ballot_);
}

// Whether this peer takes no inputs from it directly: it was dropped, it may be by this peer's
// vote, or a drop is under way.
bool Peer::Core::is_frozen(std::uint32_t peer) const {
    for (std::uint64_t left = proposers_; left != 0; left &= left - 1) {
        const Link& link = links_[static_cast<std::size_t>(std::countr_zero(left))];
        if (link.proposal->ballot == promised_ && (link.proposal->asks >> peer & 1U) != 0 &&
            !may_forget(link)) {
            return true;
        }
    }
    return (members_.was_ever_active(peer) && !members_.is_active(peer)) || asks_about(peer) ||
           held_[peer] != Membership::kNever;
}

// `used`: the first tick that cannot have been confirmed with an input of the changed peer.
void Peer::Core::apply(const MemberChange& change, std::uint64_t used) {
    PeerInputs& source = sources_[change.peer];
    if (!members_.apply(change)) {
        return;
    }
    if (!change.joins && !is_self(change.peer) && change.tick < std::min(source.log.end(), tick_)) {
        if (change.tick < std::min(used, verified())) {
            parted_at_ = std::min(parted_at_, change.tick);
        } else {
            runs_again_ = true;
        }
    }
    if (!change.joins) {
        if (!is_self(change.peer) && source.log.begin() <= change.tick &&
            change.tick < source.log.end()) {
            source.log.cut(change.tick);
        }
        dropping_since_[change.peer].reset();
        return;
    }
    fill_gap(change.peer);
    meet(change.peer, change.life);
    links_[change.peer].ready = false;
    if (is_self(change.peer) && change.life == options_.incarnation) {
        joined_at_ = change.tick;
        is_member_ = true;
    }
}

// The lowest that takes part and is heard, and has not voted to be dropped itself.
std::uint32_t Peer::Core::decider() const {
    const auto decides = [this](std::uint32_t peer) {
        const Link& link = links_[peer];
        return !gives_itself_up(peer) &&
               (is_self(peer) ? takes_part()
                              : members_.is_active(peer) && !link.suspect && !link.says_dropped);
    };
    std::uint32_t peer = 0;
    while (peer < options_.peers && !decides(peer)) {
        ++peer;
    }
    return peer;
}

// Whether that other peer runs the session's ticks and is heard: its part in what is decided
// counts. Packets of a life that is over do not.
bool Peer::Core::follows(std::uint32_t other) const {
    const Link& link = links_[other];
    return !is_self(other) && !link.suspect &&
           (members_.is_active(other) || (link.synced && !members_.is_over(other, link.life)));
}

// Whether this peer gets no inputs of that one by itself. Its own, from before it came back, are
// such too.
bool Peer::Core::misses(std::uint32_t source) const {
    if (is_self(source)) {
        return lacks(source) || (members_.is_active(source) && !takes_part());
    }
    return is_frozen(source) || lacks(source) ||
           (members_.is_active(source) && links_[source].suspect);
}

// Whether its inputs are taken from whoever has them: nobody decides, or who does joined too late
// to have them all.
bool Peer::Core::needs_help(std::uint32_t source) const {
    return lacks(source) || decider() == options_.peers ||
           now_ns_ - links_[source].last_heard_ns > 2 * options_.silence_ns;
}

void Peer::Core::look_for_silence() {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        Link& link = links_[peer];
        const bool silent = is_silent(peer);
        const bool active = members_.is_active(peer);
        link.suspect = !is_self(peer) &&
                       (link.left || link.restarted || silent || link.refused > kMostRefused);
        if (silent && !active && !is_self(peer)) {
            link.heard = false;  // a joiner or spectator: nobody waits for it
            link.synced = false;
            link.ready = false;
            link.snapshot.reset();
        }
    }
}

// Whether it has been silent for so long that what it asked for does not count any longer.
bool Peer::Core::may_forget(const Link& link) const {
    return (link.suspect && !takes_part()) || is_surely_over(link) ||
           now_ns_ - link.last_heard_ns > 2 * options_.silence_ns;
}

// Who is to be dropped by this peer, and since when.
void Peer::Core::look_who_goes(bool decides) {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        auto& since = dropping_since_[peer];
        if (!decides || !members_.is_active(peer) || !links_[peer].suspect) {
            since.reset();
        } else if (!since) {
            since = now_ns_;
        }
    }
}

// A peer that claims to have inputs of the one to be dropped has to hand them over. If it no longer
// has the one that this peer needs next, this peer cannot go on, and is out itself.
void Peer::Core::refuse_empty_claims(std::uint32_t peer) {
    const auto& since = dropping_since_[peer];
    if (!since || now_ns_ - *since < 3 * options_.silence_ns) {
        return;
    }
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        const PeerInputs& source = sources_[peer];
        if (is_self(other) || links_[other].suspect || !source.froze[other] ||
            source.asked[other].value_or(0) <= source.log.end()) {
            continue;
        }
        if (source.keeps_later[other]) {
            parted_at_ = std::min(parted_at_, source.log.end());
        } else {
            refuse(other, "it has inputs of another peer, and does not send them");
            links_[other].refused = kMostRefused + 1;
        }
    }
}

// The first tick without an input of `peer`, where all that there are have come together here.
std::optional<std::uint64_t> Peer::Core::agreed_end(std::uint32_t peer) const {
    const PeerInputs& source = sources_[peer];
    if (lacks(peer)) {
        return std::nullopt;
    }
    std::uint64_t end = source.log.end();
    const std::int64_t waited = now_ns_ - std::max(*dropping_since_[peer], promised_ns_);
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        if (other == peer || !follows(other)) {
            continue;
        }
        if (!source.froze[other]) {  // one without a vote may not have heard who asks
            if (waited <= (members_.is_active(other) ? 1 : 2) * options_.silence_ns) {
                return std::nullopt;
            }
            continue;
        }
        end = std::max(end, source.asked[other].value_or(0));
    }
    return end == source.log.end() ? std::optional(end) : std::nullopt;
}

// Parts of a torn network must not both go on: it takes more than half of those who take part, or
// half and the lowest. Who leaves on purpose does not count. A life that is known to be over cannot
// go on elsewhere: where all others are here, only those can that they admitted before.
bool Peer::Core::is_quorum(std::uint64_t peers, bool by_restarts) const {
    std::uint32_t all = 0;
    std::uint32_t here = 0;
    std::uint32_t over = 0;
    bool has_lowest = false;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (!members_.is_active(peer)) {
            continue;
        }
        const Link& link = links_[peer];
        const bool is_met = is_self(peer) || link.life == members_.life(peer);
        if (is_met && !is_self(peer) && has_left(peer)) {
            continue;
        }
        const bool is_over = is_self(peer) ? members_.life(peer) != options_.incarnation
                                           : is_met && is_surely_over(link);
        const bool is_here = is_met && !is_over && !link.restarted && !link.says_dropped &&
                             (peers >> peer & 1U) != 0;
        has_lowest = all == 0 ? is_here : has_lowest;
        ++all;
        here += is_here ? 1U : 0U;
        over += is_over ? 1U : 0U;
    }
    return here * 2 > all || (here * 2 == all && has_lowest) ||
           (by_restarts && here > 0 && here + over == all && !may_go_on_elsewhere());
}

bool Peer::Core::has_quorum() const {
    return is_quorum(which([this](std::uint32_t peer) { return !links_[peer].suspect; }));
}

// A newer life of it is heard, and for so long that others who are there would be heard, too.
bool Peer::Core::is_surely_over(const Link& link) const {
    return link.restarted && now_ns_ - *link.restarted > options_.silence_ns;
}

// Whether somebody who takes no part, as far as is known here, may have been admitted by members
// that have restarted since, and be further.
bool Peer::Core::may_go_on_elsewhere() const {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        const bool is_further =
            link.says_dropped || (link.takes_part && link.synced && link.tick > tick_);
        if (link.decisions > decisions() ||
            (!is_self(peer) && !members_.is_active(peer) &&
             (link.heard ? is_further : has_players(peer) && !members_.was_ever_active(peer)))) {
            return true;
        }
    }
    return false;
}

// Whether this peer can never go on, and has to come back as a new life: it is the decider of a
// majority, but lacks inputs that count, and nobody that it hears has them.
bool Peer::Core::is_lost() const {
    if (now_ns_ - moved_ns_ <= 2 * options_.silence_ns || !is_self(decider()) || !has_quorum()) {
        return false;
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const PeerInputs& source = sources_[peer];
        const bool anybody_has = std::ranges::any_of(
            source.asked, [&](const auto& has) { return has.value_or(0) > source.log.end(); });
        if (lacks(peer) && !anybody_has) {
            return true;
        }
    }
    return false;
}

// Whether the others go on without this peer: as all agreed, as more than half of them say, or as
// somebody says, who may only watch, where it could not go on by itself.
bool Peer::Core::is_dropped() const {
    std::uint32_t others = 0;
    std::uint32_t against = 0;
    bool is_told = false;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        is_told = is_told || link.says_dropped;
        if (!is_self(peer) && members_.is_active(peer) && (!link.suspect || link.says_dropped)) {
            ++others;
            against += link.says_dropped ? 1 : 0;
        }
    }
    return (is_member_ && !takes_part()) || parted_at_ != Membership::kNever || is_lost() ||
           against * 2 > others || (is_told && (leaving_ || !takes_part() || !has_quorum()));
}

}  // namespace isotick::harness
