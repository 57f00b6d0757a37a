// Peers that go: how the others agree on the tick from which one counts as absent.
//
// One peer decides: the lowest that takes part and is heard. It asks all others to take nothing
// more from the one that goes, and learns what each has of its inputs, and those that it lacks
// itself. The first tick that nobody has an input for is the first without it. The decision stands
// in the decider's own inputs, without which nobody gets that far, and so comes to all in time.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

std::uint32_t Peer::Core::decider() const {
    std::uint32_t peer = 0;
    while (peer < options_.peers &&
           !(is_self(peer) ? takes_part() : members_.is_active(peer) && !links_[peer].suspect)) {
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
        return lacks(source);
    }
    return sources_[source].frozen || lacks(source) ||
           (members_.is_active(source) && links_[source].suspect);
}

// Whether the one that should help with its inputs cannot: the peer that decides is this one, or
// the very one that was gone for a time.
bool Peer::Core::asks_all_about(std::uint32_t source) const {
    return is_self(decider()) || decider() == source;
}

void Peer::Core::look_for_silence() {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        Link& link = links_[peer];
        const bool silent = now_ns_ - link.last_heard_ns > options_.silence_ns;
        const bool active = members_.is_active(peer);
        link.suspect = !is_self(peer) &&
                       (link.leaving || link.restarted || silent || link.refused > kMostRefused);
        if (silent && !active && !is_self(peer)) {
            link.heard = false;  // a joiner or spectator: nobody waits for it
            link.synced = false;
            link.ready = false;
            link.snapshot.reset();
        }
    }
    if (is_self(decider())) {
        begin_drops();
    } else {
        stop_deciding();
    }
}

// Of those that are not heard; where one of them is heard again, all begin anew without it.
void Peer::Core::begin_drops() {
    bool is_back = false;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (dropping_since_[peer] && !links_[peer].suspect) {
            dropping_since_[peer].reset();
            release(peer);
            is_back = true;
        }
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const bool goes = members_.is_active(peer) && links_[peer].suspect;
        if (goes && !is_decided(peer) && (!dropping_since_[peer] || is_back)) {
            dropping_since_[peer] = now_ns_;
            sources_[peer].frozen = true;
        }
    }
}

// It is not dropped after all.
void Peer::Core::release(std::uint32_t peer) {
    sources_[peer].frozen = dropping_since_[peer].has_value();
    sources_[peer].promised_to.reset();
}

// A lower peer is heard again: what this one has not announced yet is not for it to decide. Those
// that it asked to take nothing from a third are told.
void Peer::Core::stop_deciding() {
    changes_.clear();
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (dropping_since_[peer]) {
            dropping_since_[peer].reset();
            release(peer);
        }
    }
}

bool Peer::Core::is_decided(std::uint32_t peer) const {
    return std::ranges::any_of(changes_,
                               [peer](const MemberChange& change) { return change.peer == peer; });
}

// All at once: whoever goes is not asked about the others that go, and has to hear with their ends
// that it is out itself.
void Peer::Core::decide_drops() {
    const bool is_there = is_running() || state_ == PeerState::finished;  // others may still come
    if (!is_there || !is_self(decider())) {
        return;
    }
    std::vector<MemberChange> ends;
    bool all = true;
    bool unasked = false;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (!dropping_since_[peer] || is_decided(peer)) {
            continue;
        }
        const bool leaving = links_[peer].leaving;
        const bool due = leaving || now_ns_ - *dropping_since_[peer] >= options_.silence_ns / 4;
        const auto end = due ? agreed_end(peer) : std::nullopt;
        if (end) {
            ends.push_back({peer, false, members_.life(peer), *end});
        } else {
            refuse_empty_claims(peer);
        }
        all = all && end;
        unasked = unasked || !leaving;
    }
    if (!all || ends.empty()) {
        return;
    }
    if (unasked && !has_quorum()) {
        return;
    }
    changes_.insert(changes_.end(), ends.begin(), ends.end());
}

// Who says to have inputs of the one that goes has to hand them over.
void Peer::Core::refuse_empty_claims(std::uint32_t peer) {
    const auto& since = dropping_since_[peer];
    if (!since || now_ns_ - *since < 3 * options_.silence_ns) {
        return;
    }
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        const PeerInputs& source = sources_[peer];
        if (!is_self(other) && !links_[other].suspect && source.froze[other] &&
            source.asked[other].value_or(0) > source.log.end()) {
            refuse(other, "it has inputs of another peer, and does not send them");
            links_[other].refused = kMostRefused + 1;
        }
    }
}

// The first tick without an input of `peer`, where all that there are have come together here.
std::optional<std::uint64_t> Peer::Core::agreed_end(std::uint32_t peer) const {
    const PeerInputs& source = sources_[peer];
    std::uint64_t end = source.log.end();
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        if (other == peer || !follows(other)) {
            continue;
        }
        if (!source.froze[other]) {
            return std::nullopt;
        }
        end = std::max(end, source.asked[other].value_or(0));
    }
    return end == source.log.end() ? std::optional(end) : std::nullopt;
}

// Parts of a torn network must not both go on: it takes more than half of those who take part, or
// half and the lowest. Who leaves on purpose does not count. A life that is known to be over cannot
// go on elsewhere: where all others are here, only those can that they admitted before.
bool Peer::Core::has_quorum() const {
    std::uint32_t all = 0;
    std::uint32_t here = 0;
    std::uint32_t over = 0;
    bool has_lowest = false;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!members_.is_active(peer) || link.leaving) {
            continue;
        }
        const bool is_over = is_self(peer) ? !takes_part() : link.restarted;
        const bool is_here = !is_over && !link.suspect && !link.says_dropped;
        has_lowest = all == 0 ? is_here : has_lowest;
        ++all;
        here += is_here ? 1U : 0U;
        over += is_over ? 1U : 0U;
    }
    return here * 2 > all || (here * 2 == all && has_lowest) ||
           (here > 0 && here + over == all && !may_go_on_elsewhere());
}

// Whether somebody who takes no part, as far as is known here, may have been admitted by members
// that have restarted since, and be further.
bool Peer::Core::may_go_on_elsewhere() const {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        const bool is_further = link.says_dropped || (link.synced && link.tick > tick_);
        if (!is_self(peer) && has_players(peer) && !members_.is_active(peer) &&
            (link.heard ? is_further : !members_.was_ever_active(peer))) {
            return true;
        }
    }
    return false;
}

// Whether the others go on without this peer: as all agreed, as more than half of them say, or as
// some say where it could not go on without those.
bool Peer::Core::is_dropped() const {
    std::uint32_t others = 0;
    std::uint32_t against = 0;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!is_self(peer) && members_.is_active(peer) && (!link.suspect || link.says_dropped)) {
            ++others;
            against += link.says_dropped ? 1 : 0;
        }
    }
    return (is_member_ && !takes_part()) || parted_at_ != Membership::kNever ||
           against * 2 > others || (against > 0 && (leaving_ || !has_quorum()));
}

}  // namespace isotick::harness
