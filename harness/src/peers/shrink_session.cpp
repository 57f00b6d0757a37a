#include "shrink_session.hpp"

#include "../study/shrink_schedule.hpp"
#include "../system/drop_blocks.hpp"
#include "judge_session.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// `packet 3→1 at 412ms dropped`
std::string packet_text(const LoggedPacket& packet) {
    const auto time = [](std::int64_t ns) { return core::to_string(core::FrameTime{ns}); };
    const std::string text = "packet " + std::to_string(packet.from) + "→" +
                             std::to_string(packet.to) + " at " + time(packet.sent_ns) + " ";
    switch (packet.fate) {
        case PacketFate::late:
            return text + "late by " + time(packet.by_ns);
        case PacketFate::twice:
            return text + "delivered again after " + time(packet.by_ns);
        default:
            return text + "dropped";
    }
}

bool is_fate_of(const PacketEvent& event, const LoggedPacket& packet) {
    const bool is_late = packet.fate == PacketFate::late;
    const bool is_copy = packet.fate == PacketFate::twice;
    return packet.from == event.from && packet.to == event.to && packet.number == event.number &&
           is_late == (event.fault == PacketFault::late) &&
           is_copy == (event.fault == PacketFault::twice);
}

/// Something that a session may not need, and the session without it.
struct SessionPart {
    std::string text;
    LockstepPlan without;
};

/// The search for the least session that fails as the given one does: the same peer diverges, no
/// later. But where events are needed they fix the time, and how long the peers then take to agree
/// on who is there depends on the network: it may also diverge later.
class SessionSearch {
  public:
    SessionSearch(const LockstepTrial& trial, const SessionSource& source)
        : source_(source),
          peer_(trial.outcomes[trial.divergence->outcome].run.peer),
          until_(trial.divergence->ticks_done),
          given_(trial.plan) {
        given_.ticks = ran_ticks_ = trial.ticks;
        best_ = given_;
        const std::uint64_t most = *source.options.shrink_ticks;
        most_ticks_ =
            most != 0 ? most : std::max(kLeastSessionTicks, kUsualSessionReplays * latest());
    }

    void search() {
        drop_events();
        drop_peers();
        plain_frames();
        shrink_links();
        unless_longer([this] { shrink_packets(); });
        plain_frames();
        unless_longer([this] { shrink_frames(); });
        cut_ticks();
        find_needs();
        best_.ticks = ran_ticks_;
    }

    [[nodiscard]] bool found() const { return best_ != given_; }
    [[nodiscard]] const LockstepPlan& best() const { return best_; }
    [[nodiscard]] SessionShrinking effort() const {
        SessionShrinking effort;
        effort.trials = trials_;
        effort.ticks = ticks_;
        effort.needs = needs_;
        effort.unfinished = error_   ? error_->message
                            : over() ? "the ticks that it may take are used up"
                                     : "";
        return effort;
    }

  private:
    /// What came of a candidate.
    struct Outcome {
        std::optional<std::uint64_t> diverged_at;  ///< ticks done by the peer that is looked at
        bool others = false;                       ///< another peer diverged
    };

    [[nodiscard]] bool over() const {
        return error_ || ticks_ >= most_ticks_ || trials_ >= kMostCandidates;
    }

    // How long a candidate runs, in ticks: somewhat longer than until it diverges, since what makes
    // a tick go wrong that is run again may be a later one; and after the last event, two seconds
    // more than a session has run by then that nothing holds up.
    [[nodiscard]] std::uint64_t latest() const {
        constexpr std::uint64_t kTicksAfter = 64;
        constexpr std::uint64_t kSecondsAfter = 2;
        std::uint64_t latest = until_ + kTicksAfter;
        for (const PeerEvent& event : best_.events) {
            const auto seconds =
                static_cast<std::uint64_t>((event.at_ns + event.for_ns) / 1'000'000'000 + 1);
            latest = std::max(latest, (seconds + kSecondsAfter) * source_.rate.numerator() /
                                          source_.rate.denominator());
        }
        return std::min(latest, given_.ticks);
    }

    // `alone`: other peers are not looked at.
    Result<Outcome> run(LockstepPlan candidate, std::uint64_t ticks, bool alone) {
        ++trials_;
        candidate.ticks = ticks;
        ISOTICK_TRY_ASSIGN(auto trials, PeerTrials::prepare(source_, candidate, 0, "", {}));
        if (alone) {
            trials.leave_only(peer_);
        }
        std::vector<PeerTrials> sessions;
        sessions.push_back(std::move(trials));
        ISOTICK_TRY(run_all(sessions, source_));
        const LockstepTrial trial = sessions.front().finish();
        ticks_ += trial.absences.empty() ? 0 : trial.ticks;
        Outcome found;
        for (const PeerOutcome& outcome : trial.outcomes) {
            ticks_ += outcome.result.statistics.ticks;
            if (const auto& divergence = outcome.result.divergence) {
                const std::uint64_t at = divergence->computed.ticks_done;
                const bool is_other = outcome.run.peer != peer_;
                found.others = found.others || is_other;
                found.diverged_at =
                    is_other ? found.diverged_at : std::min(at, found.diverged_at.value_or(at));
            }
        }
        return found;
    }

    // A candidate that makes no sense does not diverge.
    Outcome try_out(const LockstepPlan& candidate, std::uint64_t ticks, bool alone) {
        auto outcome = run(candidate, ticks, alone);
        if (!outcome && outcome.error().code != core::ErrorCode::usage) {
            error_ = outcome.error();
        }
        return outcome ? *outcome : Outcome();
    }

    bool take(const LockstepPlan& candidate, const Outcome& outcome, std::uint64_t ticks) {
        const bool is_as_given =
            outcome.diverged_at && (*outcome.diverged_at <= until_ || !candidate.events.empty());
        if (is_as_given) {
            ran_ticks_ = ticks;
            best_ = candidate;
            until_ = *outcome.diverged_at;
        }
        return is_as_given;
    }

    // Whether it fails with one thing changed; then it stays so.
    template <class Change>
    bool fails_with(const Change& change) {
        LockstepPlan candidate = best_;
        change(candidate);
        const std::uint64_t ticks = latest();
        return candidate == best_ ||
               (!over() && take(candidate, try_out(candidate, ticks, true), ticks));
    }

    // What a search leaves is of no use where it is long, and the given plan was the shorter text.
    template <class Search>
    void unless_longer(const Search& search) {
        const LockstepPlan before = best_;
        const std::uint64_t until = until_;
        const std::uint64_t ran = ran_ticks_;
        search();
        if (to_string(best_).size() > std::max(kShortPlan, to_string(given_).size())) {
            best_ = before;
            until_ = until;
            ran_ticks_ = ran;
        }
    }

    void cut_ticks() {
        for (const std::uint64_t ticks : {until_, latest()}) {
            if (ticks < ran_ticks_ && try_out(best_, ticks, true).diverged_at) {
                ran_ticks_ = ticks;
                break;
            }
        }
    }

    void drop_events() {
        drop_blocks(best_.events, [&](std::span<const PeerEvent> block) {
            return fails_with([&](LockstepPlan& candidate) {
                std::erase_if(candidate.events, [&](const PeerEvent& event) {
                    return std::ranges::find(block, event) != block.end();
                });
            });
        });
    }

    // The last ones, where nothing names them; but one of the usual build stays, which tells what
    // is wrong with the others.
    void drop_peers() {
        std::uint32_t least = std::max(2U, peer_ + 1);
        for (const PeerEvent& event : best_.events) {
            least = std::max(least, event.peer + 1);
        }
        for (const FaultyPeer& faulty : best_.faults) {
            least = std::max(least, faulty.peer + 1);
        }
        const auto& others = source_.options.other_builds;
        for (const auto& [peer, build] : others) {
            least = std::max(least, peer + 1);
        }
        least += others.size() == least ? 1U : 0U;
        for (; least < best_.peers; least += (best_.peers - least + 1) / 2) {
            fails_with([least](LockstepPlan& candidate) {
                const std::uint32_t dropped = candidate.peers - least;
                candidate.peers = least;
                candidate.spectators -= std::min(candidate.spectators, dropped);
                candidate.frames.resize(std::min<std::size_t>(candidate.frames.size(), least));
            });
        }
    }

    void plain_frames() {
        if (fails_with([](LockstepPlan& candidate) { candidate.frames.clear(); })) {
            return;
        }
        for (std::size_t peer = 0; peer < best_.frames.size(); ++peer) {
            if (fails_with(
                    [peer](LockstepPlan& candidate) { candidate.frames[peer] = PeerFrames(); })) {
                continue;
            }
            fails_with([peer](LockstepPlan& candidate) {
                candidate.frames[peer].drift_ppm = 0;
                candidate.frames[peer].start_ns = 0;
            });
        }
    }

    void shrink_links() {
        shrink_network(best_.network, [this](const NetworkSpec& network) {
            return NetworkRun{fails_with([&](LockstepPlan& candidate) {
                                  candidate.network = network;
                                  candidate.seed = network == NetworkSpec() ? 0 : candidate.seed;
                              }),
                              std::nullopt};
        });
    }

    [[nodiscard]] std::optional<SessionCourse> logged_session() const {
        SessionOptions options;
        options.rate = source_.rate;
        options.snapshot_bytes = source_.snapshot_bytes;
        options.packets = true;
        LockstepPlan plan = best_;
        plan.ticks = latest();
        auto course = compute_session(plan, source_.inputs, options);
        return course ? std::optional(*std::move(course)) : std::nullopt;
    }

    // The same network, packet by packet.
    void shrink_packets() {
        const auto course = logged_session();
        if (course && course->explicit_network && fails_with([&](LockstepPlan& candidate) {
                candidate.network = *course->explicit_network;
                candidate.seed = 0;
            })) {
            shrink_links();
        }
    }

    // The frames of the one that diverges, where they matter.
    void shrink_frames() {
        if (peer_ >= best_.frames.size() || over()) {
            return;
        }
        const PeerFrames frames = best_.frames[peer_];
        if (frames.schedule == core::Schedule::nominal()) {
            return;
        }
        std::vector<core::FrameTime> times;
        core::FrameSource source = frames.schedule.frames(source_.rate);
        const auto loop = core::Loop::make(source_.rate, frames.loop);
        if (!loop) {
            return;
        }
        core::Loop host = *loop;
        for (std::uint64_t ticks = 0; ticks < until_ && times.size() < kMostFrames;) {
            times.push_back(source.next());
            ticks += host.advance(times.back()).plan.ticks;
        }
        const core::Tick until{until_ - 1};
        const ScheduleRunner run = [&](const ScheduleCandidate& candidate) {
            return run_schedule(candidate, until);
        };
        const std::uint64_t left = most_ticks_ - std::min(most_ticks_, ticks_);
        const auto shrunk = shrink_schedule({std::move(times), until, {source_.rate, frames.loop}},
                                            run, {.most_trials = kMostTrials, .most_ticks = left});
        // Frames that make no sense to it stay as they are.
        if (!shrunk && shrunk.error().code != core::ErrorCode::usage) {
            error_ = shrunk.error();
        }
    }

    Result<RanCandidate> run_schedule(const ScheduleCandidate& candidate, core::Tick until) {
        ISOTICK_TRY_ASSIGN(const core::Schedule schedule, schedule_of(candidate.runs));
        const std::uint64_t before = ticks_;
        RanCandidate ran;
        if (fails_with([&](LockstepPlan& changed) { changed.frames[peer_].schedule = schedule; })) {
            ran.diverged_at = until;
        }
        ran.ticks_spent = ticks_ - before;
        return ran;
    }

    // Tries to do without each part that is left, until none can go. It is needed if no peer
    // diverges without it in as many ticks.
    void find_needs() {
        for (bool again = true; again && !over();) {
            again = false;
            needs_.clear();
            for (SessionPart& part : parts()) {
                const Outcome outcome = try_out(part.without, ran_ticks_, false);
                if (over() || take(part.without, outcome, ran_ticks_)) {
                    again = true;
                    break;
                }
                if (!outcome.others) {
                    needs_.push_back(std::move(part.text));
                }
            }
        }
        if (over()) {
            needs_.clear();
        }
    }

    [[nodiscard]] std::vector<SessionPart> parts() const {
        std::vector<SessionPart> parts;
        const auto add = [&](std::string text, const auto& change) {
            LockstepPlan without = best_;
            change(without);
            if (without != best_) {
                parts.push_back({std::move(text), std::move(without)});
            }
        };
        for (std::size_t i = 0; i < best_.events.size(); ++i) {
            add(to_string(best_.events[i]), [i](LockstepPlan& plan) {
                plan.events.erase(plan.events.begin() + static_cast<std::ptrdiff_t>(i));
            });
        }
        for (std::size_t peer = 0; peer < best_.frames.size(); ++peer) {
            add("the frame times of peer " + std::to_string(peer),
                [peer](LockstepPlan& plan) { plan.frames[peer] = PeerFrames(); });
        }
        const auto on = [](LockstepPlan& plan, NetworkParts network) {
            plan.network = NetworkSpec::from_parts(std::move(network)).value_or(plan.network);
        };
        NetworkParts network = best_.network.parts();
        const std::vector<PacketEvent> events = std::exchange(network.events, {});
        add("network " + NetworkSpec::from_parts(network).value_or(NetworkSpec()).to_string(),
            [&](LockstepPlan& plan) {
                on(plan, {{}, {}, {}, events});
            });
        const std::vector<std::string> packets = texts_of(events);
        for (std::size_t i = 0; i < events.size(); ++i) {
            network.events = events;
            network.events.erase(network.events.begin() + static_cast<std::ptrdiff_t>(i));
            add(packets[i], [&](LockstepPlan& plan) { on(plan, network); });
        }
        return parts;
    }

    // What the network does to packets, in words; those that are never sent have none.
    [[nodiscard]] std::vector<std::string> texts_of(const std::vector<PacketEvent>& events) const {
        std::vector<std::string> texts(events.size());
        const auto course = events.empty() ? std::nullopt : logged_session();
        for (std::size_t i = 0; course && i < events.size(); ++i) {
            const auto packet = std::ranges::find_if(
                course->packets,
                [&](const LoggedPacket& logged) { return is_fate_of(events[i], logged); });
            texts[i] = packet == course->packets.end() ? "" : packet_text(*packet);
        }
        return texts;
    }

    static constexpr std::size_t kShortPlan = 160;  // bytes: a few packets
    static constexpr std::size_t kMostFrames = 100'000;
    static constexpr std::uint64_t kMostTrials = 200;
    static constexpr std::uint64_t kMostCandidates = 600;

    const SessionSource& source_;
    std::uint32_t peer_;
    std::uint64_t until_;          // the ticks done where it diverges
    std::uint64_t ran_ticks_ = 0;  // of the run of `best_` that diverged
    LockstepPlan given_;
    LockstepPlan best_;
    std::vector<std::string> needs_;
    std::uint64_t most_ticks_ = 0;
    std::uint64_t trials_ = 0;
    std::uint64_t ticks_ = 0;
    std::optional<core::Error> error_;
};

}  // namespace

Result<void> shrink_session(LockstepTrial& trial, const SessionSource& source) {
    if (!trial.divergence || trial.verdict != Verdict::diverged) {
        return {};
    }
    SessionSearch search(trial, source);
    search.search();
    SessionShrinking shrinking = search.effort();
    shrinking.original = trial.plan;
    shrinking.original_ticks = trial.ticks;
    if (search.found()) {
        ISOTICK_TRY_ASSIGN(auto smaller,
                           PeerTrials::prepare(source, search.best(), trial.number, "", {}));
        std::vector<PeerTrials> sessions;
        sessions.push_back(std::move(smaller));
        ISOTICK_TRY(run_all(sessions, source));
        LockstepTrial made = sessions.front().finish();
        judge_session(made);
        ISOTICK_TRY(explain_session(made, sessions.front(), source));
        if (!made.divergence) {
            trial.verdict = Verdict::nondeterministic;
            trial.reason = "a smaller session, " + to_string(made.plan) +
                           ", diverged, and did not when it was run again";
            return {};
        }
        trial = std::move(made);
    }
    if (trial.verdict != Verdict::diverged) {
        shrinking.needs.clear();
    }
    trial.shrinking = std::move(shrinking);
    return {};
}

}  // namespace isotick::harness
