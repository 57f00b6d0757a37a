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
           !(members_.is_active(peer) && (is_self(peer) || !links_[peer].suspect))) {
        ++peer;
    }
    return peer;
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
    if (!is_self(decider())) {
        return stop_deciding();
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const bool goes = members_.is_active(peer) && !is_self(peer) &&
                          (links_[peer].suspect || sources_[peer].frozen);
        if (goes && !dropping_since_[peer] && !is_decided(peer)) {
            dropping_since_[peer] = now_ns_;
            sources_[peer].frozen = true;
            sources_[peer].froze.assign(options_.peers, false);  // they are asked anew
        }
    }
}

// A lower peer is heard again: what this one has not announced yet is not for it to decide. It
// may have promised that one to take nothing from a third, and keeps to it until it is told.
void Peer::Core::stop_deciding() {
    const std::uint32_t now_decides = decider();
    if (now_decides < options_.peers && (dropping_since_[now_decides] || is_decided(now_decides))) {
        sources_[now_decides].frozen = false;
    }
    dropping_since_.assign(options_.peers, std::nullopt);
    changes_.clear();
}

bool Peer::Core::is_decided(std::uint32_t peer) const {
    return std::ranges::any_of(changes_,
                               [peer](const MemberChange& change) { return change.peer == peer; });
}

// All at once: whoever goes is not asked about the others that go, and has to hear with their ends
// that it is out itself.
void Peer::Core::decide_drops() {
    if (state_ != PeerState::running || !is_self(decider())) {
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
            ends.push_back({peer, false, *end});
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
        state_ = PeerState::alone;
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
        const Source& source = sources_[peer];
        if (!is_self(other) && !links_[other].suspect && source.froze[other] &&
            source.asked[other].value_or(0) > source.log.end()) {
            refuse(other, "it has inputs of another peer, and does not send them");
            links_[other].refused = kMostRefused + 1;
        }
    }
}

// The first tick without an input of `peer`, where all that there are have come together here.
std::optional<std::uint64_t> Peer::Core::agreed_end(std::uint32_t peer) const {
    const Source& source = sources_[peer];
    std::uint64_t end = source.log.end();
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        const Link& link = links_[other];
        const bool has_state = link.synced || members_.is_active(other);
        if (other == peer || is_self(other) || !has_state || link.suspect) {
            continue;
        }
        if (!source.froze[other]) {
            return std::nullopt;
        }
        end = std::max(end, source.asked[other].value_or(0));
    }
    return end == source.log.end() ? std::optional(end) : std::nullopt;
}

// Two halves of a torn network must not both go on. Who leaves on purpose does not count.
bool Peer::Core::has_quorum() const {
    std::uint32_t all = 0;
    std::uint32_t here = 0;
    std::uint32_t lowest = options_.peers;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (!members_.is_active(peer) || links_[peer].leaving) {
            continue;
        }
        lowest = std::min(lowest, peer);
        ++all;
        here += is_self(peer) || !links_[peer].suspect ? 1U : 0U;
    }
    return here * 2 > all || (here * 2 == all && is_self(lowest));
}

}  // namespace isotick::harness
