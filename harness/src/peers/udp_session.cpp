// run_over_udp: starts the processes of a session, and waits for them.

#include "../system/posix.hpp"
#include "live_peer.hpp"
#include "live_process.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/udp_session.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::chrono::milliseconds kUdpPatience{20'000};  // for a process to start, or to end

/// A peer's process and what is known of it.
struct Seat {
    UdpPeer peer;
    LiveProcess process;
    bool started = false;  ///< it was told that the session goes on
    PeerState state = PeerState::running;
    bool gone = false;
};

Result<void> check_plan(const UdpPlan& plan) {
    if (plan.speed < 1 || plan.speed > kFastestUdp) {
        return core::fail(ErrorCode::usage, "a session over UDP runs 1 to 64 times as fast");
    }
    if (!plan.plan.faults.empty()) {
        return core::fail(ErrorCode::usage, "peers over UDP have no planted faults");
    }
    return {};
}

/// Those of the network, as text.
std::vector<std::pair<std::string, std::string>> traces_of(const NetworkSpec& network) {
    std::vector<std::pair<std::string, std::string>> traces;
    const auto take = [&traces](const NamedTrace& named) {
        if (named.trace) {
            traces.emplace_back(named.path, named.trace->to_string());
        }
    };
    take(network.parts().usual.trace);
    for (const LinkRule& rule : network.parts().rules) {
        take(rule.settings.trace);
    }
    return traces;
}

/// A number that nobody guesses.
Result<std::uint32_t> random_cookie() {
    try {
        return std::random_device()();
    } catch (const std::exception& thrown) {
        return tl::unexpected(
            core::caught(thrown, ErrorCode::io, "the system has no random numbers: "));
    }
}

class UdpSession {
  public:
    UdpSession(const UdpPlan& plan, const replay::RecordingHead& head, std::uint64_t ticks,
               std::uint32_t cookie)
        : plan_(plan), head_(head), ticks_(ticks), deadline_ns_(deadline(plan.timeout_ms)) {
        report_.cookie = cookie;
    }

    Result<UdpReport> run() {
        ISOTICK_TRY(start_relay());
        for (std::uint32_t peer = 0; peer < plan_.plan.peers; ++peer) {
            ISOTICK_TRY_ASSIGN(const auto options, options_of(peer, 0));
            if ((options.late >> peer & 1U) == 0) {
                ISOTICK_TRY(sit_down(options));
            }
        }
        ISOTICK_TRY(wait_until_ready());
        go();
        while (!is_over() && !is_late()) {
            ISOTICK_TRY(happen());
            wait_for_signals(next_event_ms());
            ISOTICK_TRY(std::exchange(failure_, {}));
        }
        return finish();
    }

  private:
    static std::int64_t deadline(std::uint64_t timeout_ms) {
        constexpr std::uint64_t kMost_ms = 1'000'000'000;
        return LiveClock::steady_ns() +
               static_cast<std::int64_t>(std::min(timeout_ms, kMost_ms)) * 1'000'000;
    }

    [[nodiscard]] bool is_late() const { return LiveClock::steady_ns() >= deadline_ns_; }

    Result<void> start_relay() {
        const LockstepPlan& plan = plan_.plan;
        LiveRequest request{report_.cookie, plan_.speed, {}};
        request.role = RelayRequest{plan.network.to_string(), traces_of(plan.network),
                                    std::max(plan.peers, 2U), plan.seed, plan_.port};
        ISOTICK_TRY_ASSIGN(relay_, LiveProcess::start(plan_.executable, request));
        const int socket = relay_->socket();
        const bool has_answered =
            wait_to_read({&socket, 1}, static_cast<int>(kUdpPatience.count()));
        const auto signal = has_answered ? relay_->hear() : std::nullopt;
        if (!signal) {
            ISOTICK_TRY(end_relay(kUdpPatience));
            return core::fail(ErrorCode::io, "the relay did not start");
        }
        ports_.assign(1, static_cast<std::uint16_t>(signal->value));
        return {};
    }

    /// Its answer, or its error.
    Result<RelayAnswer> end_relay(std::chrono::milliseconds patience) {
        auto answer = relay_->end(patience);
        if (!answer) {
            answer.error().message = "the relay: " + answer.error().message;
            return tl::unexpected(std::move(answer.error()));
        }
        if (const auto* error = std::get_if<core::Error>(&*answer)) {
            return tl::unexpected(*error);
        }
        const auto* told = std::get_if<RelayAnswer>(&*answer);
        return told != nullptr ? *told : RelayAnswer();
    }

    [[nodiscard]] Result<PeerOptions> options_of(std::uint32_t peer, std::uint32_t incarnation) {
        ISOTICK_TRY_ASSIGN(PeerOptions options,
                           peer_options(plan_.plan, peer, incarnation, head_.session.players,
                                        head_.session.rate, ticks_));
        options.cookie = report_.cookie;
        options.silence_ns *= plan_.speed;  // processes starve in real time
        return options;
    }

    Result<void> sit_down(const PeerOptions& options) {
        LivePeerRequest role;
        role.simulation = plan_.simulation;
        role.environment = plan_.environment;
        role.recording = plan_.recording;
        role.options = options;
        role.frames = plan_.plan.frames_of(options.self);
        role.relay_port = ports_.front();
        for (const PeerEvent& event : plan_.plan.events) {
            if (event.peer == options.self) {
                role.events.push_back(event);
            }
            role.needs_snapshots |= event.kind == PeerEvent::Kind::join;
        }
        role.needs_snapshots |= options.mode == PeerMode::rollback;
        if (!options.joins && !plan_.folder.empty()) {
            role.output = plan_.folder + "/peer-" + std::to_string(options.self) + ".isotick";
        }
        UdpPeer peer;
        peer.peer = options.self;
        peer.incarnation = options.incarnation;
        peer.recording = role.output;
        ISOTICK_TRY_ASSIGN(
            auto process,
            LiveProcess::start(plan_.executable, {report_.cookie, plan_.speed, std::move(role)}));
        seats_.push_back({std::move(peer), std::move(process)});
        return {};
    }

    Result<void> wait_until_ready() {
        const auto initial = seats_.size();
        while (ports_.size() <= initial) {
            if (is_late()) {
                return core::fail(ErrorCode::limit, "the peers did not start in time");
            }
            wait_for_signals(kIdle_ms);
            ISOTICK_TRY(std::exchange(failure_, {}));
            const auto gone = std::ranges::find_if(seats_, &Seat::gone);
            if (gone != seats_.end()) {
                return core::fail(ErrorCode::simulation, "peer " + std::to_string(gone->peer.peer) +
                                                             " did not start: its process " +
                                                             gone->peer.reason);
            }
        }
        if (plan_.on_ready) {
            plan_.on_ready(ports_);
        }
        return {};
    }

    void go() {
        start_ns_ = LiveClock::steady_ns();
        relay_->tell(LiveSignal::go, static_cast<std::uint64_t>(*start_ns_));
        for (Seat& seat : seats_) {
            start(seat);
        }
    }

    void start(Seat& seat) {
        seat.started = true;
        seat.process.tell(LiveSignal::go, static_cast<std::uint64_t>(*start_ns_));
    }

    [[nodiscard]] bool is_over() const {
        std::vector<PeerState> states;
        for (const Seat& seat : seats_) {
            if (!seat.gone) {
                states.push_back(seat.state);
            }
        }
        return is_session_over(states);
    }

    [[nodiscard]] int next_event_ms() const {
        const auto& events = plan_.plan.events;
        return event_ < events.size()
                   ? LiveClock(*start_ns_, plan_.speed).wait_ms(events[event_].at_ns)
                   : kIdle_ms;
    }

    Result<void> happen() {
        const auto& events = plan_.plan.events;
        const std::int64_t now_ns = LiveClock(*start_ns_, plan_.speed).now_ns();
        for (; event_ < events.size() && events[event_].at_ns <= now_ns; ++event_) {
            if (events[event_].kind == PeerEvent::Kind::kill) {
                kill(events[event_].peer);
            } else if (events[event_].kind == PeerEvent::Kind::join) {
                ISOTICK_TRY(join(events[event_].peer));
            }
        }
        return {};
    }

    void kill(std::uint32_t peer) {
        for (Seat& seat : seats_) {
            if (seat.peer.peer == peer && !seat.gone) {
                seat.process.kill();
                seat.process.drain_output();
                seat.gone = true;
                seat.peer.end = UdpEnd::killed;
            }
        }
    }

    Result<void> join(std::uint32_t peer) {
        std::uint32_t incarnation = 0;
        for (const Seat& seat : seats_) {
            incarnation += seat.peer.peer == peer ? 1U : 0U;
        }
        ISOTICK_TRY_ASSIGN(PeerOptions options, options_of(peer, incarnation));
        options.joins = true;
        return sit_down(options);
    }

    /// Waits until somebody says something, ends or prints; at most `most_ms`.
    void wait_for_signals(int most_ms) {
        std::vector<int> files;
        const auto add = [&files](int file) {
            if (file >= 0) {
                files.push_back(file);
            }
        };
        for (const Seat& seat : seats_) {
            add(seat.process.socket());
            add(seat.process.output_file());
        }
        add(relay_->socket());
        wait_to_read(files, most_ms);
        for (Seat& seat : seats_) {
            seat.process.drain_output();
            listen_to(seat);
        }
        relay_->drain_output();
        if (is_readable(relay_->socket()) && !relay_->hear()) {
            const auto ended = end_relay(kUdpPatience);
            failure_ = ended ? core::fail(ErrorCode::io, "the relay ended")
                             : tl::unexpected(ended.error());
        }
    }

    static bool is_readable(int file) { return file >= 0 && wait_to_read({&file, 1}, 0); }

    void listen_to(Seat& seat) {
        while (!seat.gone && is_readable(seat.process.socket())) {
            const auto signal = seat.process.hear();
            if (!signal) {
                ended_early(seat);
            } else if (signal->kind == LiveSignal::state) {
                seat.state = static_cast<PeerState>(signal->value);
            } else if (signal->kind == LiveSignal::ready && start_ns_) {
                start(seat);
            } else if (signal->kind == LiveSignal::ready) {
                ports_.push_back(static_cast<std::uint16_t>(signal->value));
            }
        }
    }

    // An error that a peer tells ends the session; a process that dies does not.
    void ended_early(Seat& seat) {
        seat.gone = true;
        const auto answer = seat.process.end(kUdpPatience);
        const auto* error = answer ? std::get_if<core::Error>(&*answer) : nullptr;
        seat.peer.end = UdpEnd::ended;
        seat.peer.reason = answer ? "ended" : answer.error().message;
        if (error != nullptr) {
            failure_ = told_by(seat.peer, *error);
        }
    }

    static tl::unexpected<core::Error> told_by(const UdpPeer& peer, core::Error error) {
        error.message = "peer " + std::to_string(peer.peer) + ": " + error.message;
        return tl::unexpected(std::move(error));
    }

    Result<UdpReport> finish() {
        ended_ = is_over();
        for (Seat& seat : seats_) {
            if (!seat.gone) {
                seat.process.tell(LiveSignal::stop);
            }
        }
        const auto deadline = std::chrono::steady_clock::now() + kUdpPatience;
        for (Seat& seat : seats_) {
            while (!seat.gone && !seat.process.wait_briefly() &&
                   std::chrono::steady_clock::now() < deadline) {
                std::ranges::for_each(seats_, [](Seat& each) { each.process.drain_output(); });
            }
        }
        for (Seat& seat : seats_) {
            ISOTICK_TRY(collect(seat));
        }
        relay_->tell(LiveSignal::stop);
        ISOTICK_TRY_ASSIGN(const auto relay, end_relay(kUdpPatience));
        report_.traffic = relay.traffic;
        report_.strangers = relay.strangers;
        return std::move(report_);
    }

    Result<void> collect(Seat& seat) {
        UdpPeer peer = std::move(seat.peer);
        if (!seat.gone) {
            const auto answer = seat.process.end({});
            if (const auto* error = answer ? std::get_if<core::Error>(&*answer) : nullptr) {
                return told_by(peer, *error);
            }
            const auto* told = answer ? std::get_if<UdpPeer>(&*answer) : nullptr;
            peer = told != nullptr ? *told : std::move(peer);
            const bool is_late = !answer && answer.error().code == ErrorCode::limit;
            const PeerState state = seat.state;
            const bool is_over = state != PeerState::running && state != PeerState::joining &&
                                 (state != PeerState::alone || ended_);
            peer.end = told != nullptr && is_over   ? UdpEnd::well
                       : told != nullptr || is_late ? UdpEnd::timed_out
                                                    : UdpEnd::ended;
            peer.reason = answer ? "" : answer.error().message;
        }
        peer.output = seat.process.output();
        report_.peers.push_back(std::move(peer));
        return {};
    }

    static constexpr int kIdle_ms = 1000;

    const UdpPlan& plan_;
    const replay::RecordingHead& head_;
    std::uint64_t ticks_;
    std::int64_t deadline_ns_;
    std::optional<LiveProcess> relay_;
    std::vector<Seat> seats_;
    std::vector<std::uint16_t> ports_;  // the relay's, then those of peers as they get ready
    std::optional<std::int64_t> start_ns_;
    std::size_t event_ = 0;
    bool ended_ = false;  // nobody had anything more to do
    Result<void> failure_;
    UdpReport report_;
};

}  // namespace

Result<UdpReport> run_over_udp(const UdpPlan& plan) {
    ISOTICK_TRY(check_plan(plan));
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(plan.recording));
    ISOTICK_TRY_ASSIGN(const auto inputs, SessionInputs::read(plan.recording, plan.most_ticks()));
    if (inputs.ticks() == 0) {
        return core::fail(ErrorCode::usage, "the recording has no ticks");
    }
    ISOTICK_TRY_ASSIGN(const auto cookie, random_cookie());
    return UdpSession(plan, reader.head(), inputs.ticks(), cookie).run();
}

}  // namespace isotick::harness
