// Who takes part: changes that a majority votes for, and peers that are dropped.

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

std::uint64_t Membership::changes() const {
    std::uint64_t changes = 0;
    for (const auto& spans : spans_) {
        for (const Presence& span : spans) {
            changes += span.until == kNever ? 1 : 2;
        }
    }
    return changes;
}

std::vector<MemberChange> Membership::history() const {
    std::vector<MemberChange> changes;
    for (std::uint32_t peer = 0; peer < spans_.size(); ++peer) {
        for (std::size_t i = 0; i < spans_[peer].size(); ++i) {
            const Presence& span = spans_[peer][i];
            changes.push_back({peer, true, lives_[peer][i], span.from, 0});
            if (span.until != kNever) {
                changes.push_back({peer, false, lives_[peer][i], span.until, 0});
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

// Changes of membership. Each stands in an entry of the decider's inputs, and counts once a quorum
// of those who take part has accepted that entry.
//
// To accept an entry is to vote for it. A peer does so only if it has exactly the inputs that count
// of the peer that is dropped, and it takes no more of them from then on. So no quorum accepts two
// entries that contradict each other. If the decider is dropped before everybody knows what was
// agreed, the next one collects its entries from those who voted. They count if they stand before
// the tick at which the decider is dropped.

// Whether an entry for `tick` may hold it. Nobody comes at once.
bool Peer::Core::makes_sense(const MemberChange& change, std::uint64_t tick) const {
    constexpr std::uint64_t kMostNotice = 512;
    return !change.joins || !members_.fits(change) ||
           (has_players(change.peer) && change.tick > tick && change.tick - tick <= kMostNotice);
}

// Whether this peer votes for all of them. It must have exactly the inputs that count of those who
// are dropped. A peer that is dropped itself may have more, but no decision of a higher ballot
// among them. A peer that has finished stands by that. A peer without a vote takes what comes.
bool Peer::Core::votes_for(std::span<const MemberChange> changes) const {
    const bool goes = std::ranges::any_of(changes, [this](const MemberChange& change) {
        return is_self(change.peer) && !change.joins && members_.fits(change);
    });
    return !takes_part() || std::ranges::all_of(changes, [&](const MemberChange& change) {
        const PeerInputs& source = sources_[change.peer];
        if (change.joins || !members_.fits(change)) {
            return change.joins || !members_.is_early(change);
        }
        if (state_ == PeerState::finished && change.tick < options_.ticks) {
            return false;
        }
        return goes ? std::ranges::all_of(source.pending,
                                          [&](const PendingChange& pending) {
                                              return pending.entry < change.tick ||
                                                     pending.change.ballot < change.ballot;
                                          })
                    : source.log.end() == change.tick;
    });
}

// Whether a later entry in the same packet supersedes `change`, for which this peer does not vote,
// by a drop for which it does.
bool Peer::Core::votes_again(std::uint32_t from, const MemberChange& change,
                             const Offered& offered) const {
    std::uint64_t at = offered.first;
    bool found = false;
    const auto look = [&](std::uint64_t count, std::span<const std::byte> entry) {
        at += count;
        const auto changes = changes_in(entry, sources_[from].columns.size(), options_.peers);
        found =
            found ||
            (changes && at > sources_[from].log.end() + 1 &&
             std::ranges::any_of(
                 *changes, [&](const MemberChange& other) { return other.supersedes(change); }) &&
             votes_for(*changes));
        return at <= kLastTick;
    };
    return each_run(offered.runs, look) && found;
}

// Called while this peer collects the inputs of `from`, which is being dropped. It must accept the
// entries that others voted for, since they may have been agreed on. Discards inputs that `changes`
// rule out, unless a tick has run with them. Returns whether this peer can now vote for `changes`.
bool Peer::Core::yields_to(std::uint32_t from, std::span<const MemberChange> changes) {
    const auto ends = [this](const MemberChange& change) {
        return !change.joins && members_.fits(change) &&
               sources_[change.peer].log.end() > change.tick;
    };
    if (!dropping_since_[from] || std::ranges::any_of(changes, [this](const MemberChange& change) {
            return is_self(change.peer) && !change.joins;
        })) {
        return false;
    }
    for (const MemberChange& change : changes) {
        if (ends(change) &&
            (tick_ > change.tick || sources_[change.peer].log.begin() > change.tick)) {
            sources_[from].contradicted = change.tick;
            return false;
        }
    }
    for (const MemberChange& change : changes) {
        if (ends(change)) {
            sources_[change.peer].log.cut(change.tick);
        }
    }
    return votes_for(changes);
}

void Peer::Core::remember(std::uint32_t source, std::uint64_t entry,
                          std::span<const MemberChange> changes) {
    for (const MemberChange& change : changes) {
        std::erase_if(sources_[source].pending, [&](const PendingChange& pending) {
            return change.supersedes(pending.change);
        });
        sources_[source].pending.push_back({entry, change});
        if (!change.joins && members_.fits(change)) {
            sources_[change.peer].frozen = true;
        }
    }
}

// The tick from which it takes part no more if what stands in an entry is agreed on: kNever where
// no entry says so, or only drops that have a lower ballot or are withdrawn.
std::uint64_t Peer::Core::pending_end(std::uint32_t peer, std::uint64_t ballot) const {
    std::uint64_t end = Membership::kNever;
    for (const PeerInputs& source : sources_) {
        for (const auto& [entry, change, withheld] : source.pending) {
            const bool ends = change.peer == peer && !change.joins && change.ballot >= ballot &&
                              !withheld && members_.fits(change);
            end = ends ? std::min(end, change.tick) : end;
        }
    }
    return end;
}

// The first tick for which its inputs do not count yet, though they may be here.
std::uint64_t Peer::Core::withheld_from(std::uint32_t peer) const {
    std::uint64_t first = Membership::kNever;
    for (const PeerInputs& source : sources_) {
        for (const auto& [entry, change, withheld] : source.pending) {
            const bool holds = withheld && change.peer == peer && members_.fits(change);
            first = holds ? std::min(first, *withheld) : first;
        }
    }
    return first;
}

// Whether its inputs are withheld because this peer withdrew its own decision.
bool Peer::Core::has_withdrawn(std::uint32_t peer) const {
    return std::ranges::any_of(own().pending, [&](const PendingChange& pending) {
        return pending.withheld_from && pending.change.peer == peer &&
               members_.fits(pending.change);
    });
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
    const auto& left = links_[peer].left;
    return left && left->changes <= changes_known() && (has_all_ || !left->has_all);
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

// False where there is none, or it is not known yet whether it counts. One that waits for a change
// in an entry of somebody else does not keep back those behind it, which that one may wait for.
bool Peer::Core::apply_next(std::uint32_t from) {
    PeerInputs& source = sources_[from];
    for (auto next = source.pending.begin(); next != source.pending.end(); ++next) {
        const auto [entry, change, withheld] = *next;
        const Presence* const until = members_.next(from, entry);
        const bool counts = until != nullptr && until->from <= entry;
        if (counts && until->until == Membership::kNever) {
            if (is_self(from) && entry >= source.agreed_until && quorum_has(entry)) {
                statistics_.without_majority += quorum_has(entry, false) ? 0U : 1U;
                source.agreed_until = entry + 1;
            }
            if (entry >= source.agreed_until) {
                return false;
            }
        }
        if (counts && members_.is_early(change)) {
            continue;
        }
        const std::uint64_t known_to_count =
            counts && until->until != Membership::kNever ? until->until : source.agreed_until;
        if (counts && !change.joins && source.log.end() < known_to_count) {
            return false;  // a later entry may supersede it
        }
        const std::uint64_t used =
            std::min(sources_[change.peer].log.end(), withheld_from(change.peer));
        source.pending.erase(next);
        if (counts) {
            source.agreed_until = std::max(source.agreed_until, entry + 1);
            told_until_ = std::max(told_until_, change.tick);
            apply(change, used);
        } else if (!change.joins && members_.is_active(change.peer) &&
                   !sources_[change.peer].promised_to) {
            release(change.peer);  // who decided that was gone itself
        }
        return true;
    }
    return false;
}

// `used`: the end of the changed peer's inputs with which this peer may have run ticks.
void Peer::Core::apply(const MemberChange& change, std::uint64_t used) {
    PeerInputs& source = sources_[change.peer];
    if (!members_.apply(change)) {
        return;
    }
    source.frozen = !change.joins;
    source.promised_to.reset();
    if (!change.joins && !is_self(change.peer) && change.tick < std::min(used, tick_)) {
        parted_at_ = std::min(parted_at_, change.tick);
    }
    if (!change.joins) {
        if (!is_self(change.peer) && source.log.begin() <= change.tick &&
            change.tick < source.log.end()) {
            source.log.cut(change.tick);
        }
        dropping_since_[change.peer].reset();
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            if (sources_[peer].promised_to == change.peer) {
                release(peer);
            }
            if (sources_[peer].gave_up_on == change.peer) {
                sources_[peer].gave_up_on.reset();
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

// Peers that go: how the others agree on the tick from which one counts as absent.
//
// One peer decides: the lowest that takes part and is heard. It asks all others to take nothing
// more from the one that goes, and learns what each has of its inputs, and those that it lacks
// itself. The first tick that nobody has an input for is the first without it. That stands in the
// decider's own inputs; above is how it is voted on.
//
// As in Paxos (Lamport, "The Part-Time Parliament"), each question has a ballot, answers to an
// earlier one do not count, and what was voted for before is among what is collected.

std::uint32_t Peer::Core::decider(const Membership& members) const {
    std::uint32_t peer = 0;
    while (
        peer < options_.peers &&
        (is_ending(peer) || !(is_self(peer) ? takes_part(members)
                                            : members.is_active(peer) && !links_[peer].suspect))) {
        ++peer;
    }
    return peer;
}

// Where it was admitted in an entry that was agreed on, but that is not known here.
bool Peer::Core::may_decide(std::uint32_t peer) const {
    const auto expected = expected_members();
    return peer == decider() || (expected && peer == decider(*expected));
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
    return sources_[source].frozen || lacks(source) ||
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
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const auto to = sources_[peer].promised_to;
        if (to && may_forget(links_[*to])) {
            release(peer);
            sources_[peer].gave_up_on = to;
        }
    }
    for (PendingChange& pending : own().pending) {
        if (outvoted(pending)) {
            withdraw(pending);
        }
    }
    withdraw_with_others();
    if (is_self(decider())) {
        begin_drops();
    } else {
        stop_deciding();
    }
}

// Once one own drop is withdrawn, withdraws all others: an entry is voted for or refused as a
// whole, and later entries wait for it.
void Peer::Core::withdraw_with_others() {
    std::vector<PendingChange>& all = own().pending;
    const bool any = std::ranges::any_of(
        all, [](const PendingChange& pending) { return pending.withheld_from.has_value(); });
    for (PendingChange& pending : all) {
        if (any && !pending.withheld_from && !pending.change.joins &&
            members_.fits(pending.change)) {
            withdraw(pending);
        }
    }
}

void Peer::Core::withdraw(PendingChange& pending) const {
    const MemberChange& change = pending.change;
    pending.withheld_from = std::max(change.tick, sources_[change.peer].log.end());
}

// Whether this peer, since it decided that drop, has voted in a later ballot and so taken inputs of
// the dropped peer from the drop's tick on.
bool Peer::Core::outvoted(const PendingChange& decided) const {
    const auto& [entry, change, withheld] = decided;
    return !withheld && !change.joins && entry >= own().agreed_until && members_.fits(change) &&
           sources_[change.peer].log.end() > change.tick;
}

// Whether what was promised to it binds no more. It does not count this peer's promise after so
// long a silence; who has no vote promises nothing.
bool Peer::Core::may_forget(const Link& link) const {
    return (link.suspect && !takes_part()) || is_surely_over(link) ||
           now_ns_ - link.last_heard_ns > 2 * options_.silence_ns;
}

// Of those that are not heard; where one of them is heard again, all begin anew without it. What
// others promised before that, or to somebody else since, does not count.
void Peer::Core::begin_drops() {
    bool is_back = false;
    bool begins = withdraw_drops();
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (dropping_since_[peer] && !links_[peer].suspect && !is_ending(peer)) {
            changes_.clear();
            keep(peer);
            is_back = true;
        }
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const bool is_gone = links_[peer].suspect || has_withdrawn(peer);
        const bool goes = members_.is_active(peer) && is_gone && !is_decided(peer);
        const auto to = sources_[peer].promised_to;
        const bool is_promised = to && !links_[*to].suspect;
        if (goes && !is_promised && (!dropping_since_[peer] || is_back)) {
            dropping_since_[peer] = now_ns_;
            sources_[peer].frozen = true;
            sources_[peer].contradicted.reset();
            begins = true;
        }
        begins = begins || (goes && dropping_since_[peer] && ballot_ < promised_);
    }
    if (begins) {
        promised_ = ballot_ = (promised_ / kMostPeers + 1) * kMostPeers + options_.self;
        for (PeerInputs& source : sources_) {
            source.froze.assign(options_.peers, false);
        }
    }
}

// Withdraws own drops for which no majority can vote because somebody has more inputs; this peer
// then asks again. Returns whether it withdrew any.
bool Peer::Core::withdraw_drops() {
    bool any = false;
    for (PendingChange& pending : own().pending) {
        const MemberChange& change = pending.change;
        if (change.joins || pending.withheld_from || pending.entry < own().agreed_until ||
            !members_.fits(change)) {
            continue;
        }
        const auto refuses = [&](std::uint32_t other) {
            return links_[other].acked <= pending.entry && !is_ending(other) &&
                   sources_[change.peer].asked[other].value_or(0) > change.tick;
        };
        const bool can_win = is_quorum([&](std::uint32_t other) {
            return is_self(other) || (!links_[other].suspect && !refuses(other));
        });
        const auto to = sources_[change.peer].promised_to;
        if (has_quorum() && !can_win && !(to && !links_[*to].suspect)) {
            withdraw(pending);
            any = true;
            dropping_since_[change.peer] = now_ns_;
        }
    }
    withdraw_with_others();
    return any;
}

// This peer does not drop it after all.
void Peer::Core::keep(std::uint32_t peer) {
    dropping_since_[peer].reset();
    sources_[peer].frozen = sources_[peer].promised_to || is_ending(peer);
}

// Nobody else does whom this peer promised something.
void Peer::Core::release(std::uint32_t peer) {
    sources_[peer].promised_to.reset();
    sources_[peer].frozen = dropping_since_[peer] || is_ending(peer);
}

// A lower peer is heard again: what this one has not announced yet is not for it to decide. Those
// that it asked to take nothing from a third are told.
void Peer::Core::stop_deciding() {
    changes_.clear();
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (dropping_since_[peer] && !is_ending(peer)) {
            keep(peer);
        }
    }
}

bool Peer::Core::is_decided(std::uint32_t peer) const {
    const bool is_open = has_withdrawn(peer);
    return (is_ending(peer) && !is_open) ||
           std::ranges::any_of(changes_,
                               [peer](const MemberChange& change) { return change.peer == peer; });
}

// All at once: whoever goes is not asked about the others that go, and has to hear with their ends
// that it is out itself.
void Peer::Core::decide_drops() {
    const bool is_there = is_running() || state_ == PeerState::finished;  // others may still come
    const bool waits = std::ranges::any_of(
        own().pending, [](const PendingChange& pending) { return !pending.withheld_from; });
    if (!is_there || !is_self(decider()) || !has_quorum() || waits) {
        return;
    }
    std::vector<MemberChange> ends;
    bool all = true;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (!dropping_since_[peer] || is_decided(peer)) {
            continue;
        }
        const bool due =
            links_[peer].left || now_ns_ - *dropping_since_[peer] >= options_.silence_ns / 4;
        const auto end = due ? agreed_end(peer) : std::nullopt;
        if (end) {
            ends.push_back({peer, false, members_.life(peer), *end, ballot_});
        } else {
            refuse_empty_claims(peer);
        }
        all = all && end;
    }
    if (all) {
        changes_.insert(changes_.end(), ends.begin(), ends.end());
    }
}

// Who says to have inputs of the one that goes has to hand them over.
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
        if (source.contradicted && members_.is_active(other)) {
            parted_at_ =
                std::min(parted_at_, *source.contradicted);  // others may have agreed on that drop
        } else if (!source.contradicted) {
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
    const bool has_waited =
        dropping_since_[peer] && now_ns_ - *dropping_since_[peer] > 2 * options_.silence_ns;
    for (std::uint32_t other = 0; other < options_.peers; ++other) {
        if (other == peer || !follows(other)) {
            continue;
        }
        if (!source.froze[other]) {
            if (members_.is_active(other) || !has_waited) {
                return std::nullopt;
            }
            continue;  // it has no vote, and may have missed who decides
        }
        if (source.contradicted && !members_.is_active(other)) {
            continue;  // it has no vote, so its inputs prove no agreement
        }
        end = std::max(end, source.asked[other].value_or(0));
    }
    return end == source.log.end() ? std::optional(end) : std::nullopt;
}

// Parts of a torn network must not both go on: it takes more than half of those who take part, or
// half and the lowest. Who leaves on purpose does not count. A life that is known to be over cannot
// go on elsewhere: where all others are here, only those can that they admitted before.
// What stands in entries of others, and may be agreed on already, counts both ways.
template <class Counts>
bool Peer::Core::is_quorum(const Counts& counts, bool by_restarts) const {
    const auto expected = expected_members();
    return is_quorum_of(members_, counts, by_restarts) &&
           (!expected || is_quorum_of(*expected, counts, by_restarts));
}

template <class Counts>
bool Peer::Core::is_quorum_of(const Membership& members, const Counts& counts,
                              bool by_restarts) const {
    std::uint32_t all = 0;
    std::uint32_t here = 0;
    std::uint32_t over = 0;
    bool has_lowest = false;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (!members.is_active(peer)) {
            continue;
        }
        const Link& link = links_[peer];
        const bool is_met = is_self(peer) || link.life == members.life(peer);
        if (is_met && !is_self(peer) && has_left(peer)) {
            continue;
        }
        const bool is_over = is_self(peer) ? members.life(peer) != options_.incarnation
                                           : is_met && is_surely_over(link);
        const bool is_here =
            is_met && !is_over && !link.restarted && !link.says_dropped && counts(peer);
        has_lowest = all == 0 ? is_here : has_lowest;
        ++all;
        here += is_here ? 1U : 0U;
        over += is_over ? 1U : 0U;
    }
    return here * 2 > all || (here * 2 == all && has_lowest) ||
           (by_restarts && here > 0 && here + over == all && !may_go_on_elsewhere());
}

bool Peer::Core::has_quorum() const {
    return is_quorum([this](std::uint32_t peer) { return !links_[peer].suspect; });
}

// A newer life of it is heard, and for so long that others who are there would be heard, too.
bool Peer::Core::is_surely_over(const Link& link) const {
    return link.restarted && now_ns_ - *link.restarted > options_.silence_ns;
}

// Whether enough of them have this peer's entry for that tick.
bool Peer::Core::quorum_has(std::uint64_t entry, bool by_restarts) const {
    return is_quorum(
        [&](std::uint32_t peer) { return is_self(peer) || links_[peer].acked > entry; },
        by_restarts);
}

// Whether enough of them say that they have all ticks.
bool Peer::Core::quorum_has_all(bool by_restarts) const {
    return is_quorum(
        [&](std::uint32_t peer) { return is_self(peer) ? has_all_ : links_[peer].finished; },
        by_restarts);
}

// Whether somebody who takes no part, as far as is known here, may have been admitted by members
// that have restarted since, and be further.
bool Peer::Core::may_go_on_elsewhere() const {
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        const bool is_further =
            link.says_dropped || (link.takes_part && link.synced && link.tick > tick_);
        if (!is_self(peer) && !members_.is_active(peer) &&
            (link.heard ? is_further : has_players(peer) && !members_.was_ever_active(peer))) {
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
