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
    core::put(bytes, std::uint8_t{0});
    return bytes;
}

// Inputs for a million ticks from the very next one on.
Bytes far_ahead(std::uint32_t cookie, const Seat& seat) {
    const std::uint64_t tick = seat.seated->peer.tick().value;
    Bytes bytes = front(cookie, seat, tick);
    Bytes runs;
    core::put_varint(runs, 1'000'000);
    core::put_varint(runs, 2);
    core::put(runs, std::uint16_t{0});
    put_difference(bytes, tick, tick);
    core::put_varint(bytes, runs.size());
    core::put_bytes(bytes, runs);
    return bytes;
}

// Other inputs of its own than it sends. Ticks that are run again have them again.
void alter_own(Seat& seat, const SessionInputs& inputs) {
    CourseWriter& course = seat.seated->course;
    const std::uint64_t end = seat.seated->peer.tick().value;
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
        const auto presence = seat.seated->peer.presence(other);
        const std::uint64_t until = presence.empty() ? 0 : presence.back().until;
        const bool is_new = seat.kept_until < until && until < seat.seated->peer.verified() &&
                            until >= seat.seated->course.first_tick() &&
                            until + kLatest > seat.seated->peer.verified();
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
    if (seat.seated->peer.tick().value < kFaultyFrom) {
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

using core::FrameTime;
using core::Result;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLongestFrame = 500'000'000;  // but where a peer pauses
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
            const std::int64_t frame_ns = seat < seats_.size() ? seats_[seat].next_ns : kNever;
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
        return static_cast<std::int64_t>(snapshot_bytes / 16'384 + 1) * kLongestFrame;
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
        const PeerFrames frames = plan_.frames_of(seat.number);
        ISOTICK_TRY_ASSIGN(Peer peer, Peer::make(options));
        ISOTICK_TRY_ASSIGN(core::Loop loop, core::Loop::make(options_.rate, frames.loop));
        PeerRun run;
        run.peer = seat.number;
        run.incarnation = seat.next_incarnation++;
        run.began_ns = now_ns_ + frames.start_ns;
        std::vector<std::uint32_t> owner;
        for (std::uint32_t player = 0; player < inputs_.players(); ++player) {
            owner.push_back(player % playing());
        }
        owner.push_back(0);  // the world
        seat.seated.reset(new Seated{std::move(peer), std::move(loop),
                                     frames.schedule.frames(options_.rate), frames.drift_ppm,
                                     FrameTime{}, 0, CourseWriter(inputs_, std::move(owner)),
                                     std::move(run), run_ids_++});
        seat.next_ns = now_ns_ + frames.start_ns;
        plan_next_frame(seat);
        return {};
    }

    // Draws the frame that comes next, which begins when its time has passed.
    static void plan_next_frame(Seat& seat) {
        Seated& seated = *seat.seated;
        seated.frame_time =
            FrameTime{std::clamp<std::int64_t>(seated.frames.next().nanoseconds, 0, kLongestFrame)};
        seat.next_ns += real_time(seated, seated.frame_time.nanoseconds);
    }

    static std::int64_t real_time(const Seated& seated, std::int64_t own_ns) {
        return own_ns - own_ns * seated.drift_ppm / (1'000'000 + seated.drift_ppm);
    }

    [[nodiscard]] std::size_t next_seat() const {
        std::size_t next = seats_.size();
        for (std::size_t i = 0; i < seats_.size(); ++i) {
            if (seats_[i].seated &&
                (next == seats_.size() || seats_[i].next_ns < seats_[next].next_ns)) {
                next = i;
            }
        }
        return next;
    }

    [[nodiscard]] bool is_over() const {
        std::array<PeerState, kMostPeers> states{};
        std::size_t count = 0;
        for (const Seat& seat : seats_) {
            if (seat.seated) {
                states.at(count++) = seat.seated->peer.state();
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
                    seat.seated->peer.leave();
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
                    seat.seated->frame_time.nanoseconds += event.for_ns;
                    seat.next_ns += event.for_ns;
                }
                return {};
        }
        return {};
    }

    Result<void> frame(Seat& seat) {
        Seated& seated = *seat.seated;
        ISOTICK_TRY(network_.advance(now_ns_));
        while (const auto delivery = network_.receive(seat.number)) {
            if (!seat.has(PeerFault::shuns_return) || seats_[delivery->from].next_incarnation < 2) {
                seated.peer.receive(delivery->from, delivery->bytes);
            }
        }
        seated.clock_ns += seated.frame_time.nanoseconds;
        const core::HostFrame host = seated.loop.advance(seated.frame_time);
        const std::uint64_t verified = seated.peer.verified();
        const bool was_joining = seated.peer.state() == PeerState::joining;
        ISOTICK_TRY(give_inputs(seat));
        const PeerFrame begun = seated.peer.begin_frame(seated.clock_ns, host.plan.ticks);
        ISOTICK_TRY(hand_snapshots(seated));
        if (!was_joining || seated.peer.state() != PeerState::joining) {
            ISOTICK_TRY(run_ticks(seat, begun, host.plan.alpha));
        }
        progress_ns_ = seated.peer.verified() > verified ? now_ns_ : progress_ns_;
        ISOTICK_TRY(send_packets(seat));
        if (seated.is_over() && !ended_at(seated)) {
            seated.run.ended_ns = now_ns_;
        }
        if (seated.peer.state() == PeerState::left) {
            stand_up(seat);
            return {};
        }
        plan_next_frame(seat);
        return {};
    }

    static bool ended_at(const Seated& seated) { return seated.run.ended_ns != 0; }

    Result<void> give_inputs(Seat& seat) {
        Peer& peer = seat.seated->peer;
        while (const auto wanted = peer.wanted_input()) {
            own_.clear();
            const auto inputs = inputs_.of(*wanted);
            for (std::uint32_t player = seat.number;
                 seat.number < playing() && player < inputs_.players(); player += playing()) {
                own_.push_back(inputs[player]);
            }
            if (seat.number == 0) {
                own_.push_back(inputs.back());
            }
            ISOTICK_TRY(peer.add_input(own_));
        }
        return {};
    }

    Result<void> hand_snapshots(Seated& seated) {
        if (const auto wanted = seated.peer.wanted_snapshot()) {
            if (std::ranges::find(seated.run.given, *wanted) == seated.run.given.end()) {
                seated.run.given.push_back(*wanted);
            }
            givers_.push_back({*wanted, seated.id});
            ISOTICK_TRY(seated.peer.add_snapshot(
                std::vector<std::byte>(static_cast<std::size_t>(options_.snapshot_bytes))));
        }
        if (const auto arrival = seated.peer.take_arrival()) {
            seated.course.begin_at(arrival->ticks_done);
            for (const auto& [tick, id] : givers_) {
                seated.run.donor =
                    tick == arrival->ticks_done ? std::optional(id) : seated.run.donor;
            }
        }
        return {};
    }

    Result<void> run_ticks(Seat& seat, const PeerFrame& begun, double alpha) {
        Seated& seated = *seat.seated;
        seated.course.begin_frame(seated.frame_time, begun.back);
        std::uint32_t steps = 0;
        while (const auto step = seated.peer.next_step()) {
            write(seat, *step);
            ++steps;
            const core::Tick tick = step->tick;
            core::StateHash hash =
                options_.hash_of ? options_.hash_of(seat.number, tick) : stand_in_hash(tick);
            hash.value ^= seat.has(PeerFault::wrong_hashes) && tick.value >= kFaultyFrom ? 1U : 0U;
            seated.peer.add_hash(tick, hash);
            ISOTICK_TRY(give_inputs(seat));
        }
        seated.course.end_frame(alpha);
        if (!seat.faults.empty()) {
            simulate_otherwise(seat, inputs_, playing());
        }
        if (options_.moments) {
            seated.run.moments.push_back({now_ns_, seated.peer.tick().value,
                                          seated.peer.confirmed(),
                                          static_cast<std::uint32_t>(begun.back), steps,
                                          seated.peer.is_stalled(), begun.waits});
        }
        return {};
    }

    void write(const Seat& seat, const PeerStep& step) {
        const Peer& peer = seat.seated->peer;
        seat.seated->course.step(step, [&](std::uint32_t other) {
            return std::ranges::any_of(peer.presence(other), [&](const Presence& presence) {
                return presence.from <= step.tick.value && step.tick.value < presence.until;
            });
        });
    }

    Result<void> send_packets(Seat& seat) {
        Peer& peer = seat.seated->peer;
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
        run.state = seated.peer.state();
        run.ended_ns = run.ended_ns == 0 ? now_ns_ : run.ended_ns;
        run.verified = seated.peer.verified();
        run.waits_for = seated.peer.waits_for();
        run.statistics = seated.peer.statistics();
        run.mismatch = seated.peer.mismatch();
        run.complaints = seated.peer.complaints();
        run.presence = attendance_of(seated.peer, plan_.peers);
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
    std::vector<isotick_input> own_;
    core::Bytes tampered_;
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
