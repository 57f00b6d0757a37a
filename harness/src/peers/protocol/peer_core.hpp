#pragma once
// The state of a peer, and what happens to it.

#include "known/guesses.hpp"
#include "known/hash_exchange.hpp"
#include "known/incoming.hpp"
#include "known/link.hpp"
#include "known/membership.hpp"
#include "known/peer_inputs.hpp"

#include <isotick/harness/peer.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// See Peer. Each group of functions is in a file of its own.
class Peer::Core {
  public:
    explicit Core(const PeerOptions& options);

    // peer_inputs.cpp: whose inputs are known, and what stands in for the others
    [[nodiscard]] std::optional<core::Tick> wanted_input() const;
    [[nodiscard]] core::Result<void> add_input(std::span<const isotick_input> inputs);
    [[nodiscard]] std::uint64_t confirmed() const { return confirmed_; }
    [[nodiscard]] std::uint64_t waits_for() const;

    // peer_frame.cpp
    [[nodiscard]] PeerFrame begin_frame(std::int64_t now_ns, std::uint64_t due);
    [[nodiscard]] std::optional<PeerStep> next_step();
    void add_hash(core::Tick tick, core::StateHash hash);

    void receive(std::uint32_t from, std::span<const std::byte> bytes);  // peer_receive.cpp
    [[nodiscard]] std::optional<OutgoingPacket> next_packet();           // peer_send.cpp

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
    static constexpr std::uint64_t kMostRefused = 64;    // packets, until a peer is not listened to
    static constexpr std::int64_t kMostInTick = 4;       // packets of one peer, on average
    static constexpr std::uint32_t kPiecesInFrame = 16;  // of a snapshot, to one peer
    static constexpr std::int64_t kMostFlood = 16;       // times silence_ns, in one frame
    static constexpr std::int64_t kLatePieces = 4;       // likewise, where a snapshot has come
    static constexpr std::int64_t kLinger = 1'000'000'000;  // for a good-bye to be heard
    // peer_inputs.cpp
    [[nodiscard]] bool is_self(std::uint32_t peer) const { return peer == options_.self; }
    /// In this life. Another one of this peer may take part meanwhile, as far as is known.
    [[nodiscard]] bool takes_part() const { return takes_part(members_); }
    [[nodiscard]] bool takes_part(const Membership& members) const {
        return members.is_active(options_.self) &&
               members.life(options_.self) == options_.incarnation;
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
    void contribute(std::span<const std::byte> entry);
    void announce_at_end();
    [[nodiscard]] std::uint64_t notice() const;  // ticks from a decision to a peer that joins
    void update_confirmed();
    [[nodiscard]] bool take_runs(std::uint32_t source, std::uint64_t first,
                                 std::span<const std::byte> runs);
    [[nodiscard]] std::uint64_t voted_ballot(std::uint32_t source, std::uint64_t first,
                                             std::span<const std::byte> runs) const;
    [[nodiscard]] bool take_run(std::uint32_t source, std::uint64_t count,
                                std::span<const std::byte> entry, std::uint64_t ballot);
    void forget_old_inputs();
    // peer_changes.cpp
    [[nodiscard]] bool makes_sense(const MemberChange& change, std::uint64_t tick) const;
    [[nodiscard]] bool votes_for(std::span<const MemberChange> changes) const;
    void remember(std::uint32_t source, std::uint64_t entry, std::span<const MemberChange> changes);
    [[nodiscard]] std::uint64_t pending_end(std::uint32_t peer, std::uint64_t ballot = 0) const;
    [[nodiscard]] bool is_ending(std::uint32_t peer) const {
        return pending_end(peer) != Membership::kNever;
    }
    [[nodiscard]] bool any_pending() const;
    [[nodiscard]] std::optional<Membership> expected_members() const;
    [[nodiscard]] std::uint64_t changes_known() const;
    [[nodiscard]] bool has_left(std::uint32_t peer) const;
    [[nodiscard]] std::uint64_t first_pending_join() const;
    void apply_agreed();
    [[nodiscard]] bool apply_next(std::uint32_t from);
    void apply(const MemberChange& change);
    // peer_frame.cpp
    [[nodiscard]] std::int64_t time_passed(std::int64_t now_ns, std::uint64_t due) const;
    [[nodiscard]] std::uint64_t go_back();
    [[nodiscard]] std::uint64_t catch_up(std::uint64_t due) const;
    [[nodiscard]] std::uint64_t run_limit() const;  // ticks before it can be run now
    [[nodiscard]] bool is_over() const { return options_.ticks != 0 && tick_ >= options_.ticks; }
    void fill_in(PeerStep& step);
    void guess(PeerStep& step, std::uint32_t peer);
    void adapt_delay();
    [[nodiscard]] bool may_finish(bool agreed) const;
    void update_state();
    // peer_pace.cpp
    [[nodiscard]] std::int64_t advantage_over(const Link& link) const;
    [[nodiscard]] bool should_wait();
    // peer_receive.cpp
    void refuse(std::uint32_t from, std::string_view why);
    [[nodiscard]] bool accepts(std::uint32_t from, const Packet& packet);
    void meet(std::uint32_t peer, std::uint8_t life);
    void take_ends(Link& link, const Packet& packet) const;
    [[nodiscard]] bool is_own_life(std::span<const std::byte> payload) const;
    void take(std::uint32_t from, const Packet& packet);
    void take_front(Link& link, const Packet& packet);
    [[nodiscard]] bool outlives_promise(std::uint32_t from, const InputRuns& inputs) const;
    [[nodiscard]] bool outranks_end(std::uint32_t from, const InputRuns& inputs) const;
    [[nodiscard]] bool is_plausible(std::uint32_t from, const InputRuns& inputs) const;
    [[nodiscard]] std::string_view take_section(std::uint32_t from, const Section& section);
    [[nodiscard]] static std::string_view take_leaving(Link& link, core::ByteReader reader);
    [[nodiscard]] std::string_view take_gone(core::ByteReader reader);
    [[nodiscard]] std::string_view take_agreed(core::ByteReader reader);
    void note_ballot(std::uint64_t ballot);
    [[nodiscard]] std::string_view take_missing(std::uint32_t from, core::ByteReader reader);
    [[nodiscard]] std::string_view take_relay(std::uint32_t from, core::ByteReader reader);
    // peer_drops.cpp
    [[nodiscard]] std::uint32_t decider() const { return decider(members_); }
    [[nodiscard]] std::uint32_t decider(const Membership& members) const;
    [[nodiscard]] bool may_decide(std::uint32_t peer) const;
    [[nodiscard]] bool follows(std::uint32_t other) const;
    [[nodiscard]] bool misses(std::uint32_t source) const;
    [[nodiscard]] bool is_silent(std::uint32_t peer) const {
        return now_ns_ - links_[peer].last_heard_ns > options_.silence_ns;
    }
    void look_for_silence();
    [[nodiscard]] bool may_forget(const Link& link) const;
    [[nodiscard]] bool needs_help(std::uint32_t source) const;
    void begin_drops();
    void keep(std::uint32_t peer);
    void release(std::uint32_t peer);
    [[nodiscard]] bool is_decided(std::uint32_t peer) const;
    [[nodiscard]] std::optional<std::uint64_t> agreed_end(std::uint32_t peer) const;
    void decide_drops();
    void stop_deciding();
    void refuse_empty_claims(std::uint32_t peer);
    [[nodiscard]] bool is_surely_over(const Link& link) const;
    template <class Counts>
    [[nodiscard]] bool is_quorum(const Counts& counts) const;
    template <class Counts>
    [[nodiscard]] bool is_quorum_of(const Membership& members, const Counts& counts) const;
    [[nodiscard]] bool has_quorum() const;
    [[nodiscard]] bool quorum_has(std::uint64_t entry) const;
    [[nodiscard]] bool may_go_on_elsewhere() const;
    [[nodiscard]] bool is_dropped() const;
    // peer_mismatch.cpp
    void look_at_doubt();
    [[nodiscard]] HashDetails own_details() const;
    [[nodiscard]] std::string_view take_details(std::uint32_t from,
                                                std::span<const std::byte> told);
    // peer_send.cpp
    [[nodiscard]] bool is_due(std::uint32_t to) const;
    [[nodiscard]] std::optional<std::uint8_t> lost_life(std::uint32_t to) const;
    void put_front(std::uint32_t to);
    void put_sections(std::uint32_t to);
    void put_agreed(std::uint32_t to);
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
    void put_join_sections(std::uint32_t to);
    void put_offer(const SnapshotSender& snapshot);
    void admit_ready();
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
    std::vector<MemberChange> changes_;  // to be put into the next own entry
    std::uint64_t ballot_ = 0;           // of what it asks, where it decides
    std::uint64_t promised_ = 0;         // the highest ballot that it knows of
    std::uint64_t told_until_ = 0;  // who is not beyond that tick is told which changes are agreed
    std::vector<std::optional<std::int64_t>> dropping_since_;  // by peer, where this one decides

    std::uint64_t tick_ = 0;       // the next to be run
    std::uint64_t confirmed_ = 0;  // all inputs before it are known
    std::uint64_t again_until_ = 0;
    std::uint64_t due_ = 0;  // ticks, in this frame, that were not run before
    bool is_stalled_ = false;
    std::uint64_t frames_ = 0;
    Guesses guesses_;
    std::uint64_t guesses_checked_ = 0;  // those of ticks before it were right
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
