#pragma once
// A small rollback library, as games have them: each peer runs ahead on guesses, and goes back when
// the true input arrives. It has five classic mistakes to choose from.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

/// What netcode gets wrong.
struct Mistakes {
    bool sends_once = false;           ///< an input is sent in one packet only: no resend window
    bool counts_delay_itself = false;  ///< a peer adds its own input delay to others' inputs
    bool confirms_guesses = false;     ///< a tick is confirmed a while after it was first run
    bool drops_by_itself = false;      ///< each peer decides alone at which tick another is gone
    bool restores_too_little = false;  ///< a snapshot lacks a part of the state
};

using Input = std::uint8_t;
constexpr Input kGone = 0xff;

/// The game, as the library drives it.
struct Game {
    std::function<void(const std::vector<Input>& inputs)> step;
    std::function<std::vector<std::uint8_t>()> save;
    /// `goes_back`: what comes after that state is run again.
    std::function<void(const std::vector<std::uint8_t>& snapshot, bool goes_back)> load;
    /// A tick is settled: its inputs, and the state after it is the current one.
    std::function<void(std::uint64_t tick, const std::vector<Input>& inputs)> confirmed;
};

class Rollback {
  public:
    static constexpr std::uint64_t kMostAhead = 8;
    static constexpr std::uint64_t kFirstDelay = 2;  // of inputs, in ticks
    static constexpr std::uint64_t kMostDelay = 6;
    static constexpr std::uint64_t kDropAfterFrames = 90;

    Rollback(std::uint32_t self, std::uint32_t peers, Mistakes mistakes, Game game)
        : self_(self), mistakes_(mistakes), game_(std::move(game)), peers_(peers) {
        // The first inputs are known to all.
        for (Peer& peer : peers_) {
            peer.inputs.assign(static_cast<std::size_t>(kFirstDelay), 0);
        }
    }

    /// One frame: takes the own input, unless the others are too far behind, and runs a tick.
    /// False: it had to wait.
    bool frame(const std::function<Input(std::uint64_t tick)>& own_input, std::uint64_t last_tick) {
        ++frames_run_;
        for (Peer& peer : peers_) {
            ++peer.silent;
        }
        drop_silent();
        settle();
        if (tick_ >= last_tick) {
            return false;
        }
        if (tick_ >= settled_ + kMostAhead) {
            // Who has to wait again and again gives its inputs more time.
            delay_ += ++waited_ % 4 == 0 && delay_ < kMostDelay ? 1U : 0U;
            return false;
        }
        auto& own = peers_[self_].inputs;
        while (own.size() < tick_ + delay_ + 1) {
            own.push_back(own_input(own.size()));
        }
        run_tick();
        settle();
        return true;
    }

    /// What to send to a peer now: a count, then the inputs that it may lack.
    [[nodiscard]] std::vector<std::uint8_t> packet_for(std::uint32_t peer) const {
        const std::vector<Input>& own = peers_[self_].inputs;
        const std::uint64_t from =
            mistakes_.sends_once ? own.size() - std::min<std::size_t>(own.size(), 1)
                                 : std::min<std::uint64_t>(peers_[peer].acknowledged, own.size());
        std::vector<std::uint8_t> packet;
        put(packet, from);
        put(packet, peers_[peer].inputs.size());  // what we have of it
        const std::uint64_t shift = mistakes_.counts_delay_itself ? delay_ : 0;
        put(packet, shift);
        packet.insert(packet.end(), own.begin() + static_cast<std::ptrdiff_t>(from), own.end());
        return packet;
    }

    void receive(std::uint32_t from, const std::vector<std::uint8_t>& packet) {
        if (packet.size() < 24 || from >= peers_.size() || from == self_) {
            return;
        }
        Peer& peer = peers_[from];
        if (peer.gone) {
            return;
        }
        peer.silent = 0;
        peer.acknowledged = std::max(peer.acknowledged, get(packet, 8));
        std::uint64_t tick = get(packet, 0);
        // The sender's inputs already have its delay in their ticks.
        tick = tick - get(packet, 16) + (mistakes_.counts_delay_itself ? delay_ : 0);
        for (std::size_t at = 24; at < packet.size(); ++at, ++tick) {
            while (mistakes_.counts_delay_itself && tick > peer.inputs.size()) {
                know(peer, peer.inputs.back());  // its own delay is larger: it fills the gap
            }
            if (tick == peer.inputs.size()) {
                know(peer, packet[at]);
            }
        }
    }

    /// Whether all that there is to send has arrived.
    [[nodiscard]] bool all_have(std::uint64_t ticks) const {
        return std::all_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
            return &peer == &peers_[self_] || peer.gone || peer.acknowledged >= ticks;
        });
    }
    [[nodiscard]] std::uint64_t settled() const { return settled_; }
    [[nodiscard]] std::uint64_t rollbacks() const { return rollbacks_; }

  private:
    struct Peer {
        std::vector<Input> inputs;       // from tick 0, without a gap
        std::uint64_t acknowledged = 0;  // how many of ours it has
        std::uint64_t silent = 0;        // frames
        bool gone = false;
    };
    struct Frame {
        std::uint64_t tick = 0;
        std::vector<std::uint8_t> before;
        std::vector<Input> inputs;  // that it ran on
    };

    static void put(std::vector<std::uint8_t>& packet, std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            packet.push_back(static_cast<std::uint8_t>(number >> shift));
        }
    }
    static std::uint64_t get(const std::vector<std::uint8_t>& packet, std::size_t at) {
        std::uint64_t number = 0;
        for (unsigned i = 0; i < 8; ++i) {
            number |= std::uint64_t{packet[at + i]} << (8 * i);
        }
        return number;
    }

    // The next input of a peer, whose tick may have been run on a guess.
    void know(Peer& peer, Input input) {
        const std::uint64_t tick = peer.inputs.size();
        peer.inputs.push_back(input);
        if (tick < tick_ && tick >= settled_ && guessed(tick, peer) != input) {
            first_wrong_ = std::min(first_wrong_, tick);
        }
    }

    [[nodiscard]] Input guessed(std::uint64_t tick, const Peer& peer) const {
        const auto who = static_cast<std::size_t>(&peer - peers_.data());
        for (const Frame& frame : frames_) {
            if (frame.tick == tick) {
                return frame.inputs[who];
            }
        }
        return 0;
    }

    [[nodiscard]] Input input_of(const Peer& peer, std::uint64_t tick) const {
        return tick < peer.inputs.size() ? peer.inputs[static_cast<std::size_t>(tick)]
               : peer.gone               ? kGone
                                         : peer.inputs.back();
    }

    void run_tick() {
        go_back();
        Frame frame{tick_, game_.save(), {}};
        for (const Peer& peer : peers_) {
            frame.inputs.push_back(input_of(peer, tick_));
        }
        game_.step(frame.inputs);
        frames_.push_back(std::move(frame));
        ++tick_;
    }

    void go_back() {
        if (first_wrong_ >= tick_) {
            first_wrong_ = UINT64_MAX;
            return;
        }
        const std::uint64_t until = tick_;
        while (!frames_.empty() && frames_.back().tick > first_wrong_) {
            frames_.pop_back();
        }
        tick_ = frames_.back().tick;
        game_.load(frames_.back().before, true);
        frames_.pop_back();
        first_wrong_ = UINT64_MAX;
        ++rollbacks_;
        while (tick_ < until) {
            run_tick();
        }
    }

    // How many ticks have all their inputs.
    [[nodiscard]] std::uint64_t known() const {
        if (mistakes_.confirms_guesses) {
            constexpr std::uint64_t kUsuallyKnown = 5;
            return std::min(tick_, frames_run_ - std::min(frames_run_, kUsuallyKnown));
        }
        std::uint64_t known = tick_;
        for (const Peer& peer : peers_) {
            known = std::min<std::uint64_t>(known, peer.gone ? tick_ : peer.inputs.size());
        }
        return known;
    }

    // Hands on what is settled: the state after each of these ticks is made once more.
    void settle() {
        go_back();
        const std::uint64_t known_ticks = known();
        if (known_ticks <= settled_) {
            return;
        }
        const std::vector<std::uint8_t> now = game_.save();
        while (settled_ < known_ticks) {
            const Frame& frame = frames_.front();
            game_.load(frames_.size() > 1 ? frames_[1].before : now, false);
            game_.confirmed(settled_, frame.inputs);
            frames_.pop_front();
            ++settled_;
        }
        game_.load(now, false);
    }

    void drop_silent() {
        for (Peer& peer : peers_) {
            const bool is_silent = peer.silent > kDropAfterFrames && &peer != &peers_[self_];
            if (mistakes_.drops_by_itself && is_silent && !peer.gone && settled_ > 0) {
                peer.gone = true;
                const std::uint64_t from = peer.inputs.size();
                first_wrong_ = from < tick_ ? std::min(first_wrong_, from) : first_wrong_;
            }
        }
    }

    std::uint32_t self_;
    std::uint64_t delay_ = kFirstDelay;
    std::uint64_t frames_run_ = 0;
    std::uint64_t waited_ = 0;  // frames
    Mistakes mistakes_;
    Game game_;
    std::vector<Peer> peers_;
    std::uint64_t tick_ = 0;     // the next to be run
    std::uint64_t settled_ = 0;  // ticks
    std::uint64_t first_wrong_ = UINT64_MAX;
    std::uint64_t rollbacks_ = 0;
    std::deque<Frame> frames_;  // from settled_ to before tick_
};
