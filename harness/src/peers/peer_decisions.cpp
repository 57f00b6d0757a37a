// What the members decide: who is seated, who is dropped, and that the session ends.
//
// Decisions are made one after the other, each as in Paxos (Lamport, "Paxos Made Simple"). The
// peer that decides asks for promises in a ballot, chooses, and asks for votes; what a majority
// votes for in one ballot is decided. The majority is that of the members by the decisions before.
// A goodbye carries the last vote and promises that no other follows, and is not counted any more.
//
// To drop a member is to decide the first tick without it. Those who vote have all its inputs
// before that tick and none after. So the inputs that each of them has come with the promises, and
// until it is decided they take no more from that member itself.
//
// A peer takes no inputs from a sender that knows more decisions. The member that proposes to seat
// a peer withholds its own inputs, so that nobody can run the seat's first tick, not even on
// guesses, before this is decided.

#include "peer_core.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {

// The first tick without it; kNever where that decision does not drop it.
std::uint64_t Peer::Core::drops(const Decision& decision, std::uint32_t peer) {
    for (const MemberChange& change : decision.changes) {
        if (change.peer == peer && !change.joins) {
            return change.tick;
        }
    }
    return Membership::kNever;
}

// Whether it voted for its own drop: were it to decide that, it would be gone before it could tell.
bool Peer::Core::gives_itself_up(std::uint32_t peer) const {
    const auto& vote = links_[peer].vote;
    return is_self(peer) ? drops(vote_, peer) != Membership::kNever
                         : vote && drops(vote->decision, peer) != Membership::kNever;
}

// What this peer wants decided, and how far that has come.

void Peer::Core::look_for_decisions() {
    const bool is_there = is_running() || state_ == PeerState::finished;
    if (!is_there || leaving_ || !is_self(decider())) {
        look_who_goes(false);
        return stop_deciding();
    }
    look_who_goes(true);
    if (!has_quorum() || !is_wanted()) {
        return stop_deciding();
    }
    if (ballot_ == 0 || promised_ != ballot_ || (proposed_ && !can_win())) {
        stop_deciding();
        if (!may_begin()) {
            return;
        }
        begin_ballot();
    }
    asks_ = who_is_asked_about();
    if (!proposed_) {
        choose();
    }
    if (proposed_ && voted_ != ballot_ && can_vote(*proposed_, is_forced_)) {
        vote(ballot_, *proposed_, is_forced_);
    }
    if (proposed_ && voted_ == ballot_ && quorum_voted(true)) {
        statistics_.without_majority += quorum_voted(false) ? 0U : 1U;
        decide(Decision(*proposed_));
    }
}

void Peer::Core::stop_deciding() {
    ballot_ = 0;
    asks_ = 0;
    proposed_.reset();
}

bool Peer::Core::is_wanted() const {
    return is_dropping() || is_disputed() || may_end() || !ready_to_join().empty();
}

// Whether somebody voted for what may or may not be decided.
bool Peer::Core::is_disputed() const {
    return voted_ != 0 || which([this](std::uint32_t peer) {
                              const auto& vote = links_[peer].vote;
                              return members_.is_active(peer) && !links_[peer].suspect && vote &&
                                     vote->ballot != 0;
                          }) != 0;
}

bool Peer::Core::may_end() const {
    return !has_ended_ && has_end() && is_quorum(which([this](std::uint32_t peer) {
        return is_self(peer) || links_[peer].finished;
    }));
}

// False while another member is about to decide. Of two that cannot hear each other, the one with
// the higher number waits.
bool Peer::Core::may_begin() const {
    const auto owner = static_cast<std::uint32_t>(promised_ % kMostPeers);
    if (promised_ == 0 || is_self(owner) || owner >= options_.peers) {
        return true;
    }
    const Link& link = links_[owner];
    const bool is_at_it = !link.suspect && link.proposal && link.proposal->ballot == promised_;
    const std::int64_t waited = now_ns_ - promised_ns_;
    return is_at_it ? waited > 2 * options_.silence_ns
                    : owner > options_.self || waited > options_.silence_ns / 2;
}

void Peer::Core::begin_ballot() {
    promised_ = ballot_ = (promised_ / kMostPeers + 1) * kMostPeers + options_.self;
    promised_ns_ = now_ns_;
    for (PeerInputs& source : sources_) {
        source.froze.assign(options_.peers, false);
    }
}

// Bit p: peer p is to be dropped, or was in a decision that somebody voted for.
std::uint64_t Peer::Core::who_is_asked_about() const {
    return which([this](std::uint32_t peer) {
        const bool was_voted_on = std::ranges::any_of(links_, [&](const Link& link) {
            return link.vote && drops(link.vote->decision, peer) != Membership::kNever;
        });
        return !is_self(peer) && members_.is_active(peer) &&
               (dropping_since_[peer] || drops(vote_, peer) != Membership::kNever || was_voted_on);
    });
}

// The promise of another member to this peer's ballot; null: it has not come.
const Vote* Peer::Core::answer_of(std::uint32_t peer) const {
    const auto& vote = links_[peer].vote;
    return vote && members_.is_active(peer) && vote->promised == ballot_ ? &*vote : nullptr;
}

// The last vote of a member that said goodbye; null: it has not, or that was about an earlier
// decision.
const Vote* Peer::Core::last_vote_of(std::uint32_t peer) const {
    const auto& left = links_[peer].left;
    return left && members_.is_active(peer) && left->number == decisions() ? &*left : nullptr;
}

// The vote in the highest ballot that this peer or an answer to it knows of.
Vote Peer::Core::latest_vote() const {
    Vote latest = own_vote();
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        for (const Vote* vote : {answer_of(peer), last_vote_of(peer)}) {
            if (vote != nullptr && vote->ballot > latest.ballot) {
                latest = *vote;
            }
        }
    }
    return latest;
}

// Whether what it was for may have been decided, as far as the answers show. Only the peer that
// asked for votes counts them. If it has answered, it has not decided in that ballot and never
// will, but a forced decision may have been made in an earlier ballot. A member votes for its own
// drop only if that is forced.
bool Peer::Core::may_be_decided(const Vote& latest) const {
    const auto owner = static_cast<std::uint32_t>(latest.ballot % kMostPeers);
    const bool owner_has_not =
        owner < options_.peers &&
        (is_self(owner) || answer_of(owner) != nullptr || last_vote_of(owner) != nullptr);
    if (latest.ballot == 0 || (owner_has_not && !latest.is_forced)) {
        return false;
    }
    const Decision& decision = latest.decision;
    std::uint32_t may = 0;
    std::uint32_t did_not = 0;
    const auto count = [&](bool has_voted) { (has_voted ? may : did_not) += 1; };
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        if (!members_.is_active(peer)) {
            continue;
        }
        if (is_self(peer)) {
            count(voted_ != 0 && vote_ == decision);
        } else if (const Vote* answer = answer_of(peer)) {
            count(answer->ballot != 0 && answer->decision == decision);
        } else if (const Vote* last = last_vote_of(peer)) {
            may += last->ballot != 0 && last->decision == decision ? 1U : 0U;
        } else {
            count(latest.is_forced || drops(decision, peer) == Membership::kNever);
        }
    }
    return may >= did_not;
}

// Once a majority has promised, and whoever is heard had time to.
void Peer::Core::choose() {
    const std::uint64_t answered =
        which([this](std::uint32_t peer) { return is_self(peer) || answer_of(peer) != nullptr; });
    const bool is_due = now_ns_ - promised_ns_ > options_.silence_ns / 4;
    const std::uint64_t heard = which([this](std::uint32_t peer) {
        return members_.is_active(peer) && !is_self(peer) && !links_[peer].suspect;
    });
    if (!is_quorum(answered) || (!is_due && (heard & ~answered) != 0)) {
        return;
    }
    Vote latest = latest_vote();
    is_forced_ = may_be_decided(latest);
    if (is_forced_) {
        proposed_ = std::move(latest.decision);
    } else if (auto wanted = wanted_decision()) {
        proposed_ = std::move(wanted);
        most_own_ = Membership::kNever;
        for (const MemberChange& change : proposed_->changes) {
            most_own_ = change.joins ? change.tick - options_.most_guessed : most_own_;
        }
    }
    proposed_ns_ = now_ns_;
}

// Drops are decided before all else, and all at once. None: it is not known yet from which tick on.
std::optional<Decision> Peer::Core::wanted_decision() {
    Decision wanted;
    bool is_known = true;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const auto& since = dropping_since_[peer];
        if (!since) {
            continue;
        }
        const bool is_due = links_[peer].left || now_ns_ - *since >= options_.silence_ns / 4;
        if (const auto end = is_due ? agreed_end(peer) : std::nullopt) {
            wanted.changes.push_back({peer, false, members_.life(peer), *end});
        } else {
            is_known = false;
            refuse_empty_claims(peer);
        }
    }
    if (wanted.changes.empty() && is_known) {
        wanted.changes = ready_to_join();
        wanted.ends = wanted.changes.empty() && may_end();
    }
    return is_known ? std::optional(std::move(wanted)) : std::nullopt;
}

// Whether a majority may still vote for the proposal. If not, since members have inputs that it
// rules out, this peer asks again.
bool Peer::Core::can_win() const {
    const auto refuses = [this](std::uint32_t peer) {
        return !is_forced_ && std::ranges::any_of(proposed_->changes, [&](const auto& change) {
            return !change.joins && sources_[change.peer].asked[peer].value_or(0) > change.tick;
        });
    };
    return now_ns_ - proposed_ns_ <= options_.silence_ns &&
           is_quorum(which([&](std::uint32_t peer) {
               return is_self(peer) || (!links_[peer].suspect && !refuses(peer));
           }));
}

bool Peer::Core::quorum_voted(bool by_restarts) const {
    return is_quorum(which([this](std::uint32_t peer) {
                         const Vote* answer = answer_of(peer);
                         return is_self(peer) || (answer != nullptr && answer->ballot == ballot_);
                     }),
                     by_restarts);
}

// Votes, and what is decided by them.

bool Peer::Core::can_vote(const Decision& decision, bool is_forced) const {
    if (!takes_part() || leaving_ || (decision.ends && !is_forced && !has_end())) {
        return false;
    }
    return std::ranges::all_of(decision.changes, [&](const MemberChange& change) {
        if (!members_.fits(change)) {
            return false;
        }
        if (change.joins) {
            return has_players(change.peer) && !has_ended_ && change.tick >= tick_ &&
                   change.tick - tick_ <= kMostAhead;
        }
        if (has_ended_ && change.tick < options_.ticks) {
            return false;
        }
        const std::uint64_t end = sources_[change.peer].log.end();
        return is_self(change.peer) ? is_forced
                                    : end == change.tick || (is_forced && end > change.tick);
    });
}

// From now until the decision is made, inputs that the vote rules out do not count, except for
// ticks that have already run with them and may be confirmed.
void Peer::Core::vote(std::uint64_t ballot, const Decision& decision, bool is_forced) {
    voted_ = ballot;
    voted_for_forced_ = is_forced;
    vote_ = decision;
    const std::uint64_t used = std::min(tick_, confirmed_);
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const std::uint64_t end = drops(decision, peer);
        held_[peer] = end == Membership::kNever
                          ? end
                          : std::max(end, std::min({used, sources_[peer].log.end(), held_[peer]}));
    }
}

void Peer::Core::decide(const Decision& decision) {
    decisions_.push_back(decision);
    const auto held = std::exchange(held_, std::vector(options_.peers, Membership::kNever));
    voted_ = 0;
    vote_ = {};
    most_own_ = Membership::kNever;
    has_ended_ = has_ended_ || decision.ends;
    stop_deciding();
    for (Link& link : links_) {
        link.proposal.reset();
        link.vote.reset();
    }
    proposers_ = 0;
    for (const MemberChange& change : decision.changes) {
        apply(change, std::min(sources_[change.peer].log.end(), held[change.peer]));
    }
}

// What others say of it.

std::string_view Peer::Core::take_decided(core::ByteReader reader) {
    const std::uint64_t number = reader.varint(kMostDecisions);
    const Decision decision = read_decision(reader, options_.peers);
    if (!reader.at_end()) {
        return "what it says of who takes part makes no sense";
    }
    if (state_ != PeerState::joining && number == decisions() && number < kMostDecisions) {
        decide(decision);
    }
    return {};
}

// Answers only the decider; once votes were cast, any member, since others may take another one for
// the decider.
std::string_view Peer::Core::take_proposal(std::uint32_t from, core::ByteReader reader) {
    Proposal proposal = read_proposal(reader, options_.peers);
    if (!reader.at_end() || proposal.ballot % kMostPeers != from) {
        return "what it proposes makes no sense";
    }
    if (!members_.is_active(from) || proposal.number != decisions() ||
        (from != decider() && !is_disputed())) {
        return {};
    }
    Link& link = links_[from];
    link.proposal = std::move(proposal);
    proposers_ |= std::uint64_t{1} << from;
    if (leaving_) {
        return {};  // its good-bye says what it promised
    }
    note_ballot(link.proposal->ballot);
    const auto& decision = link.proposal->decision;
    if (link.proposal->ballot == promised_ && voted_ != promised_ && decision &&
        can_vote(*decision, link.proposal->is_forced)) {
        vote(promised_, *decision, link.proposal->is_forced);
    }
    return {};
}

std::string_view Peer::Core::take_vote(std::uint32_t from, core::ByteReader reader) {
    Vote vote = read_vote(reader, options_.peers);
    if (!reader.at_end()) {
        return "what it voted for makes no sense";
    }
    if (members_.is_active(from) && vote.number == decisions()) {
        if (!leaving_) {
            note_ballot(vote.promised);
        }
        links_[from].vote = std::move(vote);
    }
    return {};
}

// A leap that no honest peers come to would use the ballots up.
void Peer::Core::note_ballot(std::uint64_t ballot) {
    constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20U;
    if (ballot > promised_ && ballot <= promised_ + kMostAtOnce) {
        promised_ = ballot;
        promised_ns_ = now_ns_;
    }
}

void Peer::Core::put_decisions(std::uint32_t to) {
    const Link& link = links_[to];
    const bool follows = link.heard && link.synced;
    if (!(follows || link.talks_on) || state_ == PeerState::joining) {
        return;
    }
    for (std::uint64_t number = std::max(link.decisions, first_decision_);
         number < decisions() && link.decisions >= first_decision_ &&
         sections_.size() < kUsualPacket / 2;
         ++number) {
        scratch_.clear();
        core::put_varint(scratch_, number);
        put_decision(scratch_, decisions_[static_cast<std::size_t>(number - first_decision_)]);
        section(SectionKind::decided);
    }
    if (ballot_ != 0) {
        scratch_.clear();
        put_proposal(scratch_, {decisions(), ballot_, asks_, proposed_, is_forced_});
        section(SectionKind::proposal);
    }
    if (takes_part() && !leaving_ && (voted_ != 0 || link.proposal)) {
        scratch_.clear();
        put_vote(scratch_, own_vote());
        section(SectionKind::vote);
    }
}

}  // namespace isotick::harness
