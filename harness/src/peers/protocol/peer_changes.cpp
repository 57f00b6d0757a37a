// Changes of membership. Each stands in an entry of the decider's inputs, and counts once a quorum
// of those who take part has accepted that entry.
//
// To accept an entry is to vote for it. A peer does so only if it has exactly the inputs that count
// of the peer that is dropped, and it takes no more of them from then on. So no quorum accepts two
// entries that contradict each other. If the decider is dropped before everybody knows what was
// agreed, the next one collects its entries from those who voted. They count if they stand before
// the tick at which the decider is dropped.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

// Whether an entry for `tick` may hold it. Nobody comes at once.
bool Peer::Core::makes_sense(const MemberChange& change, std::uint64_t tick) const {
    constexpr std::uint64_t kMostNotice = 512;
    return !change.joins || !members_.fits(change) ||
           (has_players(change.peer) && change.tick > tick && change.tick - tick <= kMostNotice);
}

// Whether this peer votes for all of them. It must have exactly the inputs that count of those who
// are dropped. A peer that is dropped itself may have more, but no decision of a higher ballot
// among them. A peer without a vote takes what comes.
bool Peer::Core::votes_for(std::span<const MemberChange> changes) const {
    const bool goes = std::ranges::any_of(changes, [this](const MemberChange& change) {
        return is_self(change.peer) && !change.joins && members_.fits(change);
    });
    return !takes_part() || std::ranges::all_of(changes, [&](const MemberChange& change) {
        const PeerInputs& source = sources_[change.peer];
        if (change.joins || !members_.fits(change)) {
            return change.joins || !members_.is_early(change);
        }
        return goes ? std::ranges::all_of(source.pending,
                                          [&](const PendingChange& pending) {
                                              return pending.entry < change.tick ||
                                                     pending.change.ballot < change.ballot;
                                          })
                    : source.log.end() == change.tick;
    });
}

void Peer::Core::remember(std::uint32_t source, std::uint64_t entry,
                          std::span<const MemberChange> changes) {
    for (const MemberChange& change : changes) {
        sources_[source].pending.push_back({entry, change});
        if (!change.joins && members_.fits(change)) {
            sources_[change.peer].frozen = true;
        }
    }
}

// The tick from which it takes part no more if what stands in an entry is agreed on: kNever where
// no entry says so, or only such of a lower ballot.
std::uint64_t Peer::Core::pending_end(std::uint32_t peer, std::uint64_t ballot) const {
    std::uint64_t end = Membership::kNever;
    for (const PeerInputs& source : sources_) {
        for (const auto& [entry, change] : source.pending) {
            const bool ends = change.peer == peer && !change.joins && change.ballot >= ballot &&
                              members_.fits(change);
            end = ends ? std::min(end, change.tick) : end;
        }
    }
    return end;
}

bool Peer::Core::any_pending() const {
    return std::ranges::any_of(sources_,
                               [](const PeerInputs& source) { return !source.pending.empty(); });
}

// Who takes part if all is agreed on that stands in entries of others; none where nothing does.
std::optional<Membership> Peer::Core::expected_members() const {
    std::optional<Membership> members;
    bool again = true;
    while (again) {  // one may wait for another
        again = false;
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            if (is_self(peer) || sources_[peer].pending.empty()) {
                continue;
            }
            members = members ? std::move(members) : std::optional(members_);
            for (const PendingChange& pending : sources_[peer].pending) {
                again = members->apply(pending.change) || again;
            }
        }
    }
    return members;
}

std::uint64_t Peer::Core::changes_known() const {
    std::uint64_t changes = members_.changes();
    for (const PeerInputs& source : sources_) {
        changes += source.pending.size();
    }
    return changes;
}

// Whether it counts no more: it said good-bye, and had not voted for anything that is not known
// here.
bool Peer::Core::has_left(std::uint32_t peer) const {
    return links_[peer].left.has_value() && *links_[peer].left <= changes_known();
}

// Nobody runs a tick of which it is not known who takes part in it.
std::uint64_t Peer::Core::first_pending_join() const {
    std::uint64_t first = Membership::kNever;
    for (const PeerInputs& source : sources_) {
        for (const PendingChange& pending : source.pending) {
            first = pending.change.joins ? std::min(first, pending.change.tick) : first;
        }
    }
    return first;
}

void Peer::Core::apply_agreed() {
    bool again = true;
    while (again) {
        again = false;
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            again = apply_next(peer) || again;
        }
    }
}

// False where there is none, or it is not known yet whether it counts, or another one comes first.
bool Peer::Core::apply_next(std::uint32_t from) {
    PeerInputs& source = sources_[from];
    if (source.pending.empty()) {
        return false;
    }
    const auto [entry, change] = source.pending.front();
    const Presence* const until = members_.next(from, entry);
    const bool counts = until != nullptr && until->from <= entry;
    if (counts && until->until == Membership::kNever) {
        if (is_self(from) && quorum_has(entry)) {
            source.agreed_until = entry + 1;
        }
        if (entry >= source.agreed_until) {
            return false;
        }
    }
    if (counts && members_.is_early(change)) {
        return false;
    }
    source.pending.erase(source.pending.begin());
    if (counts) {
        source.agreed_until = std::max(source.agreed_until, entry + 1);
        told_until_ = std::max(told_until_, change.tick);
        apply(change);
    } else if (!change.joins && members_.is_active(change.peer) &&
               !sources_[change.peer].promised_to) {
        release(change.peer);  // who decided that was gone itself
    }
    return true;
}

void Peer::Core::apply(const MemberChange& change) {
    if (!members_.apply(change)) {
        return;
    }
    PeerInputs& source = sources_[change.peer];
    source.frozen = !change.joins;
    source.promised_to.reset();
    if (!change.joins && !is_self(change.peer) && change.tick < std::min(source.log.end(), tick_)) {
        parted_at_ = std::min(parted_at_, change.tick);
    }
    if (!change.joins) {
        dropping_since_[change.peer].reset();
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            if (sources_[peer].promised_to == change.peer) {
                release(peer);
            }
        }
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

}  // namespace isotick::harness
