// Computes what each peer of a session does, frame by frame.

#include "liveness.hpp"
#include "packet.hpp"
#include "seat.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/detail/session_course.hpp>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace isotick::harness {

// Planted bad peers: what they send instead of, or beside, what they should.

/// Whether a faulty peer sends `to` something else in a packet's place: `changed`, then.
[[nodiscard]] bool tampers(const Seat& seat, std::uint32_t to, std::span<const std::byte> packet,
                           core::Bytes& changed);

/// Sends what a faulty peer adds in a frame.
[[nodiscard]] core::Result<void> misbehave(const Seat& seat, std::uint32_t cookie,
                                           core::Pcg32& random, SimulatedNetwork& network);

/// What a faulty peer simulates instead of what it agreed on. To be called after each frame.
void simulate_otherwise(Seat& seat, const SessionInputs& inputs, std::uint32_t playing);

/// From which tick on faulty peers are faulty: late enough that all are under way.
inline constexpr std::uint64_t kFaultyFrom = 120;

namespace {

using core::Bytes;
using core::Result;

// Flips a bit of the last input for a tick from kFaultyFrom on that has bytes.
bool alter_inputs(std::span<const std::byte> packet, Bytes& changed) {
    Packet read;
    if (!read_packet(packet, read) || !read.inputs) {
        return false;
    }
    changed.assign(packet.begin(), packet.end());
    bool altered = false;
    std::uint64_t tick = read.inputs->first;
    const auto alter = [&](std::uint64_t count, std::span<const std::byte> entry) {
        if (tick >= kFaultyFrom && entry.size() > 2) {
            changed[static_cast<std::size_t>(&entry.back() - packet.data())] ^= std::byte{1};
            altered = true;
        }
        tick += count;
        return true;
    };
    return each_run(read.inputs->bytes, alter) && altered;
}

Bytes front(std::uint32_t cookie, const Seat& seat, std::uint64_t tick) {
    Bytes bytes;
    core::put(bytes, cookie);
    core::put(bytes, static_cast<std::uint8_t>(seat.number));
    core::put(bytes, std::uint8_t{0x10});  // inputs
    core::put_varint(bytes, tick);
    core::put_varint(bytes, 0);  // decisions
    core::put(bytes, std::uint8_t{0});
    return bytes;
}

// Inputs for a million ticks from the very next one on.
Bytes far_ahead(std::uint32_t cookie, const Seat& seat) {
    const std::uint64_t tick = seat.seated->driver.peer.tick().value;
    Bytes bytes = front(cookie, seat, tick);
    Bytes runs;
    core::put_varint(runs, 1'000'000);
    core::put_varint(runs, 1);
    core::put(runs, std::uint8_t{0});
    put_difference(bytes, tick, tick);
    core::put_varint(bytes, runs.size());
    core::put_bytes(bytes, runs);
    return bytes;
}

// Other inputs of its own than it sends. Ticks that are run again have them again.
void alter_own(Seat& seat, const SessionInputs& inputs) {
    CourseWriter& course = seat.seated->course;
    const std::uint64_t end = seat.seated->driver.peer.tick().value;
    for (core::Tick tick{std::max(kFaultyFrom, end - std::min(end, course.latest_steps()))};
         tick.value < end; ++tick.value) {
        isotick_input input = inputs.of(tick)[seat.number];
        std::vector<std::uint8_t> altered(input.data, input.data + input.size);
        altered.resize(std::max<std::size_t>(1, altered.size()));
        altered.back() ^= 1U;
        input.present = 1;
        input.size = altered.size();
        input.data = altered.data();
        course.replace_input(tick, input);
    }
}

constexpr std::uint64_t kLatest = 128;  // ticks that a course can still be changed in

// One more input of somebody who left, where the others have none.
void keep_leavers(Seat& seat, const SessionInputs& inputs, std::uint32_t playing) {
    for (std::uint32_t other = 0; other < playing; ++other) {
        const auto presence = seat.seated->driver.peer.presence(other);
        const std::uint64_t until = presence.empty() ? 0 : presence.back().until;
        const bool is_new = seat.kept_until < until &&
                            until < seat.seated->driver.peer.verified() &&
                            until >= seat.seated->course.first_tick() &&
                            until + kLatest > seat.seated->driver.peer.verified();
        if (is_new) {
            seat.kept_until = until;
            const core::Tick tick{seat.kept_until};
            seat.seated->course.replace_input(tick, inputs.of(tick)[other]);
        }
    }
}

Bytes malformed(std::uint32_t cookie, core::Pcg32& random) {
    Bytes bytes;
    core::put(bytes, cookie);
    for (std::uint32_t left = random.below(200); left > 0; --left) {
        core::put(bytes, static_cast<std::uint8_t>(random.below(256)));
    }
    return bytes;
}

}  // namespace

bool tampers(const Seat& seat, std::uint32_t to, std::span<const std::byte> packet,
             Bytes& changed) {
    const std::uint32_t victim = seat.number == 0 ? 1 : 0;
    return to == victim && seat.has(PeerFault::two_faced) && alter_inputs(packet, changed);
}

void simulate_otherwise(Seat& seat, const SessionInputs& inputs, std::uint32_t playing) {
    if (seat.has(PeerFault::alters_inputs)) {
        alter_own(seat, inputs);
    }
    if (seat.has(PeerFault::keeps_leaver)) {
        keep_leavers(seat, inputs, playing);
    }
}

Result<void> misbehave(const Seat& seat, std::uint32_t cookie, core::Pcg32& random,
                       SimulatedNetwork& network) {
    if (seat.seated->driver.peer.tick().value < kFaultyFrom) {
        return {};
    }
    for (std::uint32_t to = 0; to < network.nodes(); ++to) {
        if (to == seat.number) {
            continue;
        }
        if (seat.has(PeerFault::far_ahead)) {
            ISOTICK_TRY(network.send(seat.number, to, far_ahead(cookie, seat)));
        }
        if (seat.has(PeerFault::malformed)) {
            ISOTICK_TRY(network.send(seat.number, to, malformed(cookie, random)));
        }
        if (seat.has(PeerFault::oversized)) {
            Bytes bytes = malformed(cookie, random);
            bytes.resize(kLargestPacket + 1 + random.below(3000));
            ISOTICK_TRY(network.send(seat.number, to, bytes));
        }
        const bool floods = seat.has(PeerFault::floods) && to < seat.last_packets.size() &&
                            !seat.last_packets[to].empty();
        for (std::uint32_t left = floods ? 5000 : 0; left > 0; --left) {
            ISOTICK_TRY(network.send(seat.number, to, seat.last_packets[to]));
        }
    }
    return {};
}

namespace {

using core::Result;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostFramesAtOnce = 10'000'000;
// Without a tick anywhere, nor anything that may change that.
constexpr std::int64_t kPatience = 30'000'000'000;
constexpr std::int64_t kLongestWait = 600'000'000'000;  // for such a thing

/// A session under way.
class Session {
  public:
    Session(const LockstepPlan& plan, const SessionInputs& inputs, const SessionOptions& options,
            SimulatedNetwork network)
        : plan_(plan),
          inputs_(inputs),
          options_(options),
          network_(std::move(network)),
          random_(core::derive_seed(plan.seed, {1})),
          cookie_(static_cast<std::uint32_t>(core::derive_seed(plan.seed, {2}))),
          seats_(plan.peers),
          liveness_(plan, ticks(), transfer_ns(options.snapshot_bytes)) {}

    Result<SessionCourse> run() {
        course_.ticks = ticks();
        ISOTICK_TRY(take_seats());
        while (!is_over()) {
            const std::size_t seat = next_seat();
            const std::int64_t frame_ns =
                seat < seats_.size() ? seats_[seat].seated->driver.next_ns : kNever;
            const bool event_first =
                event_ < plan_.events.size() && plan_.events[event_].at_ns <= frame_ns;
            if (!event_first && frame_ns == kNever) {
                break;
            }
            frames_at_once_ = event_first || frame_ns > now_ns_ ? 0 : frames_at_once_ + 1;
            if (frames_at_once_ > kMostFramesAtOnce) {
                return core::fail(core::ErrorCode::usage,
                                  "the frames of a peer take no time, and so never get anywhere");
            }
            now_ns_ = event_first ? std::max(now_ns_, plan_.events[event_].at_ns) : frame_ns;
            if (event_first) {
                ISOTICK_TRY(happen(plan_.events[event_++]));
            } else {
                ISOTICK_TRY(frame(seats_[seat]));
            }
            if (!liveness_.holds(now_ns_, seats_) || is_out_of_patience()) {
                course_.end = SessionEnd::stalled;
                break;
            }
        }
        return finish();
    }

  private:
    [[nodiscard]] std::uint64_t ticks() const {
        return plan_.ticks == 0 ? inputs_.ticks() : std::min(plan_.ticks, inputs_.ticks());
    }

    // At 16 KiB in a frame that is as long as any.
    static std::int64_t transfer_ns(std::uint64_t snapshot_bytes) {
        return static_cast<std::int64_t>(snapshot_bytes / 16'384 + 1) * kLongestPeerFrame;
    }

    // Peers without a majority wait for one.
    [[nodiscard]] bool is_out_of_patience() const {
        std::int64_t changes_ns = plan_.events.empty() ? 0 : plan_.events.back().at_ns;
        for (const NetworkCut& cut : plan_.network.parts().cuts) {
            changes_ns = std::max(changes_ns, cut.from_ns + cut.length_ns);
        }
        return now_ns_ - progress_ns_ > kLongestWait ||
               now_ns_ - std::max(progress_ns_, changes_ns) > kPatience;
    }

    [[nodiscard]] std::uint32_t playing() const { return plan_.peers - plan_.spectators; }

    Result<void> take_seats() {
        std::uint64_t late = 0;
        for (std::uint32_t peer = 0; peer < plan_.peers; ++peer) {
            seats_[peer].number = peer;
            for (const FaultyPeer& faulty : plan_.faults) {
                if (faulty.peer == peer) {
                    seats_[peer].faults.push_back(faulty.fault);
                }
            }
            ISOTICK_TRY_ASSIGN(const PeerOptions options, options_of(peer, 0));
            late = options.late;
            if ((late >> peer & 1U) == 0) {
                ISOTICK_TRY(sit_down(seats_[peer], options));
            }
        }
        return {};
    }

    Result<PeerOptions> options_of(std::uint32_t peer, std::uint32_t incarnation) {
        ISOTICK_TRY_ASSIGN(
            PeerOptions options,
            peer_options(plan_, peer, incarnation, inputs_.players(), options_.rate, ticks()));
        options.cookie = cookie_;
        return options;
    }

    Result<void> sit_down(Seat& seat, const PeerOptions& options) {
        ISOTICK_TRY(network_.advance(now_ns_));
        while (network_.receive(seat.number)) {
        }  // nobody was there
        ISOTICK_TRY_ASSIGN(auto driver,
                           PeerDriver::make(options, plan_.frames_of(seat.number), inputs_));
        driver.next_ns += now_ns_;
        PeerRun run;
        run.peer = seat.number;
        run.incarnation = seat.next_incarnation++;
        run.began_ns = driver.next_ns;
        driver.plan_next_frame();
        std::vector<std::uint32_t> owner;
        for (std::uint32_t player = 0; player < inputs_.players(); ++player) {
            owner.push_back(player % playing());
        }
        owner.push_back(0);  // the world
        seat.seated.reset(new Seated{std::move(driver), 0, CourseWriter(inputs_, std::move(owner)),
                                     std::move(run), run_ids_++});
        return {};
    }

    [[nodiscard]] std::size_t next_seat() const {
        std::size_t next = seats_.size();
        std::int64_t next_ns = kNever;
        for (std::size_t i = 0; i < seats_.size(); ++i) {
            const Seated* seated = seats_[i].seated.get();
            if (seated != nullptr && seated->driver.next_ns < next_ns) {
                next = i;
                next_ns = seated->driver.next_ns;
            }
        }
        return next;
    }

    [[nodiscard]] bool is_over() const {
        std::array<PeerState, kMostPeers> states{};
        std::size_t count = 0;
        for (const Seat& seat : seats_) {
            if (seat.seated) {
                states.at(count++) = seat.seated->driver.peer.state();
            }
        }
        return is_session_over(std::span(states).first(count));
    }

    Result<void> happen(const PeerEvent& event) {
        Seat& seat = seats_[event.peer];
        switch (event.kind) {
            case PeerEvent::Kind::join:
                if (seat.seated && (seat.seated->leaving || seat.seated->is_over())) {
                    stand_up(seat);  // it lingers, but somebody wants the seat
                }
                if (!seat.seated) {
                    ISOTICK_TRY_ASSIGN(auto options, options_of(event.peer, seat.next_incarnation));
                    options.joins = true;
                    return sit_down(seat, options);
                }
                return {};
            case PeerEvent::Kind::leave:
                if (seat.seated) {
                    seat.seated->driver.peer.leave();
                    seat.seated->leaving = true;
                }
                return {};
            case PeerEvent::Kind::kill:
                if (seat.seated) {
                    seat.seated->run.killed = !seat.seated->is_over();
                    stand_up(seat);
                }
                return {};
            case PeerEvent::Kind::pause:
                if (seat.seated) {
                    seat.seated->driver.pause(event.for_ns);
                }
                return {};
            case PeerEvent::Kind::rebind:
                return {};  // check_events refuses it
        }
        return {};
    }

    Result<void> frame(Seat& seat) {
        Seated& seated = *seat.seated;
        ISOTICK_TRY(network_.advance(now_ns_));
        while (const auto delivery = network_.receive(seat.number)) {
            if (!seat.has(PeerFault::shuns_return) || seats_[delivery->from].next_incarnation < 2) {
                seated.driver.peer.receive(delivery->from, delivery->bytes);
            }
        }
        seated.clock_ns += seated.driver.frame_time.nanoseconds;
        const std::uint64_t verified = seated.driver.peer.verified();
        CourseGame game{*this, seat, {}};
        ISOTICK_TRY(seated.driver.frame(seated.clock_ns, game));
        progress_ns_ = seated.driver.peer.verified() > verified ? now_ns_ : progress_ns_;
        ISOTICK_TRY(send_packets(seat));
        if (seated.is_over() && !ended_at(seated)) {
            seated.run.ended_ns = now_ns_;
        }
        if (seated.driver.peer.state() == PeerState::left) {
            stand_up(seat);
            return {};
        }
        seated.driver.plan_next_frame();
        return {};
    }

    static bool ended_at(const Seated& seated) { return seated.run.ended_ns != 0; }

    /// What a peer is a peer of: its course is written down, and no simulation runs.
    struct CourseGame {
        Session& session;
        Seat& seat;
        PeerFrame begun;

        Result<void> begin_frame(core::FrameTime frame_time, const PeerFrame& frame) {
            begun = frame;
            seat.seated->course.begin_frame(frame_time, begun.back);
            return {};
        }

        Result<Bytes> snapshot(std::uint64_t ticks_done) const {
            auto& given = seat.seated->run.given;
            if (std::ranges::find(given, ticks_done) == given.end()) {
                given.push_back(ticks_done);
            }
            session.givers_.emplace_back(ticks_done, seat.seated->id);
            return Bytes(static_cast<std::size_t>(session.options_.snapshot_bytes));
        }

        Result<void> arrive(const Peer::Arrival& arrival) const {
            seat.seated->course.begin_at(arrival.ticks_done);
            for (const auto& [tick, id] : session.givers_) {
                auto& donor = seat.seated->run.donor;
                donor = tick == arrival.ticks_done ? std::optional(id) : donor;
            }
            return {};
        }

        Result<core::StateHash> step(const PeerStep& step) const {
            const Peer& peer = seat.seated->driver.peer;
            const core::Tick tick = step.tick;
            seat.seated->course.step(step, [&](std::uint32_t other) {
                return std::ranges::any_of(peer.presence(other), [&](const Presence& presence) {
                    return presence.from <= tick.value && tick.value < presence.until;
                });
            });
            const auto& hash_of = session.options_.hash_of;
            core::StateHash hash = hash_of ? hash_of(seat.number, tick) : stand_in_hash(tick);
            hash.value ^= seat.has(PeerFault::wrong_hashes) && tick.value >= kFaultyFrom ? 1U : 0U;
            return hash;
        }

        Result<void> end_frame(double alpha) const {
            Seated& seated = *seat.seated;
            seated.course.end_frame(alpha);
            if (!seat.faults.empty()) {
                simulate_otherwise(seat, session.inputs_, session.playing());
            }
            if (session.options_.moments) {
                seated.run.moments.push_back(
                    {session.now_ns_, seated.driver.peer.tick().value,
                     seated.driver.peer.confirmed(), static_cast<std::uint32_t>(begun.back),
                     static_cast<std::uint32_t>(seated.course.latest_steps()),
                     seated.driver.peer.is_stalled(), begun.waits});
            }
            return {};
        }
    };

    Result<void> send_packets(Seat& seat) {
        Peer& peer = seat.seated->driver.peer;
        while (const auto packet = peer.next_packet()) {
            if (!seat.faults.empty()) {
                seat.last_packets.resize(plan_.peers);
                seat.last_packets[packet->to].assign(packet->bytes.begin(), packet->bytes.end());
            }
            const bool changed =
                !seat.faults.empty() && tampers(seat, packet->to, packet->bytes, tampered_);
            ISOTICK_TRY(
                network_.send(seat.number, packet->to,
                              changed ? std::span<const std::byte>(tampered_) : packet->bytes));
        }
        return seat.faults.empty() ? Result<void>() : misbehave(seat, cookie_, random_, network_);
    }

    void stand_up(Seat& seat) {
        Seated& seated = *seat.seated;
        PeerRun& run = seated.run;
        run.state = seated.driver.peer.state();
        run.ended_ns = run.ended_ns == 0 ? now_ns_ : run.ended_ns;
        run.verified = seated.driver.peer.verified();
        run.waits_for = seated.driver.peer.waits_for();
        run.statistics = seated.driver.peer.statistics();
        run.mismatch = seated.driver.peer.mismatch();
        run.complaints = seated.driver.peer.complaints();
        run.presence = attendance_of(seated.driver.peer, plan_.peers);
        if (course_.runs.size() <= seated.id) {
            course_.runs.resize(seated.id + 1);
            courses_.resize(seated.id + 1);
        }
        course_.runs[seated.id] = std::move(run);
        courses_[seated.id].emplace(std::move(seated.course));
        seat.seated.reset();
    }

    // Those who stayed to the end, or longest, are the ones who know who was there when.
    void finish_runs() {
        const auto lasts_longer = [](const PeerRun& one, const PeerRun& other) {
            const bool finished = one.state == PeerState::finished;
            return finished != (other.state == PeerState::finished) ? finished
                                                                    : one.verified > other.verified;
        };
        const Attendance known = std::ranges::min_element(course_.runs, lasts_longer)->presence;
        course_.absences = absences_in(known, inputs_.players(), playing(), course_.ticks);
        for (std::size_t i = 0; i < course_.runs.size(); ++i) {
            PeerRun& run = course_.runs[i];
            if (run.state != PeerState::finished) {
                run.verified = ticks_that_count(run.verified, run.presence, known);
            }
            course_.end = run.state == PeerState::disagreed ? SessionEnd::disagreed : course_.end;
        }
    }

    // Who joined with a state that does not count did nothing that does.
    void finish_courses() {
        std::vector<PeerRun>& runs = course_.runs;
        const auto is_void = [&runs](const PeerRun& run) {
            return run.donor && run.state != PeerState::finished &&
                   runs[*run.donor].verified < run.course.first_tick;
        };
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].course = courses_[i]->finish(runs[i].verified);
        }
        for (auto found = std::ranges::find_if(runs, is_void); found != runs.end();
             found = std::ranges::find_if(runs, is_void)) {
            found->verified = found->statistics.steps = found->statistics.run_again = 0;
            found->donor.reset();
            found->course = Course{found->course.first_tick, {}, {}, {}};
        }
    }

    Result<SessionCourse> finish() {
        course_.ended_ns = now_ns_;
        for (Seat& seat : seats_) {
            if (seat.seated) {
                stand_up(seat);
            }
        }
        finish_runs();
        finish_courses();
        course_.missed.assign(plan_.events.begin() + static_cast<std::ptrdiff_t>(event_),
                              plan_.events.end());
        course_.traffic = network_.statistics();
        if (options_.packets) {
            const auto log = network_.log();
            course_.packets.assign(log.begin(), log.end());
            if (auto same = network_.explicit_spec()) {  // else there were too many
                course_.explicit_network = *std::move(same);
            }
        }
        return std::move(course_);
    }

    const LockstepPlan& plan_;
    const SessionInputs& inputs_;
    const SessionOptions& options_;
    SimulatedNetwork network_;
    core::Pcg32 random_;
    std::uint32_t cookie_;
    std::vector<Seat> seats_;
    Liveness liveness_;
    std::size_t event_ = 0;
    std::uint64_t frames_at_once_ = 0;
    std::size_t run_ids_ = 0;
    std::vector<std::pair<std::uint64_t, std::size_t>> givers_;  // of snapshots: tick, run
    std::int64_t now_ns_ = 0;
    std::int64_t progress_ns_ = 0;
    SessionCourse course_;
    std::vector<std::optional<CourseWriter>> courses_;  // of its runs
    Bytes tampered_;
};

}  // namespace

core::StateHash stand_in_hash(core::Tick tick) {
    return {(tick.value + 1) * 0x9e3779b97f4a7c15U};
}

Result<SessionCourse> compute_session(const LockstepPlan& plan, const SessionInputs& inputs,
                                      const SessionOptions& options) {
    ISOTICK_TRY_ASSIGN(auto network, SimulatedNetwork::make(plan.network, std::max(plan.peers, 2U),
                                                            plan.seed, {.log = options.packets}));
    return Session(plan, inputs, options, std::move(network)).run();
}

}  // namespace isotick::harness
