#pragma once
// The state of one peer, and the functions that peer_*.cpp define.

#include "hash_exchange.hpp"
#include "packet.hpp"
#include "snapshot_transfer.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/harness/peer.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// What a rollback peer took for the inputs of others in the ticks that are not confirmed.

/// The guesses of the latest ticks, in memory that is reused.
class Guesses {
  public:
    Guesses(std::size_t most_ticks, std::uint32_t peers)
        : peers_(peers), open_(most_ticks), entries_(most_ticks * peers) {}

    /// Forgets what was guessed for a tick, which is about to be run.
    void begin(std::uint64_t tick) { open_[tick % open_.size()] = 0; }
    /// `inputs` are as inputs_in gives them.
    void add(std::uint64_t tick, std::uint32_t peer, std::span<const std::byte> inputs) {
        open_[tick % open_.size()] |= std::uint64_t{1} << peer;
        entry(tick, peer).assign(inputs.begin(), inputs.end());
    }

    /// The first tick of [first, last) with a guess that was wrong, if any. `actual(peer, tick)`
    /// returns the inputs, or none where they are not known yet. Right guesses are not looked at
    /// again.
    template <class Actual>
    [[nodiscard]] std::optional<std::uint64_t> first_wrong(std::uint64_t first, std::uint64_t last,
                                                           const Actual& actual) {
        for (std::uint64_t tick = first; tick < last; ++tick) {
            std::uint64_t& open = open_[tick % open_.size()];
            for (std::uint64_t left = open; left != 0; left &= left - 1) {
                const auto peer = static_cast<std::uint32_t>(std::countr_zero(left));
                const auto inputs = actual(peer, tick);
                if (inputs && !std::ranges::equal(entry(tick, peer), *inputs)) {
                    return tick;
                }
                open &= inputs ? ~(std::uint64_t{1} << peer) : ~std::uint64_t{0};
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] core::Bytes& entry(std::uint64_t tick, std::uint32_t peer) {
        return entries_[tick % open_.size() * peers_ + peer];
    }

    std::uint32_t peers_;
    std::vector<std::uint64_t> open_;  // of a tick: whose inputs were guessed and are not known
    std::vector<core::Bytes> entries_;
};

// What a peer that joins is told of the session before it has a state.

struct Incoming {
    SnapshotReceiver snapshot;
    std::uint32_t from = 0;             ///< who sends it
    std::uint64_t chain = 0;            ///< of all hashes up to it
    std::uint64_t decisions = 0;        ///< how many there were so far
    bool has_ended = false;             ///< by the last of them
    std::vector<MemberChange> changes;  ///< who came and went by them
    std::int64_t heard_ns = 0;          ///< when something of it came last
};

// How long a packet takes to another peer and back.

/// Measures by the times that packets carry, in milliseconds modulo 2^16, and smooths as RFC 6298
/// does (alpha 1/8, beta 1/4), in integers.
class RoundTrip {
  public:
    /// Of a packet that came at `now_ns`.
    void take(const PacketTimes& times, std::int64_t now_ns) {
        const std::uint16_t now_ms = milliseconds(now_ns);
        if (times.has_echo) {
            const auto round = static_cast<std::uint16_t>(now_ms - times.echo_ms);
            if (round < kLongest) {
                smooth(round);
            }
        }
        their_time_ = times.sent_ms;
        came_ms_ = now_ms;
    }

    /// To be sent at `now_ns`.
    [[nodiscard]] PacketTimes times(std::int64_t now_ns) const {
        const std::uint16_t now_ms = milliseconds(now_ns);
        if (!their_time_) {
            return {now_ms, 0, false};
        }
        return {now_ms, static_cast<std::uint16_t>(*their_time_ + (now_ms - came_ms_)), true};
    }

    [[nodiscard]] std::int64_t mean_ns() const { return eighths_ * kMillisecond / 8; }
    /// How much it varies: the mean deviation.
    [[nodiscard]] std::int64_t deviation_ns() const { return quarters_ * kMillisecond / 4; }

  private:
    static constexpr std::int64_t kMillisecond = 1'000'000;
    static constexpr std::uint16_t kLongest = 30'000;

    static std::uint16_t milliseconds(std::int64_t ns) {
        return static_cast<std::uint16_t>(ns / kMillisecond);
    }

    void smooth(std::int64_t round_ms) {
        if (!measured_) {
            measured_ = true;
            eighths_ = round_ms * 8;
            quarters_ = round_ms * 2;
            return;
        }
        const std::int64_t off = round_ms - eighths_ / 8;
        quarters_ += (off < 0 ? -off : off) - quarters_ / 4;
        eighths_ += off;
    }

    std::optional<std::uint16_t> their_time_;
    std::uint16_t came_ms_ = 0;
    bool measured_ = false;
    std::int64_t eighths_ = 0;   // of a millisecond: the mean
    std::int64_t quarters_ = 0;  // the deviation
};

// What one peer knows of another as a sender of packets.

struct Link {
    std::uint8_t life = 0;  ///< whose packets count: all below is about that one
    bool heard = false;
    bool heard_lately = false;  ///< since the last frame began
    std::int64_t last_heard_ns = 0;
    std::int64_t last_sent_ns = 0;
    std::uint64_t sent_at_tick = 0;  ///< the tick that stood in the last packet to it
    std::int64_t last_times_ns = 0;  ///< when times were sent last
    bool ever_sent = false;

    bool synced = false;                   ///< it has a state
    std::uint64_t synced_at = 0;           ///< the tick that it had when that was seen first
    std::optional<std::uint8_t> talks_on;  ///< a life that is over, and sends all the same
    std::uint64_t acked = 0;               ///< it has the own inputs before this tick
    std::uint64_t tick = 0;                ///< where it was when it sent what came last
    std::int64_t tick_at_ns = 0;           ///< when that came
    std::int64_t moved_ns = 0;             ///< when it was further than before
    std::int64_t advantage = 0;  ///< quarters of ticks that it thinks to be ahead of this peer
    bool takes_part = false;     ///< as far as it knows
    bool finished = false;       ///< it has said that it has all ticks
    RoundTrip round_trip;
    std::uint64_t told_ticks = 0;  ///< that the last hash report to it was about

    std::uint64_t decisions = 0;            ///< that it knows
    std::optional<Proposal> proposal;       ///< as its last packet has it; of the next decision
    std::optional<Vote> vote;               ///< likewise
    std::optional<Vote> left;               ///< it said good-bye, and votes no more
    std::optional<std::int64_t> restarted;  ///< a newer life of it is there: since when
    bool suspect = false;                   ///< not heard for too long, or one of the above
    bool says_dropped = false;              ///< it says that this peer was dropped
    bool ready = false;                     ///< it wants to take part

    std::uint64_t refused = 0;
    std::int64_t flood_ns = 0;  ///< how far its packets are ahead of the time they may take

    std::optional<SnapshotSender> snapshot;  ///< on its way there
};

// Who takes part in which tick.

/// The same for all peers that know the same decisions.
class Membership {
  public:
    static constexpr std::uint64_t kNever = Presence::kOpen;

    /// All that are neither late nor spectators take part from tick 0 on.
    explicit Membership(const PeerOptions& options);

    [[nodiscard]] bool takes_part(std::uint32_t peer, std::uint64_t tick) const {
        const auto& spans = spans_[peer];
        for (std::size_t i = spans.size(); i-- > 0;) {  // the last one nearly always
            if (spans[i].from <= tick && tick < spans[i].until) {
                return true;
            }
        }
        return false;
    }
    /// Whether it takes part with no end known.
    [[nodiscard]] bool is_active(std::uint32_t peer) const {
        return !spans_[peer].empty() && spans_[peer].back().until == kNever;
    }
    [[nodiscard]] bool was_ever_active(std::uint32_t peer) const { return !spans_[peer].empty(); }
    /// Which of its lives took part last. Requires was_ever_active.
    [[nodiscard]] std::uint8_t life(std::uint32_t peer) const { return lives_[peer].back(); }
    /// How many of its lives, from the first on, are known to have taken part or to be over.
    [[nodiscard]] std::uint32_t lives(std::uint32_t peer) const {
        return was_ever_active(peer) ? life(peer) + 1U : 0;
    }
    /// Whether all agree that this life of a peer takes part no more, nor any before it.
    [[nodiscard]] bool is_over(std::uint32_t peer, std::uint8_t life) const {
        return was_ever_active(peer) && life <= this->life(peer) &&
               (life < this->life(peer) || !is_active(peer));
    }
    /// Where its last time ends: kNever while it is active. Requires was_ever_active.
    [[nodiscard]] std::uint64_t until(std::uint32_t peer) const {
        return spans_[peer].back().until;
    }
    /// The first of its times that is not over at `tick`; null: there is none.
    [[nodiscard]] const Presence* next(std::uint32_t peer, std::uint64_t tick) const {
        for (const Presence& span : spans_[peer]) {
            if (span.until > tick) {
                return &span;
            }
        }
        return nullptr;
    }

    /// Where the last of so many of its lives ends: kNever while it is active, 0 where none was.
    [[nodiscard]] std::uint64_t end_of_lives(std::uint32_t peer, std::uint64_t lives) const {
        std::uint64_t end = 0;
        for (std::size_t i = 0; i < spans_[peer].size() && lives_[peer][i] < lives; ++i) {
            end = spans_[peer][i].until;
        }
        return end;
    }

    /// Whether a change makes sense after those so far.
    [[nodiscard]] bool fits(const MemberChange& change) const;
    /// False where it does not fit.
    bool apply(const MemberChange& change);

    /// All changes so far, for a peer that joins.
    [[nodiscard]] std::vector<MemberChange> history() const;
    void clear();  ///< nobody takes part in anything

    [[nodiscard]] std::span<const Presence> presence(std::uint32_t peer) const {
        return spans_[peer];
    }

  private:
    std::vector<std::vector<Presence>> spans_;
    std::vector<std::vector<std::uint8_t>> lives_;  // of each span; they rise
};

// One peer as a source of inputs.

struct PeerInputs {
    InputLog log;
    std::vector<std::uint32_t> columns;  ///< where its players' inputs stand among a tick's
    core::Bytes neutral;                 ///< inputs of nobody, as inputs_in gives them
    /// While it is dropped: how far the peer that decides has come, for it to be told the rest.
    std::uint64_t decider_has = 0;
    /// By peer, as its last packet has it: how much of this source it has, where it gets no more.
    std::vector<std::optional<std::uint64_t>> asked;
    std::vector<std::uint64_t> asked_lives;  ///< likewise: of how many lives it knows
    std::vector<bool> keeps_later;  ///< likewise: it no longer has those that this peer needs next
    std::vector<bool> froze;  ///< likewise: it takes nothing more from the source, as it was asked
};

// The state of a peer, and what happens to it.

/// See Peer. Each group of functions is in a file of its own.
class Peer::Core {
  public:
    explicit Core(const PeerOptions& options);

    // peer_frame.cpp: whose inputs are known, and what stands in for the others
    [[nodiscard]] std::optional<core::Tick> wanted_input() const;
    [[nodiscard]] core::Result<void> add_input(std::span<const isotick_input> inputs);
    [[nodiscard]] std::uint64_t confirmed() const { return confirmed_; }
    [[nodiscard]] std::uint64_t waits_for() const;

    // peer_frame.cpp
    [[nodiscard]] PeerFrame begin_frame(std::int64_t now_ns, std::uint64_t due);
    [[nodiscard]] std::optional<PeerStep> next_step();
    void add_hash(core::Tick tick, core::StateHash hash);

    void receive(std::uint32_t from, std::span<const std::byte> bytes);  // peer_packets.cpp
    [[nodiscard]] std::optional<OutgoingPacket> next_packet();           // peer_packets.cpp

    // peer_join.cpp
    [[nodiscard]] std::optional<std::uint64_t> wanted_snapshot() const;
    [[nodiscard]] core::Result<void> add_snapshot(std::vector<std::byte> snapshot);
    [[nodiscard]] std::optional<Arrival> take_arrival();

    void leave() { leaving_ = true; }
    [[nodiscard]] PeerState state() const { return state_; }
    [[nodiscard]] std::uint64_t tick() const { return tick_; }
    /// Ticks whose guesses, if any, were looked at and right.
    [[nodiscard]] std::uint64_t verified() const {
        return std::min({tick_, guesses_checked_, parted_at_});
    }
    [[nodiscard]] const Membership& members() const { return members_; }
    [[nodiscard]] const std::optional<HashMismatch>& mismatch() const { return mismatch_; }
    [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
    [[nodiscard]] PeerStatistics statistics() const;
    [[nodiscard]] bool is_stalled() const { return is_stalled_; }
    void set_guess(PeerGuess guess) { guess_ = std::move(guess); }

  private:
    static constexpr std::uint64_t kMostAhead = 1024;  // ticks of inputs before their time
    static constexpr std::size_t kMostLog = std::size_t{16} << 20U;  // bytes of inputs of a peer
    static constexpr std::uint64_t kLeastKeptTicks = 256;            // where they take much memory
    static constexpr std::uint64_t kKeptTicks = 1024;    // of inputs, for those who need them late
    static constexpr std::int64_t kMostRoundTicks = 64;  // that a peer that joins is waited for
    static constexpr std::uint64_t kMostRefused = 64;    // packets, until a peer is not listened to
    static constexpr std::int64_t kMostInTick = 4;       // packets of one peer, on average
    static constexpr std::uint32_t kPiecesInFrame = 16;  // of a snapshot, to one peer
    static constexpr std::int64_t kMostFlood = 16;       // times silence_ns, in one frame
    static constexpr std::int64_t kLatePieces = 4;       // likewise, where a snapshot has come
    static constexpr std::int64_t kLinger = 1'000'000'000;  // for a good-bye to be heard
    // peer_frame.cpp
    [[nodiscard]] bool is_self(std::uint32_t peer) const { return peer == options_.self; }
    /// In this life. Another one of this peer may take part meanwhile, as far as is known.
    [[nodiscard]] bool takes_part() const {
        return members_.is_active(options_.self) &&
               members_.life(options_.self) == options_.incarnation;
    }
    [[nodiscard]] bool is_running() const {
        return state_ == PeerState::running || state_ == PeerState::alone;
    }
    [[nodiscard]] PeerInputs& own() { return sources_[options_.self]; }
    [[nodiscard]] const PeerInputs& own() const { return sources_[options_.self]; }
    [[nodiscard]] bool has_players(std::uint32_t peer) const {
        return peer < options_.peers - options_.spectators;
    }
    [[nodiscard]] std::optional<std::span<const std::byte>> known_inputs(std::uint32_t peer,
                                                                         std::uint64_t tick) const;
    [[nodiscard]] std::uint64_t known_end(std::uint32_t peer) const;
    [[nodiscard]] bool lacks(std::uint32_t source) const;  // inputs that count, of one that went
    void fill_gap(std::uint32_t source);
    [[nodiscard]] std::uint64_t notice() const;  // ticks from a proposal to a peer that joins
    void update_confirmed();
    [[nodiscard]] bool take_runs(std::uint32_t source, std::uint64_t first,
                                 std::span<const std::byte> runs);
    [[nodiscard]] bool take_run(std::uint32_t source, std::uint64_t count,
                                std::span<const std::byte> entry);
    void forget_old_inputs();
    // peer_membership.cpp
    [[nodiscard]] bool is_frozen(std::uint32_t peer) const;
    [[nodiscard]] bool has_left(std::uint32_t peer) const;
    void apply(const MemberChange& change, std::uint64_t used);
    // peer_decisions.cpp
    [[nodiscard]] std::uint64_t decisions() const { return first_decision_ + decisions_.size(); }
    [[nodiscard]] Vote own_vote() const {
        return {decisions(), promised_, voted_, voted_for_forced_, vote_};
    }
    [[nodiscard]] bool gives_itself_up(std::uint32_t peer) const;
    [[nodiscard]] static std::uint64_t drops(const Decision& decision, std::uint32_t peer);
    /// Whether this peer asks the others to take no inputs from that one.
    [[nodiscard]] bool asks_about(std::uint32_t peer) const { return (asks_ >> peer & 1U) != 0; }
    /// Whether `from` does.
    [[nodiscard]] bool is_asked_about(std::uint32_t from, std::uint32_t peer) const {
        const auto& proposal = links_[from].proposal;
        return proposal && (proposal->asks >> peer & 1U) != 0;
    }
    /// Bit p: that holds of peer p.
    template <class Holds>
    [[nodiscard]] std::uint64_t which(const Holds& holds) const {
        std::uint64_t peers = 0;
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            peers |= std::uint64_t{holds(peer)} << peer;
        }
        return peers;
    }
    void look_for_decisions();
    void stop_deciding();
    [[nodiscard]] bool may_begin() const;
    void begin_ballot();
    [[nodiscard]] bool is_disputed() const;
    [[nodiscard]] std::uint64_t who_is_asked_about() const;
    [[nodiscard]] const Vote* answer_of(std::uint32_t peer) const;
    [[nodiscard]] bool may_be_decided(const Vote& latest) const;
    [[nodiscard]] const Vote* last_vote_of(std::uint32_t peer) const;
    [[nodiscard]] Vote latest_vote() const;
    void choose();
    [[nodiscard]] std::optional<Decision> wanted_decision();
    [[nodiscard]] bool may_end() const;
    [[nodiscard]] bool is_wanted() const;
    [[nodiscard]] bool can_win() const;
    [[nodiscard]] bool can_vote(const Decision& decision, bool is_forced) const;
    void vote(std::uint64_t ballot, const Decision& decision, bool is_forced);
    void decide(const Decision& decision);
    [[nodiscard]] bool quorum_voted(bool by_restarts = true) const;
    [[nodiscard]] std::string_view take_decided(core::ByteReader reader);
    [[nodiscard]] std::string_view take_proposal(std::uint32_t from, core::ByteReader reader);
    [[nodiscard]] std::string_view take_vote(std::uint32_t from, core::ByteReader reader);
    void note_ballot(std::uint64_t ballot);
    void put_decisions(std::uint32_t to);
    // peer_frame.cpp
    [[nodiscard]] std::int64_t time_passed(std::int64_t now_ns, std::uint64_t due) const;
    [[nodiscard]] std::uint64_t go_back();
    [[nodiscard]] std::uint64_t catch_up(std::uint64_t due) const;
    [[nodiscard]] std::uint64_t run_limit() const;  // ticks before it can be run now
    [[nodiscard]] bool is_over() const { return options_.ticks != 0 && tick_ >= options_.ticks; }
    void fill_in(PeerStep& step);
    void guess(PeerStep& step, std::uint32_t peer);
    void adapt_delay();
    [[nodiscard]] bool has_end() const {
        return options_.ticks != 0 && verified() >= options_.ticks;
    }
    [[nodiscard]] bool may_finish(bool agreed) const;
    void update_state();
    // peer.cpp
    [[nodiscard]] std::int64_t advantage_over(const Link& link) const;
    [[nodiscard]] bool should_wait();
    // peer_packets.cpp
    void refuse(std::uint32_t from, std::string_view why);
    [[nodiscard]] bool accepts(std::uint32_t from, const Packet& packet);
    void meet(std::uint32_t peer, std::uint8_t life);
    void take_ends(Link& link, const Packet& packet) const;
    [[nodiscard]] bool is_own_life(std::span<const std::byte> payload) const;
    void take(std::uint32_t from, const Packet& packet);
    void take_front(Link& link, const Packet& packet);
    [[nodiscard]] bool is_plausible(std::uint32_t from, const InputRuns& inputs) const;
    [[nodiscard]] std::string_view take_decisions(std::uint32_t from, const Packet& packet);
    [[nodiscard]] std::string_view take_section(std::uint32_t from, const Section& section);
    [[nodiscard]] std::string_view take_leaving(Link& link, core::ByteReader reader);
    [[nodiscard]] std::string_view take_gone(core::ByteReader reader);
    [[nodiscard]] std::string_view take_missing(std::uint32_t from, core::ByteReader reader);
    [[nodiscard]] std::string_view take_relay(std::uint32_t from, core::ByteReader reader);
    // peer_membership.cpp
    [[nodiscard]] std::uint32_t decider() const;
    [[nodiscard]] bool follows(std::uint32_t other) const;
    [[nodiscard]] bool misses(std::uint32_t source) const;
    [[nodiscard]] bool is_silent(std::uint32_t peer) const {
        return now_ns_ - links_[peer].last_heard_ns > options_.silence_ns;
    }
    void look_for_silence();
    [[nodiscard]] bool may_forget(const Link& link) const;
    [[nodiscard]] bool needs_help(std::uint32_t source) const;
    void look_who_goes(bool decides);
    [[nodiscard]] std::optional<std::uint64_t> agreed_end(std::uint32_t peer) const;
    void refuse_empty_claims(std::uint32_t peer);
    [[nodiscard]] bool is_surely_over(const Link& link) const;
    [[nodiscard]] bool is_quorum(std::uint64_t peers, bool by_restarts = true) const;
    [[nodiscard]] bool has_quorum() const;
    [[nodiscard]] bool may_go_on_elsewhere() const;
    [[nodiscard]] bool is_lost() const;
    [[nodiscard]] bool is_dropped() const;
    // peer.cpp
    void look_at_doubt();
    [[nodiscard]] HashDetails own_details() const;
    [[nodiscard]] std::string_view take_details(std::uint32_t from,
                                                std::span<const std::byte> told);
    // peer_packets.cpp
    [[nodiscard]] bool is_due(std::uint32_t to) const;
    [[nodiscard]] std::optional<std::uint8_t> lost_life(std::uint32_t to) const;
    void put_front(std::uint32_t to);
    void put_sections(std::uint32_t to);
    void put_gone(std::uint32_t to);
    void put_missing(std::uint32_t to);
    void put_relays(std::uint32_t to);
    void section(SectionKind kind);  // made of scratch_
    [[nodiscard]] OutgoingPacket sent(std::uint32_t to);
    // peer_join.cpp
    [[nodiscard]] bool wants_snapshot(std::uint32_t peer) const;
    [[nodiscard]] std::string_view take_offer(std::uint32_t from, core::ByteReader reader);
    [[nodiscard]] std::string_view take_piece(std::uint32_t from, std::span<const std::byte> bytes);
    void arrive();
    [[nodiscard]] bool comes_too_late() const;
    void put_join_sections(std::uint32_t to);
    void put_offer(const SnapshotSender& snapshot);
    [[nodiscard]] std::vector<MemberChange> ready_to_join() const;
    [[nodiscard]] bool can_help(std::uint64_t tick) const;
    [[nodiscard]] bool is_dropping() const;
    [[nodiscard]] bool all_have(std::uint64_t tick) const;
    [[nodiscard]] bool all_know_end_of(std::uint32_t peer) const;

    PeerOptions options_;
    std::int64_t tick_ns_;
    std::int64_t now_ns_ = 0;
    bool began_ = false;
    PeerState state_ = PeerState::running;
    bool leaving_ = false;
    std::optional<std::int64_t> ended_ns_;  // when it had all ticks, or said good-bye
    bool has_all_ = false;                  // ticks, and says so
    bool is_member_ = false;                // it takes part, or did in this life
    std::uint64_t moved_to_ = 0;   // ticks that stood when there were more for the last time
    std::int64_t moved_ns_ = 0;    // and when that was
    std::uint64_t joined_at_ = 0;  // the first tick that it takes part in, where it joined
    std::uint64_t parted_at_ = Membership::kNever;  // the others count other inputs from there on

    Membership members_;
    std::vector<PeerInputs> sources_;
    std::vector<Link> links_;
    std::uint32_t delay_;
    std::int64_t delay_looked_ns_ = 0;

    std::uint64_t first_decision_ = 0;  // the number of the first that is kept
    std::vector<Decision> decisions_;
    bool has_ended_ = false;         // by the last of them
    std::uint64_t promised_ = 0;     // the highest ballot that this peer knows of
    std::int64_t promised_ns_ = 0;   // since when
    std::uint64_t voted_ = 0;        // the ballot of its vote; 0: it has not voted
    bool voted_for_forced_ = false;  // as Proposal has it
    Decision vote_;
    std::vector<std::uint64_t> held_;   // by peer: inputs from there on do not count, by that vote
    std::uint64_t ballot_ = 0;          // its own; 0: it wants nothing decided
    std::optional<Decision> proposed_;  // in that ballot, behind the promises
    bool is_forced_ = false;            // as Proposal has it
    std::int64_t proposed_ns_ = 0;
    std::uint64_t asks_ = 0;                       // likewise
    std::uint64_t proposers_ = 0;                  // bit p: Link::proposal of peer p is set
    std::uint64_t most_own_ = Membership::kNever;  // own inputs until it knows who joins
    std::vector<std::optional<std::int64_t>> dropping_since_;  // by peer, where this one decides

    std::uint64_t tick_ = 0;       // the next to be run
    std::uint64_t confirmed_ = 0;  // all inputs before it are known
    std::uint64_t again_until_ = 0;
    std::uint64_t due_ = 0;  // ticks, in this frame, that were not run before
    bool is_stalled_ = false;
    std::uint64_t frames_ = 0;
    Guesses guesses_;
    std::uint64_t guesses_checked_ = 0;  // those of ticks before it were right
    bool runs_again_ = false;            // the ticks from there on: a drop rules out what they had
    std::vector<isotick_input> guessed_inputs_;
    PeerGuess guess_;
    std::vector<isotick_input> inputs_;  // of the step under way
    std::int64_t ahead_ = 0;             // 64ths of ticks ahead of the others, smoothed
    std::uint64_t waited_at_ = 0;        // tick

    HashExchange hashes_;
    std::vector<std::optional<HashDetails>> details_;  // by peer, own included
    std::int64_t doubted_ns_ = 0;
    std::optional<HashMismatch> mismatch_;

    std::optional<Incoming> incoming_;
    std::optional<Arrival> arrival_;

    Packet packet_;    // that was read last; its memory is reused
    core::Bytes out_;  // the packet that is returned
    core::Bytes sections_;
    core::Bytes scratch_;
    core::Bytes runs_;
    std::uint32_t next_to_ = 0;      // in next_packet: whose turn it is
    std::uint32_t pieces_left_ = 0;  // to it in this frame
    std::vector<std::string> complaints_;
    PeerStatistics statistics_;
};

}  // namespace isotick::harness
