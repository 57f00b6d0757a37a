// Two honest peers and one whose packets are anything: nothing breaks, and the honest two never end
// with different states.
//
// The input: a byte of flags (1: rollback, 2: the third peer joins on the way, 4: it is a
// spectator, 8: it tells the two different inputs). Then, for each frame, a byte of which the
// lowest three bits say what becomes of the third peer's packets (see Tampering), 8 that what is
// forged goes to peer 1 instead of 0, 16 and 32 that the honest peers' packets are lost, 64 that
// they come twice, 128 that the third peer makes another input; and the bytes that this takes.
//
// With 16 in the flags all three are honest, or four with 32, and what follows is a history: for
// every fourth frame, a byte of which the lowest two bits name a peer, 4 kills it or lets it come
// again, 8 and 16 say how long it pauses, 32 and 64 that its packets or all packets are lost.
// Behind it all who were killed come again, and the session must end.

#include "../support/fuzz_target.hpp"
#include "peers/packet.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/harness/peer.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::fuzz {
namespace {

using harness::Peer;
using harness::PeerOptions;
using harness::PeerState;

constexpr std::uint32_t kCookie = 0x5eed;
constexpr std::uint32_t kBad = 2;
constexpr std::uint32_t kOtherFace = 3;  // of the same peer
constexpr std::byte kIsHistory{16};      // in the flags
constexpr std::uint32_t kMostPeers = 4;
constexpr std::uint64_t kTicks = 40;
constexpr int kFrames = 160;
constexpr std::int64_t kFrame = 16'666'667;
constexpr std::int64_t kSilence = 500'000'000;
constexpr int kHeard = 2 * kSilence / kFrame;  // frames, for peers to know of each other

/// What becomes of a packet of the third peer.
enum class Tampering : unsigned { none, lost, changed, cut, replayed, forged, longer, flood };

using Packets = std::vector<std::pair<std::uint32_t, core::Bytes>>;  // from whom

/// A peer and its game, whose state is a digest of all inputs.
class Player {
  public:
    Player(const PeerOptions& options, unsigned salt)
        : peer_(*Peer::make(options)),
          self_(options.self),
          plays_(options.self + options.spectators < options.peers),
          salt_(salt) {}

    Peer& peer() { return peer_; }
    const std::map<std::uint64_t, std::uint64_t>& states() const { return states_; }
    std::uint64_t first_tick() const { return first_tick_; }  // that it runs

    /// A frame; returns the packets that go out, by receiver.
    std::array<std::vector<core::Bytes>, kMostPeers> frame(Packets& arrived, std::int64_t now_ns) {
        for (const auto& [from, bytes] : arrived) {
            peer_.receive(from, bytes);
        }
        arrived.clear();
        give_inputs();
        const harness::PeerFrame begun = peer_.begin_frame(now_ns, 1);
        require(begun.back <= 128, "nobody goes back further than it guesses");
        hand_snapshots();
        run(begun.back);
        return send();
    }

    void make_other_input() { ++salt_; }

  private:
    void give_inputs() {
        for (int i = 0; i < 64 && peer_.wanted_input(); ++i) {
            const auto byte = static_cast<std::uint8_t>(peer_.wanted_input()->value / 5 * salt_);
            std::vector<isotick_input> inputs;
            if (plays_) {
                inputs.push_back({self_, 1, 1, &byte});
            }
            if (self_ == 0) {
                inputs.push_back({ISOTICK_WORLD, 0, 0, nullptr});
            }
            if (!peer_.add_input(inputs)) {
                return;
            }
        }
    }

    void hand_snapshots() {
        if (const auto wanted = peer_.wanted_snapshot()) {
            core::Bytes snapshot;
            core::put(snapshot, before(*wanted));
            require(peer_.add_snapshot(std::move(snapshot)).has_value(), "a snapshot is taken");
        }
        if (const auto arrival = peer_.take_arrival()) {
            core::ByteReader reader(arrival->snapshot);
            first_tick_ = arrival->ticks_done;
            states_[first_tick_] = reader.get<std::uint64_t>();
        }
    }

    std::uint64_t before(std::uint64_t tick) const {
        const auto found = states_.find(tick);
        return found == states_.end() ? 0 : found->second;
    }

    void run(std::uint64_t back) {
        std::uint64_t steps = 0;
        while (const auto step = peer_.next_step()) {
            require(++steps <= back + 256, "a frame ends");
            core::Bytes bytes;
            core::put(bytes, before(step->tick.value));
            for (const isotick_input& input : step->inputs) {
                core::put(bytes, input.present);
                core::put(bytes, input.size);
                core::put_bytes(bytes, std::as_bytes(std::span(
                                           input.data, static_cast<std::size_t>(input.size))));
            }
            const std::uint64_t state = core::hash_bytes(bytes);
            states_[step->tick.value + 1] = state;
            peer_.add_hash(step->tick, {state});
        }
    }

    std::array<std::vector<core::Bytes>, kMostPeers> send() {
        std::array<std::vector<core::Bytes>, kMostPeers> out;
        std::size_t count = 0;
        while (const auto packet = peer_.next_packet()) {
            require(++count <= 4096, "what is sent in a frame is bounded");
            require(packet->bytes.size() <= harness::kLargestPacket, "a packet is no larger");
            require(packet->to < out.size(), "a packet is for a peer");
            out.at(packet->to).emplace_back(packet->bytes.begin(), packet->bytes.end());
        }
        return out;
    }

    Peer peer_;
    std::uint32_t self_;
    bool plays_;
    unsigned salt_;
    std::uint64_t first_tick_ = 0;
    std::map<std::uint64_t, std::uint64_t> states_{{0, 0}};  // by ticks done
};

/// Three peers, and packets that take a frame.
class Session {
  public:
    explicit Session(Input input) : input_(input) {
        const unsigned flags = take_byte(input_);
        PeerOptions options;
        options.mode = (flags & 1) != 0 ? harness::PeerMode::rollback : harness::PeerMode::lockstep;
        options.peers = 3;
        options.players = (flags & 4) != 0 ? 2 : 3;
        options.spectators = (flags & 4) != 0 ? 1 : 0;
        options.late = (flags & 2) != 0 ? 1U << kBad : 0;
        options.ticks = kTicks;
        options.cookie = kCookie;
        options.silence_ns = kSilence;
        for (options.self = 0; options.self < 3; ++options.self) {
            options.joins = (options.late >> options.self & 1U) != 0;
            players_.emplace_back(options, options.self * 37 + 1);
        }
        if ((flags & 8) != 0) {
            options.self = kBad;
            players_.emplace_back(options, 5);
            tells_different_inputs_ = (flags & 4) == 0;
        }
    }

    void play() {
        for (int frame = 0; frame < kFrames && !is_over(); ++frame) {
            now_ns_ += kFrame;
            ++frames_since_loss_;
            const unsigned command = take_byte(input_);
            disturbed_ = disturbed_ || command != 0;
            look_for_silence(command);
            if ((command & 128) != 0) {
                players_[kBad].make_other_input();
            }
            for (std::size_t seat = 0; seat < players_.size(); ++seat) {
                auto out = players_[seat].frame(arrived_[seat], now_ns_);
                for (std::uint32_t to = 0; to < 3; ++to) {
                    for (core::Bytes& bytes : out[to]) {
                        pass(seat, to, std::move(bytes), command);
                    }
                }
            }
            std::swap(arrived_, under_way_);
            check_honest();
        }
        check_end();
    }

  private:
    bool is_over() {
        return players_[0].peer().state() != PeerState::running &&
               players_[1].peer().state() != PeerState::running;
    }

    // Whoever takes a silent peer for gone asks the others for its inputs.
    void look_for_silence(unsigned command) {
        for (std::size_t peer = 0; peer < silent_.size(); ++peer) {
            silent_[peer] = (command & (peer == 0 ? 16U : 32U)) != 0 ? silent_[peer] + 1 : 0;
            was_silent_ = was_silent_ || silent_[peer] * kFrame >= kSilence;
        }
    }

    void deliver(std::uint32_t from, std::uint32_t to, core::Bytes bytes) {
        if (to == kBad) {
            under_way_[kOtherFace].emplace_back(from, bytes);
        }
        under_way_[to].emplace_back(from, std::move(bytes));
    }

    void pass(std::size_t seat, std::uint32_t to, core::Bytes bytes, unsigned command) {
        const auto from = static_cast<std::uint32_t>(std::min<std::size_t>(seat, kBad));
        if (from == kBad) {
            // With two faces, one talks to peer 0 and the other to peer 1.
            if (players_.size() == 3 || (seat == kOtherFace) == (to == 1)) {
                tamper(to, std::move(bytes), command);
            }
            return;
        }
        if ((command & (from == 0 ? 16U : 32U)) != 0) {
            lost_ = true;
            frames_since_loss_ = 0;
            return;
        }
        if ((command & 64) != 0) {
            deliver(from, to, bytes);
        }
        deliver(from, to, std::move(bytes));
    }

    void tamper(std::uint32_t to, core::Bytes bytes, unsigned command) {
        switch (Tampering{command & 7U}) {
            case Tampering::none:
                break;
            case Tampering::lost:
                return;
            case Tampering::changed: {
                const std::size_t at = 4 + take_byte(input_);  // behind the cookie
                if (at < bytes.size()) {
                    bytes[at] ^= static_cast<std::byte>(take_byte(input_));
                }
                break;
            }
            case Tampering::cut:
                bytes.resize(std::min<std::size_t>(bytes.size(), take_byte(input_)));
                break;
            case Tampering::replayed:
                std::swap(bytes, old_);
                break;
            case Tampering::forged:
                bytes = forged();
                to = (command & 8) != 0 ? 1 : 0;
                break;
            case Tampering::longer:
                core::put_bytes(bytes, taken());
                break;
            case Tampering::flood:
                for (int i = 0; i < 5000 && !flooded_; ++i) {
                    deliver(kBad, to, bytes);
                }
                flooded_ = true;
                break;
        }
        old_ = bytes;
        deliver(kBad, to, std::move(bytes));
    }

    Input taken() {
        const std::size_t wanted = take_byte(input_);
        const std::size_t size = std::min(wanted, input_.size());
        const Input bytes = input_.first(size);
        input_ = input_.subspan(size);
        return bytes;
    }

    core::Bytes forged() {
        core::Bytes bytes;
        core::put(bytes, kCookie);
        core::put_bytes(bytes, taken());
        return bytes;
    }

    // Whom an honest peer accuses is not the other one.
    void check_honest() {
        for (std::uint32_t peer = 0; peer < 2; ++peer) {
            const Peer& honest = players_[peer].peer();
            require(honest.complaints().size() <= 3, "what is said of a peer is said once");
            for (const std::string& complaint : honest.complaints()) {
                require(was_silent_ || complaint.starts_with("peer 2:"),
                        "an honest peer is blamed: " + complaint);
            }
            // What an honest peer's lost packets held, the third one may have passed on as it
            // likes; and where it stands alone, it may tell of an honest peer what it likes.
            const auto& found = honest.mismatch();
            const bool is_alone = found && found->minority == std::vector{kBad};
            if (!lost_ && !is_alone && found && found->two_faced) {
                require(*honest.mismatch()->two_faced == kBad, "honest peers have one face");
            }
        }
    }

    // Whether the other honest peer takes part to the end, as far as this one knows.
    static bool keeps(Player& player, std::uint32_t other) {
        const auto presence = player.peer().presence(other);
        return presence.size() == 1 && presence.front() == harness::Presence();
    }

    void check_end() {
        Player& one = players_[0];
        Player& other = players_[1];
        if (!disturbed_ && tells_different_inputs_) {
            for (Player* honest : {&one, &other}) {
                const auto& found = honest->peer().mismatch();
                require(found && found->two_faced == kBad, "who has two faces is found");
            }
            return;
        }
        if (one.peer().state() != PeerState::finished ||
            other.peer().state() != PeerState::finished) {
            require(disturbed_, "undisturbed peers come to the end");
            return;
        }
        if (!keeps(one, 1) || !keeps(other, 0) || frames_since_loss_ < kHeard) {
            return;  // each went on with the third peer, and did not hear of the other
        }
        const std::uint64_t ticks = std::min(one.peer().verified(), other.peer().verified());
        require(ticks == kTicks, "who has finished has all ticks");
        for (std::uint64_t tick = 0; tick <= ticks; ++tick) {
            require(one.states().at(tick) == other.states().at(tick),
                    "honest peers that finish agree");
        }
    }

    Input input_;
    std::vector<Player> players_;
    std::array<Packets, 4> arrived_;
    std::array<Packets, 4> under_way_;
    core::Bytes old_;
    std::int64_t now_ns_ = 0;
    bool flooded_ = false;
    bool tells_different_inputs_ = false;
    bool disturbed_ = false;
    bool lost_ = false;                     // of what honest peers sent
    std::array<std::int64_t, 2> silent_{};  // frames, of the honest ones
    bool was_silent_ = false;               // long enough to be dropped
    int frames_since_loss_ = 0;
};

/// Three or four honest peers that come and go.
class History {
  public:
    explicit History(Input input) : input_(input) {
        const unsigned flags = take_byte(input_);
        options_.mode =
            (flags & 1) != 0 ? harness::PeerMode::rollback : harness::PeerMode::lockstep;
        options_.peers = (flags & 32) != 0 ? 4 : 3;
        options_.spectators = (flags & 4) != 0 ? 1 : 0;
        options_.players = options_.peers - options_.spectators;
        options_.late = (flags & 2) != 0 ? 1U << kBad : 0;
        options_.ticks = kTicksOfHistory;
        options_.cookie = kCookie;
        options_.silence_ns = kSilence;
        seats_.resize(options_.peers);
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            if ((options_.late >> peer & 1U) == 0) {
                sit_down(peer);
            }
        }
    }

    void play() {
        for (int frame = 0; frame < kMostFrames && !input_.empty(); ++frame) {
            if (frame % 4 == 0) {
                happen(take_byte(input_));
            }
            play_frame();
        }
        lost_from_ = 0;
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            seats_[peer].pauses = 0;
            if (!seats_[peer].player) {
                sit_down(peer);
            }
        }
        for (int frame = 0; frame < kMostFrames && !is_over(); ++frame) {
            play_frame();
        }
        if (!without_majority_) {  // else two groups may have gone on: LOCKSTEP.md, "Limits"
            require(is_over() || lacks_majority(), "a session whose peers are all there ends");
            check_states();
        }
    }

  private:
    static constexpr std::uint64_t kTicksOfHistory = 400;
    static constexpr int kMostFrames = 1500;

    struct Seat {
        std::optional<Player> player;
        Packets arrived;
        Packets under_way;
        std::uint8_t lives = 0;
        int pauses = 0;  // frames
    };

    void sit_down(std::uint32_t peer) {
        Seat& seat = seats_[peer];
        options_.self = peer;
        options_.incarnation = seat.lives++;
        options_.joins = options_.incarnation > 0 || (options_.late >> peer & 1U) != 0;
        seat.player.emplace(options_, peer * 37 + 1);
        seat.arrived.clear();
        seat.under_way.clear();
    }

    void happen(unsigned command) {
        const std::uint32_t peer = (command & 3U) % options_.peers;
        Seat& seat = seats_[peer];
        if ((command & 4U) != 0 && seat.player) {
            finished_died_ = finished_died_ || seat.player->peer().verified() == kTicksOfHistory;
            seat.player.reset();  // what it ran counts only where the others agree
            seat.pauses = 0;
        } else if ((command & 4U) != 0 && seat.lives < harness::kMostLives / 2) {
            sit_down(peer);
        }
        seat.pauses += static_cast<int>(command >> 3U & 3U) * 12;
        lost_from_ = (command & 32U) != 0 ? 1U << peer : (command & 64U) != 0 ? ~0U : 0U;
    }

    void play_frame() {
        now_ns_ += kFrame;
        for (std::uint32_t from = 0; from < options_.peers; ++from) {
            Seat& seat = seats_[from];
            if (!seat.player || seat.pauses > 0) {
                seat.pauses -= seat.pauses > 0 ? 1 : 0;
                continue;
            }
            auto out = seat.player->frame(seat.arrived, now_ns_);
            without_majority_ =
                without_majority_ || seat.player->peer().statistics().without_majority > 0;
            for (std::uint32_t to = 0; to < options_.peers; ++to) {
                const bool is_lost = (lost_from_ >> from & 1U) != 0 || (lost_from_ >> to & 1U) != 0;
                for (core::Bytes& bytes : out[to]) {
                    if (!is_lost && seats_[to].player) {
                        seats_[to].under_way.emplace_back(from, std::move(bytes));
                    }
                }
            }
        }
        for (Seat& seat : seats_) {
            std::ranges::move(seat.under_way, std::back_inserter(seat.arrived));
            seat.under_way.clear();
        }
    }

    bool is_over() {
        bool over = true;
        bool finished = false;
        for (Seat& seat : seats_) {
            const PeerState state = seat.player->peer().state();
            over = over && state != PeerState::running && state != PeerState::joining;
            finished = finished || state == PeerState::finished;
            require(without_majority_ || seat.player->peer().complaints().empty(),
                    "honest peers blame nobody");
        }
        return over && finished;
    }

    // Nobody who still takes part knows of a majority that does: it takes more than half of those
    // who take part, or half and the lowest, and too many of them died or went.
    bool lacks_majority() {
        std::uint64_t seated = 0;
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            seated |= std::uint64_t{has_seat(peer)} << peer;
        }
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            const std::uint64_t members = (seated >> peer & 1) != 0 ? members_known_to(peer) : 0;
            const std::uint64_t here = seated & members;
            const int twice = 2 * std::popcount(here);
            const bool has_lowest = (here & members & ~(members - 1)) != 0;
            if (twice > std::popcount(members) || (twice == std::popcount(members) && has_lowest)) {
                return false;
            }
        }
        return true;
    }

    // In the life that it lives now.
    bool has_seat(std::uint32_t peer) {
        Player& player = *seats_[peer].player;
        const PeerState state = player.peer().state();
        const auto presence = player.peer().presence(peer);
        return (state == PeerState::running || state == PeerState::finished) && !presence.empty() &&
               presence.back().until == harness::Presence::kOpen &&
               presence.back().from >= player.first_tick();
    }

    std::uint64_t members_known_to(std::uint32_t peer) {
        std::uint64_t members = 0;
        for (std::uint32_t other = 0; other < options_.peers; ++other) {
            const auto presence = seats_[peer].player->peer().presence(other);
            const bool is_member =
                !presence.empty() && presence.back().until == harness::Presence::kOpen;
            members |= std::uint64_t{is_member} << other;
        }
        return members;
    }

    // Whoever finishes has the same states as all others that do, where both know them. Those whom
    // a spectator followed may have finished and died: then the rest may play the end again.
    void check_states() {
        const std::uint32_t held = options_.peers - (finished_died_ ? options_.spectators : 0);
        for (std::uint32_t peer = 0; peer < held; ++peer) {
            if (seats_[peer].player->peer().state() == PeerState::finished) {
                keep_states(peer);
            }
        }
    }

    void keep_states(std::uint32_t peer) {
        Player& player = *seats_[peer].player;
        if (player.peer().state() != PeerState::finished) {
            return;
        }
        require(player.peer().verified() == kTicksOfHistory, "who has finished has all ticks");
        for (const auto& [tick, state] : player.states()) {
            if (tick > 0) {
                require(states_.emplace(tick, state).first->second == state,
                        "peers that finish agree");
            }
        }
    }

    Input input_;
    PeerOptions options_;
    std::vector<Seat> seats_;
    std::map<std::uint64_t, std::uint64_t> states_;
    std::int64_t now_ns_ = 0;
    bool finished_died_ = false;
    bool without_majority_ = false;  // somebody went on as all other members had restarted
    unsigned lost_from_ = 0;         // bit p: what goes from or to peer p
};

}  // namespace

void run(Input input) {
    if (!input.empty() && (input[0] & kIsHistory) != std::byte{0}) {
        History(input).play();
    } else {
        Session(input).play();
    }
}

}  // namespace isotick::fuzz
