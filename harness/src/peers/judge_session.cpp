#include "judge_session.hpp"

#include "../study/chance.hpp"
#include "../study/confirmation.hpp"
#include "../study/explain.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

std::string name_of_run(const PeerRun& run) {
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

constexpr const char* kNobodyLeft = "no peer is left that could go on";

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
    return text.empty() ? kNobodyLeft : text;
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

// Whether a peer's state after so many ticks was held against the offline replay's. The one that a
// peer joins with is not.
bool was_compared(const PeerOutcome& outcome, std::uint64_t ticks_done) {
    const PeerRun& run = outcome.run;
    if (outcome.result.divergence && parted_at(outcome) == ticks_done) {
        return true;
    }
    return ticks_done == 0
               ? run.course.first_tick == 0 && outcome.result.statistics.hashes_compared > 0
               : run.course.first_tick < ticks_done && ticks_done <= run.verified;
}

// The same for all peers, as far as their ticks stand: who was there when.
std::string presence_mismatch(const LockstepTrial& trial) {
    for (const PeerOutcome& a : trial.outcomes) {
        for (const PeerOutcome& b : trial.outcomes) {
            const auto gap = first_gap(a.run.presence, b.run.presence);
            if (gap && gap->tick < std::min(a.run.verified, b.run.verified)) {
                return name_of_run(a.run) + " and " + name_of_run(b.run) +
                       " do not agree on when peer " + std::to_string(gap->peer) + " was there";
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
            trial.reason = name_of_run(outcome.run) + ": " + outcome.result.reason;
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
        trial.reason = kNobodyLeft;
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
        : trial_(trial),
          trials_(trials),
          source_(source),
          index_(outcome),
          plan_(trials.plan_of(outcome)) {
        plan_.course->recording.clear();  // the user's, of the first run
    }

    Result<void> explain() {
        PeerOutcome& outcome = trial_.outcomes[index_];
        describe(*outcome.result.divergence);
        ISOTICK_TRY(confirm(outcome.result));
        ISOTICK_TRY(find_parts());
        const bool was_another = outcome.result.verdict == Verdict::diverged &&
                                 !trial_.divergence->fields.known &&
                                 source_.options.most_fields > 0;
        if (was_another) {  // or the other side was; runs may be alike for as long as a second
            ISOTICK_TRY(confirm(outcome.result));
        }
        if (outcome.result.verdict != Verdict::diverged) {
            trial_.verdict = outcome.result.verdict;
            trial_.reason = name_of_run(outcome.run) + ": " + outcome.result.reason;
        }
        return trial_.mismatch ? Result<void>() : ask_peers();
    }

  private:
    [[nodiscard]] const TrialRunner& runner() const {
        const auto& builds = source_.options.other_builds;
        const auto other = builds.find(trial_.outcomes[index_].run.peer);
        return other == builds.end() ? source_.run : other->second;
    }

    // Is it the same in fresh processes, and if not, or only by luck, on what does it depend?
    Result<void> confirm(TrialResult& result) {
        ISOTICK_TRY_ASSIGN(const auto again, runner()(std::vector<TrialPlan>(kConfirmations, plan_),
                                                      Isolation::fresh));
        for (const TrialResult& one : again) {
            if (result.verdict == Verdict::diverged) {
                confirm_divergence(result, one);
            }
        }
        LockstepDivergence& divergence = *trial_.divergence;
        if (result.verdict == Verdict::nondeterministic || !reads_of_chance(result).empty()) {
            ISOTICK_TRY_ASSIGN(divergence.chance, find_chance(plan_, result, runner()));
            judge_chance(divergence.chance, result);
        }
        if (result.verdict == Verdict::nondeterministic) {
            ISOTICK_TRY_ASSIGN(divergence.reads,
                               find_reads(divergence.chance, plan_, result, runner()));
        }
        return {};
    }

    void describe(const Divergence& found) {
        LockstepDivergence divergence;
        divergence.outcome = index_;
        divergence.ticks_done = found.computed.ticks_done;
        divergence.offline = found.recorded;
        divergence.computed = found.computed.hash;
        divergence.context = found.computed.context;
        divergence.rerun = found.computed.rerun;
        std::size_t there = 0;
        std::size_t same = 0;
        for (const PeerOutcome& other : trial_.outcomes) {
            if (!was_compared(other, divergence.ticks_done)) {
                continue;
            }
            const auto& diverged = other.result.divergence;
            if (!diverged || diverged->computed.ticks_done > divergence.ticks_done) {
                divergence.others.push_back(other.run.peer);
            }
            ++there;
            same += diverged && diverged->computed.hash == found.computed.hash ? 1U : 0U;
        }
        divergence.all_peers = there > 1 && same == there;
        trial_.divergence = std::move(divergence);
    }

    Result<void> find_parts() {
        LockstepDivergence& divergence = *trial_.divergence;
        const std::uint64_t steps = trial_.outcomes[index_].result.divergence->computed.steps;
        const TrialRunner run = runner();
        ISOTICK_TRY_ASSIGN(
            auto difference,
            compare_partings({trials_.offline(), &source_.run, divergence.offline},
                             {plan_, &run, divergence.computed}, {divergence.ticks_done, steps},
                             source_.options.most_fields));
        divergence.parts = std::move(difference.parts);
        divergence.fields = std::move(difference.fields);
        return {};
    }

    // What the peers themselves make of it, once those that diverged report what they computed.
    Result<void> ask_peers() {
        std::map<std::uint32_t, Divergence> diverged;
        for (const PeerOutcome& outcome : trial_.outcomes) {
            if (outcome.result.divergence) {
                diverged.emplace(outcome.run.peer, *outcome.result.divergence);
            }
        }
        SessionOptions options;
        options.rate = source_.rate;
        options.snapshot_bytes = source_.snapshot_bytes;
        options.hash_of = [&diverged](std::uint32_t peer, core::Tick tick) {
            core::StateHash hash = stand_in_hash(tick);
            const auto other = diverged.find(peer);
            if (other != diverged.end() && other->second.computed.ticks_done <= tick.value + 1) {
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
    TrialPlan plan_;
};

}  // namespace

Result<void> explain_session(LockstepTrial& trial, const PeerTrials& trials,
                             const SessionSource& source) {
    const auto first = first_to_part(trial);
    return first ? Explainer(trial, trials, source, *first).explain() : Result<void>();
}

}  // namespace isotick::harness
