#include "live_peer.hpp"

#include "../system/udp_socket.hpp"
#include "live_process.hpp"
#include "peer_driver.hpp"
#include "relay.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/reader.hpp>
#include <isotick/replay/recorder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

// The game of a live peer: its simulation, what it goes back to, and its recording.

/// A PeerDriver makes most of its calls.
class LiveGame {
  public:
    /// `recording`: the path to write one to, with `head`; empty: none.
    [[nodiscard]] static core::Result<LiveGame> start(core::Simulation simulation,
                                                      const replay::RecordingHead& head,
                                                      const std::string& recording);

    /// Goes back to a state that was saved, where ticks are undone.
    [[nodiscard]] core::Result<void> begin_frame(core::FrameTime frame_time,
                                                 const PeerFrame& begun);
    /// Runs a tick. The hash of the state after it.
    [[nodiscard]] core::Result<core::StateHash> step(const PeerStep& step);
    [[nodiscard]] core::Result<void> end_frame(double alpha) { return simulation_.render(alpha); }

    /// The state that `wanted` ticks made, which was saved or is the state now.
    [[nodiscard]] core::Result<std::vector<std::byte>> snapshot(std::uint64_t wanted);
    /// Goes on from a state of somebody else.
    [[nodiscard]] core::Result<void> arrive(const Peer::Arrival& arrival);

    /// Ticks below `verified` stand: nobody goes back behind it.
    [[nodiscard]] core::Result<void> confirm(std::uint64_t verified);
    /// Ends the recording, which is complete where `verified` ticks are all that were run.
    [[nodiscard]] core::Result<void> finish(std::uint64_t verified);

    [[nodiscard]] std::uint64_t first_tick() const { return first_tick_; }
    /// After each tick from the first on.
    [[nodiscard]] std::vector<core::StateHash> hashes(std::uint64_t verified) const;

  private:
    explicit LiveGame(core::Simulation simulation) : simulation_(std::move(simulation)) {}

    [[nodiscard]] std::uint64_t ticks_done() const { return first_tick_ + hashes_.size(); }
    [[nodiscard]] core::Result<void> record(const PeerStep& step, core::StateHash hash);

    core::Simulation simulation_;
    std::optional<replay::Recorder> recorder_;
    std::map<std::uint64_t, std::vector<std::byte>> saved_;  // by the tick that comes next
    std::vector<std::byte> spare_;                           // memory to save into
    std::uint64_t first_tick_ = 0;
    std::uint64_t confirmed_ = 0;
    std::vector<core::StateHash> hashes_;     // after each tick from the first on
    std::vector<core::PartHash> last_parts_;  // after the tick that was run last
};

namespace {

using core::Result;

constexpr std::uint32_t kMostUnconfirmed = 4096;  // ticks
constexpr std::uint32_t kPatience_ms = 30'000;

}  // namespace

Result<LiveGame> LiveGame::start(core::Simulation simulation, const replay::RecordingHead& head,
                                 const std::string& recording) {
    LiveGame game(std::move(simulation));
    ISOTICK_TRY_ASSIGN(const auto initial, game.simulation_.hash());
    if (!recording.empty()) {
        ISOTICK_TRY_ASSIGN(game.recorder_, replay::Recorder::create(
                                               recording, head, {initial, game.simulation_.parts()},
                                               {.durable = false,
                                                .patience_ms = kPatience_ms,
                                                .most_unconfirmed = kMostUnconfirmed}));
    }
    return game;
}

Result<void> LiveGame::begin_frame(core::FrameTime frame_time, const PeerFrame& begun) {
    ISOTICK_TRY(simulation_.begin_frame(frame_time));
    if (begun.back == 0) {
        return {};
    }
    hashes_.resize(hashes_.size() - static_cast<std::size_t>(begun.back));
    const auto found = saved_.find(ticks_done());
    if (found == saved_.end()) {
        return core::fail(core::ErrorCode::simulation, "no snapshot to go back to");
    }
    return simulation_.load(found->second);
}

Result<core::StateHash> LiveGame::step(const PeerStep& step) {
    if (step.saves) {
        auto& kept = saved_.try_emplace(step.tick.value, std::move(spare_)).first->second;
        spare_.clear();
        ISOTICK_TRY(simulation_.save_into(kept));
    }
    ISOTICK_TRY(simulation_.step(step.tick, step.inputs));
    ISOTICK_TRY_ASSIGN(const auto hash, simulation_.hash());
    hashes_.push_back(hash);
    last_parts_.assign(simulation_.parts().begin(), simulation_.parts().end());
    ISOTICK_TRY(record(step, hash));
    return hash;
}

Result<void> LiveGame::record(const PeerStep& step, core::StateHash hash) {
    if (!recorder_) {
        return {};
    }
    const replay::TickHashes hashes{hash, simulation_.parts()};
    return recorder_->record(step.tick, step.inputs,
                             recorder_->hash_due(step.tick) ? &hashes : nullptr);
}

Result<std::vector<std::byte>> LiveGame::snapshot(std::uint64_t wanted) {
    if (wanted == ticks_done()) {
        return simulation_.save();
    }
    const auto found = saved_.find(wanted);
    if (found == saved_.end()) {
        return core::fail(core::ErrorCode::simulation, "no snapshot for a peer that joins");
    }
    return found->second;
}

Result<void> LiveGame::arrive(const Peer::Arrival& arrival) {
    ISOTICK_TRY(simulation_.load(arrival.snapshot));
    saved_.clear();
    hashes_.clear();
    first_tick_ = arrival.ticks_done;
    confirmed_ = arrival.ticks_done;
    return {};
}

Result<void> LiveGame::confirm(std::uint64_t verified) {
    while (!saved_.empty() && saved_.begin()->first < verified) {
        spare_ = std::move(saved_.begin()->second);
        saved_.erase(saved_.begin());
    }
    if (recorder_ && verified > confirmed_) {
        ISOTICK_TRY(recorder_->confirm({verified - 1}));
    }
    confirmed_ = std::max(confirmed_, verified);
    return {};
}

Result<void> LiveGame::finish(std::uint64_t verified) {
    if (!recorder_ || verified != ticks_done() || hashes_.empty()) {
        return {};
    }
    return recorder_->finish({hashes_.back(), last_parts_});
}

std::vector<core::StateHash> LiveGame::hashes(std::uint64_t verified) const {
    const std::uint64_t count = verified > first_tick_ ? verified - first_tick_ : 0;
    const auto end = std::min<std::size_t>(hashes_.size(), static_cast<std::size_t>(count));
    return {hashes_.begin(), hashes_.begin() + static_cast<std::ptrdiff_t>(end)};
}

namespace {

using core::ErrorCode;
using core::Result;

constexpr int kMostDatagrams = 4096;  // in a frame: a flood holds nobody up

class LivePeer {
  public:
    LivePeer(const LivePeerRequest& role, std::uint32_t speed, LiveGame game, PeerDriver driver,
             UdpSocket socket)
        : role_(role),
          speed_(speed),
          game_(std::move(game)),
          driver_(std::move(driver)),
          socket_(std::move(socket)) {}

    Result<UdpPeer> run() {
        const auto start_ns = wait_for_start(socket_.port());
        if (!start_ns) {
            return report();
        }
        const LiveClock clock(*start_ns, speed_);
        skip_events_before(clock.now_ns());
        driver_.next_ns += clock.now_ns();
        driver_.plan_next_frame();
        while (!has_signal()) {
            const bool left = driver_.peer.state() == PeerState::left;
            if (!left) {
                happen_until(clock.now_ns());
            }
            const std::int64_t next_ns = driver_.next_ns;
            if (left || clock.now_ns() < next_ns) {
                const int file = kWorkerSocket;
                wait_to_read({&file, 1}, left ? kIdle_ms : clock.wait_ms(next_ns));
                continue;
            }
            ISOTICK_TRY(frame(clock.now_ns()));
            tell_state();
            driver_.plan_next_frame();
        }
        ISOTICK_TRY(game_.finish(driver_.peer.verified()));
        return report();
    }

  private:
    static constexpr int kIdle_ms = 1000;

    void skip_events_before(std::int64_t time_ns) {
        const bool is_first = role_.options.incarnation == 0 && !role_.options.joins;
        while (!is_first && event_ < role_.events.size() && role_.events[event_].at_ns < time_ns) {
            ++event_;
        }
    }

    // As its own clock has it.
    [[nodiscard]] std::int64_t own_time(std::int64_t time_ns) const {
        return time_ns + time_ns / 1'000'000 * role_.frames.drift_ppm;
    }

    Result<void> frame(std::int64_t now_ns) {
        receive_all();
        ISOTICK_TRY(driver_.frame(own_time(now_ns), game_));
        ISOTICK_TRY(game_.confirm(driver_.peer.verified()));
        send_all();
        return {};
    }

    // Where a frame is due. A pause puts it off and makes it longer.
    void happen_until(std::int64_t now_ns) {
        const auto& events = role_.events;
        for (;
             driver_.next_ns <= now_ns && event_ < events.size() && events[event_].at_ns <= now_ns;
             ++event_) {
            const PeerEvent& event = events[event_];
            if (event.kind == PeerEvent::Kind::leave) {
                driver_.peer.leave();
            } else if (event.kind == PeerEvent::Kind::pause) {
                driver_.pause(event.for_ns);
            }
        }
    }

    void receive_all() {
        for (int i = 0; i < kMostDatagrams; ++i) {
            const auto datagram = socket_.receive();
            if (!datagram) {
                return;
            }
            const auto envelope = read_envelope(datagram->bytes, role_.options.cookie);
            if (datagram->from != role_.relay_port || !envelope ||
                envelope->to != role_.options.self) {
                ++strangers_;
                continue;
            }
            driver_.peer.receive(envelope->from, envelope->packet);
        }
    }

    void send_all() {
        while (const auto packet = driver_.peer.next_packet()) {
            write_envelope(
                {role_.options.cookie, static_cast<std::uint8_t>(role_.options.self),
                 static_cast<std::uint8_t>(packet->to), role_.options.incarnation, packet->bytes},
                outgoing_);
            socket_.send(role_.relay_port, outgoing_);
        }
    }

    // When it is over it goes on making frames, as others may still need what it knows.
    void tell_state() {
        const PeerState state = driver_.peer.state();
        if (std::exchange(told_, state) != state) {
            // Where nobody is there, the next signal is a stop.
            tell(LiveSignal::state, static_cast<std::uint64_t>(state));
        }
    }

    [[nodiscard]] UdpPeer report() const {
        UdpPeer told;
        told.peer = role_.options.self;
        told.incarnation = role_.options.incarnation;
        told.recording = role_.output;
        told.state = driver_.peer.state();
        told.statistics = driver_.peer.statistics();
        told.strangers = strangers_;
        told.first_tick = game_.first_tick();
        told.hashes = game_.hashes(driver_.peer.verified());
        told.mismatch = driver_.peer.mismatch();
        told.complaints = driver_.peer.complaints();
        told.presence = attendance_of(driver_.peer, role_.options.peers);
        return told;
    }

    const LivePeerRequest& role_;
    std::uint32_t speed_;
    LiveGame game_;
    PeerDriver driver_;
    UdpSocket socket_;
    std::size_t event_ = 0;
    PeerState told_ = PeerState::running;
    std::uint64_t strangers_ = 0;
    core::Bytes outgoing_;
};

Result<core::Simulation> create_simulation(const LivePeerRequest& role,
                                           const replay::RecordingHead& head,
                                           SimulationCatalog& catalog) {
    ISOTICK_TRY_ASSIGN(const auto* table, catalog.open(role.simulation));
    ISOTICK_TRY(check_match(head, facts_of(*table)));
    ISOTICK_TRY_ASSIGN(auto simulation,
                       core::Simulation::create(*table, setup_of(head, role.environment)));
    if (role.needs_snapshots && !simulation.can_save()) {
        return core::fail(ErrorCode::usage, std::string(table->info->name) +
                                                " makes no snapshots, which rollback and peers "
                                                "that join need");
    }
    return simulation;
}

}  // namespace

Result<UdpPeer> run_live_peer(const LiveRequest& request, const LivePeerRequest& role,
                              SimulationCatalog& catalog) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(role.recording));
    const replay::RecordingHead& head = reader.head();
    ISOTICK_TRY_ASSIGN(auto simulation, create_simulation(role, head, catalog));
    ISOTICK_TRY_ASSIGN(const auto inputs, SessionInputs::read(role.recording, role.options.ticks));
    ISOTICK_TRY_ASSIGN(auto game, LiveGame::start(std::move(simulation), head, role.output));
    ISOTICK_TRY_ASSIGN(auto driver, PeerDriver::make(role.options, role.frames, inputs));
    ISOTICK_TRY_ASSIGN(auto socket, UdpSocket::open());
    return LivePeer(role, request.speed, std::move(game), std::move(driver), std::move(socket))
        .run();
}

}  // namespace isotick::harness
