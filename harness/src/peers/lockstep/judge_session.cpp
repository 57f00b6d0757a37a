#include "judge_session.hpp"

#include "../../explain/peer_parting.hpp"
#include "../session/attendance.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain/explain.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

std::string who(const PeerRun& run) {
    return "peer " + std::to_string(run.peer) + (run.incarnation > 0 ? ", who came again," : "");
}

std::string peers_in(std::uint64_t mask) {
    std::string text;
    for (std::uint32_t peer = 0; peer < kMostPeers; ++peer) {
        if ((mask >> peer & 1U) != 0) {
            text += (text.empty() ? "" : ", ") + std::to_string(peer);
        }
    }
    return text;
}

// `peer 0 waits for 2 at tick 412; peer 1 …`
std::string stall_text(const LockstepTrial& trial) {
    std::string text;
    for (const PeerOutcome& outcome : trial.outcomes) {
        const PeerRun& run = outcome.run;
        if (run.killed || (run.state != PeerState::running && run.state != PeerState::joining)) {
            continue;
        }
        text += (text.empty() ? "" : "; ") + std::string("peer ") + std::to_string(run.peer);
        text += run.state == PeerState::joining ? " waits for a snapshot"
                                                : " waits for " + peers_in(run.waits_for) +
                                                      " at tick " + std::to_string(run.verified);
    }
    return text;
}

// A peer must have been compared wherever it had the last word.
void look_for_gaps(PeerOutcome& outcome) {
    TrialResult& result = outcome.result;
    const std::uint64_t confirmed =
        outcome.run.verified - std::min(outcome.run.verified, outcome.run.course.first_tick);
    if (result.verdict == Verdict::identical && result.statistics.hashes_compared < confirmed) {
        result.verdict = Verdict::inconclusive;
        result.reason = "of " + std::to_string(confirmed) + " ticks " +
                        std::to_string(result.statistics.hashes_compared) + " were compared";
    }
}

std::uint64_t parted_at(const PeerOutcome& outcome) {
    return outcome.result.divergence->computed.ticks_done;
}

// The same for all peers, as far as their ticks stand: who was there when.
std::string presence_mismatch(const LockstepTrial& trial) {
    for (const PeerOutcome& a : trial.outcomes) {
        for (const PeerOutcome& b : trial.outcomes) {
            const auto gap = first_gap(a.run.presence, b.run.presence);
            if (gap && gap->tick < std::min(a.run.verified, b.run.verified)) {
                return who(a.run) + " and " + who(b.run) + " do not agree on when peer " +
                       std::to_string(gap->peer) + " was there";
            }
        }
    }
    return "";
}

}  // namespace

std::optional<std::size_t> first_to_part(const LockstepTrial& trial) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < trial.outcomes.size(); ++i) {
        const PeerOutcome& outcome = trial.outcomes[i];
        if (outcome.result.divergence &&
            (!first || parted_at(outcome) < parted_at(trial.outcomes[*first]))) {
            first = i;
        }
    }
    return first;
}

void judge_session(LockstepTrial& trial) {
    for (PeerOutcome& outcome : trial.outcomes) {
        look_for_gaps(outcome);
        const Verdict verdict = graver(trial.verdict, outcome.result.verdict);
        if (verdict != trial.verdict && verdict != Verdict::diverged) {
            trial.reason = who(outcome.run) + ": " + outcome.result.reason;
        }
        trial.verdict = verdict;
        if (outcome.run.mismatch && !trial.mismatch) {
            trial.mismatch = outcome.run.mismatch;
        }
    }
    if (std::string reason = presence_mismatch(trial); !reason.empty()) {
        trial.verdict = graver(trial.verdict, Verdict::diverged);
        trial.reason = std::move(reason);
    }
    const auto is_finished = [](const PeerOutcome& outcome) {
        return outcome.run.state == PeerState::finished;
    };
    if (trial.end == SessionEnd::disagreed) {
        trial.verdict = graver(trial.verdict, Verdict::diverged);
    } else if (trial.end == SessionEnd::stalled) {
        trial.reason = trial.verdict == Verdict::identical ? stall_text(trial) : trial.reason;
        trial.verdict = graver(trial.verdict, Verdict::stalled);
    } else if (trial.verdict == Verdict::identical &&
               std::ranges::none_of(trial.outcomes, is_finished)) {
        trial.verdict = Verdict::stalled;
        trial.reason = "no peer is left that could go on";
    } else if (trial.verdict == Verdict::identical && !trial.missed.empty()) {
        trial.verdict = Verdict::inconclusive;
        trial.reason = "the session ended before " + to_string(trial.missed.front());
    }
}

namespace {

/// One that diverged, explained.
class Explainer {
  public:
    Explainer(LockstepTrial& trial, const PeerTrials& trials, const SessionSource& source,
              std::size_t outcome)
        : trial_(trial), trials_(trials), source_(source), index_(outcome) {}

    Result<void> explain() {
        PeerOutcome& outcome = trial_.outcomes[index_];
        const TrialPlan& plan = trials_.plan_of(index_);
        ISOTICK_TRY_ASSIGN(const auto again, runner()({&plan, 1}, Isolation::fresh));
        confirm_divergence(outcome.result, again.front());
        if (outcome.result.verdict != Verdict::diverged) {
            trial_.verdict = outcome.result.verdict;
            trial_.reason = who(outcome.run) + ": " + outcome.result.reason;
        }
        describe(*outcome.result.divergence);
        ISOTICK_TRY(find_parts());
        return trial_.mismatch ? Result<void>() : ask_peers();
    }

  private:
    [[nodiscard]] const TrialRunner& runner() const {
        const auto& builds = source_.options.other_builds;
        const auto other = builds.find(trial_.outcomes[index_].run.peer);
        return other == builds.end() ? source_.run : other->second;
    }

    void describe(const Divergence& found) {
        LockstepDivergence divergence;
        divergence.outcome = index_;
        divergence.ticks_done = found.computed.ticks_done;
        divergence.offline = found.recorded;
        divergence.computed = found.computed.hash;
        divergence.context = found.computed.context;
        divergence.rerun = found.computed.rerun;
        bool same = true;
        for (const PeerOutcome& other : trial_.outcomes) {
            const auto& parted = other.result.divergence;
            const bool was_there = other.run.verified >= divergence.ticks_done &&
                                   other.run.course.first_tick < divergence.ticks_done;
            if (was_there && (!parted || parted->computed.ticks_done > divergence.ticks_done)) {
                divergence.others.push_back(other.run.peer);
            }
            same = same && (!was_there || (parted && parted->computed.hash == found.computed.hash));
        }
        divergence.all_peers = same && trial_.outcomes.size() > 1;
        trial_.divergence = std::move(divergence);
    }

    Result<void> find_parts() {
        LockstepDivergence& divergence = *trial_.divergence;
        const std::uint64_t steps = trial_.outcomes[index_].result.divergence->computed.steps;
        const TrialRunner run = runner();
        ISOTICK_TRY_ASSIGN(
            auto parting,
            compare_partings({trials_.offline(), &source_.run, divergence.offline},
                             {trials_.plan_of(index_), &run, divergence.computed},
                             {divergence.ticks_done, steps}, source_.options.most_fields));
        divergence.parts = std::move(parting.parts);
        divergence.fields = std::move(parting.fields);
        return {};
    }

    // What the peers themselves make of it, once those that parted report what they computed.
    Result<void> ask_peers() {
        std::map<std::uint32_t, Divergence> parted;
        for (const PeerOutcome& outcome : trial_.outcomes) {
            if (outcome.result.divergence) {
                parted.emplace(outcome.run.peer, *outcome.result.divergence);
            }
        }
        SessionOptions options;
        options.rate = source_.rate;
        options.snapshot_bytes = source_.snapshot_bytes;
        options.hash_of = [&parted](std::uint32_t peer, core::Tick tick) {
            core::StateHash hash = stand_in_hash(tick);
            const auto other = parted.find(peer);
            if (other != parted.end() && other->second.computed.ticks_done <= tick.value + 1) {
                hash.value ^= other->second.computed.hash.value;
            }
            return hash;
        };
        ISOTICK_TRY_ASSIGN(const auto course,
                           compute_session(trial_.plan, source_.inputs, options));
        for (const PeerRun& run : course.runs) {
            if (run.mismatch && !trial_.mismatch) {
                trial_.mismatch = run.mismatch;
            }
        }
        return {};
    }

    LockstepTrial& trial_;
    const PeerTrials& trials_;
    const SessionSource& source_;
    std::size_t index_;
};

}  // namespace

Result<void> explain_session(LockstepTrial& trial, const PeerTrials& trials,
                             const SessionSource& source) {
    const auto first = first_to_part(trial);
    return first ? Explainer(trial, trials, source, *first).explain() : Result<void>();
}

}  // namespace isotick::harness
