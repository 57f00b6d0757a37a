#include "shrink_session.hpp"

#include "../../shrink/schedule/shrink_schedule.hpp"
#include "../../shrink/search/blocks.hpp"
#include "judge_session.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

/// The search for the least session.
class SessionSearch {
  public:
    SessionSearch(const LockstepTrial& trial, const SessionSource& source)
        : source_(source),
          peer_(trial.outcomes[trial.divergence->outcome].run.peer),
          until_(trial.divergence->ticks_done),
          best_(trial.plan) {
        const std::uint64_t given = *source.options.shrink_ticks;
        most_ticks_ =
            given != 0 ? given : std::max(kLeastSessionTicks, kUsualSessionReplays * until_);
    }

    void search() {
        cut_ticks();
        drop_events();
        plain_frames();
        plain_network();
        drop_packets();
        plain_frames();
        shrink_frames();
    }

    [[nodiscard]] const LockstepPlan& best() const { return best_; }
    [[nodiscard]] SessionShrinking effort() const {
        SessionShrinking effort;
        effort.trials = trials_;
        effort.ticks = ticks_;
        effort.unfinished = error_   ? error_->message
                            : over() ? "the ticks that it may take are used up"
                                     : "";
        return effort;
    }

  private:
    [[nodiscard]] bool over() const {
        return error_ || ticks_ >= most_ticks_ || trials_ >= kMostCandidates;
    }

    // When the same peer diverges, no later; none: it does not, or may not be tried.
    Result<std::optional<std::uint64_t>> diverges(const LockstepPlan& candidate) {
        ++trials_;
        SessionOptions how;
        ISOTICK_TRY_ASSIGN(auto trials, PeerTrials::prepare(source_, candidate, 0, "", how));
        std::vector<PeerTrials> sessions;
        trials.leave_only(peer_);
        sessions.push_back(std::move(trials));
        ISOTICK_TRY(run_all(sessions, source_));
        const LockstepTrial trial = sessions.front().finish();
        std::optional<std::uint64_t> at;
        for (const PeerOutcome& outcome : trial.outcomes) {
            ticks_ += outcome.result.statistics.ticks;
            const auto& divergence = outcome.result.divergence;
            if (outcome.run.peer == peer_ && divergence &&
                divergence->computed.ticks_done <= until_) {
                at = std::min(at.value_or(until_), divergence->computed.ticks_done);
            }
        }
        return at;
    }

    bool fails(const LockstepPlan& candidate) {
        if (over()) {
            return false;
        }
        const auto at = diverges(candidate);
        if (!at) {
            if (at.error().code != core::ErrorCode::usage) {
                error_ = at.error();
            }
            return false;  // one that makes no sense is none
        }
        if (!*at) {
            return false;
        }
        best_ = candidate;
        until_ = **at;
        return true;
    }

    // Fails with one thing changed.
    template <class Change>
    bool fails_with(const Change& change) {
        LockstepPlan candidate = best_;
        change(candidate);
        return candidate == best_ || fails(candidate);
    }

    void cut_ticks() {
        fails_with([this](LockstepPlan& candidate) { candidate.ticks = until_; });
    }

    void drop_events() {
        for (std::size_t i = best_.events.size(); i-- > 0;) {
            fails_with([i](LockstepPlan& candidate) {
                candidate.events.erase(candidate.events.begin() + static_cast<std::ptrdiff_t>(i));
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

    void plain_network() {
        const auto perfect = [](LockstepPlan& candidate) {
            candidate.network = NetworkSpec();
            candidate.seed = 0;
        };
        if (!fails_with(perfect)) {
            name_packets();
        }
    }

    // The same network, packet by packet.
    void name_packets() {
        SessionOptions options;
        options.rate = source_.rate;
        options.snapshot_bytes = source_.snapshot_bytes;
        options.packets = true;
        const auto course = compute_session(best_, source_.inputs, options);
        if (course && course->explicit_network) {
            fails_with([&](LockstepPlan& candidate) {
                candidate.network = *course->explicit_network;
                candidate.seed = 0;
            });
        }
    }

    bool fails_on(NetworkParts parts) {
        auto network = NetworkSpec::from_parts(std::move(parts));
        return network &&
               fails_with([&](LockstepPlan& candidate) { candidate.network = *network; });
    }

    void drop_packets() {
        const auto without = [this](std::span<const PacketEvent> block) {
            NetworkParts parts = best_.network.parts();
            std::erase_if(parts.events, [&](const PacketEvent& event) {
                return std::ranges::find(block, event) != block.end();
            });
            return parts;
        };
        drop_blocks(best_.network.parts().events, [&](std::span<const PacketEvent> block) {
            return !over() && fails_on(without(block));
        });
        NetworkParts parts = best_.network.parts();
        parts.usual = LinkSettings();
        parts.rules.clear();
        fails_on(std::move(parts));
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
        const ScheduleRunner run = [&](const ScheduleCandidate& candidate) {
            return run_schedule(candidate);
        };
        const std::uint64_t left = most_ticks_ - std::min(most_ticks_, ticks_);
        static_cast<void>(
            shrink_schedule({std::move(times), core::Tick{until_ - 1}, {source_.rate, frames.loop}},
                            run, {.most_trials = kMostTrials, .most_ticks = left}));
    }

    Result<RanCandidate> run_schedule(const ScheduleCandidate& candidate) {
        ISOTICK_TRY_ASSIGN(const core::Schedule schedule, schedule_of(candidate.runs));
        const std::uint64_t before = ticks_;
        RanCandidate ran;
        if (fails_with([&](LockstepPlan& changed) { changed.frames[peer_].schedule = schedule; })) {
            ran.diverged_at = core::Tick{until_ - 1};
        }
        ran.ticks_spent = ticks_ - before;
        return ran;
    }

    static constexpr std::size_t kMostFrames = 100'000;
    static constexpr std::uint64_t kMostTrials = 200;
    static constexpr std::uint64_t kMostCandidates = 600;

    const SessionSource& source_;
    std::uint32_t peer_;
    std::uint64_t until_;
    LockstepPlan best_;
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
    if (search.best() == trial.plan) {
        trial.shrinking = std::move(shrinking);
        return {};
    }
    SessionOptions how;
    ISOTICK_TRY_ASSIGN(auto smaller,
                       PeerTrials::prepare(source, search.best(), trial.number, "", how));
    std::vector<PeerTrials> sessions;
    sessions.push_back(std::move(smaller));
    ISOTICK_TRY(run_all(sessions, source));
    LockstepTrial made = sessions.front().finish();
    judge_session(made);
    ISOTICK_TRY(explain_session(made, sessions.front(), source));
    made.shrinking = std::move(shrinking);
    trial = std::move(made);
    return {};
}

}  // namespace isotick::harness
