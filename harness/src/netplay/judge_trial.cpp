#include "judge_trial.hpp"

#include "../system/process.hpp"
#include "../system/rows.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness::netplay {
namespace {

using core::Result;

// How a peer ended, where that is a failure.
std::string crash_text(const Life& life) {
    return life.end.signal != 0 ? fmt::format("peer {} was {} at {}", life.peer,
                                              describe_end(life.end), seconds_text(life.ended_ns))
                                : fmt::format("peer {} ended with exit code {} at {}", life.peer,
                                              life.end.exit_code, seconds_text(life.ended_ns));
}

/// The verdict on one session.
class TrialJudge {
  public:
    TrialJudge(NetplayTrial& trial, const NetplayOptions& options)
        : trial_(trial), options_(options) {}

    Result<void> judge() {
        ISOTICK_TRY(replay_offline());
        if (trial_.judgment.difference || !trial_.offline.empty()) {
            trial_.verdict = Verdict::diverged;
            return {};
        }
        if (failed_by(LifeEnd::crashed, Verdict::crashed) ||
            failed_by(LifeEnd::timed_out, Verdict::timed_out)) {
            return {};
        }
        find_stalled();
        if (trial_.verdict == Verdict::identical) {
            find_unproven();
        }
        return {};
    }

  private:
    // One recording where all agree; all where they do not.
    Result<void> replay_offline() {
        if (!options_.replay) {
            return {};
        }
        std::vector<TrialPlan> plans;
        std::vector<std::uint32_t> peers;
        for (const PeerRecording& recording : trial_.judgment.recordings) {
            if (recording.ticks > 0) {
                plans.emplace_back();
                plans.back().recording = recording.path;
                peers.push_back(recording.peer);
            }
        }
        if (!trial_.judgment.difference && plans.size() > 1) {
            const auto longest =
                std::ranges::max_element(trial_.judgment.recordings, {}, &PeerRecording::ticks);
            plans.resize(1);
            plans.front().recording = longest->path;
            peers = {longest->peer};
        }
        if (plans.empty()) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(const auto results, options_.replay(plans, Isolation::fresh));
        for (std::size_t i = 0; i < results.size(); ++i) {
            ISOTICK_TRY(results[i].refused ? Result<void>(tl::unexpected(*results[i].refused))
                                           : Result<void>());
            ++trial_.replayed_offline;
            if (const auto& found = results[i].divergence) {
                OfflineDiffers differs;
                differs.peer = peers[i];
                differs.ticks_done = found->computed.ticks_done;
                differs.recorded = found->recorded;
                differs.computed = found->computed.hash;
                trial_.offline.push_back(std::move(differs));
            }
        }
        return {};
    }

    bool failed_by(LifeEnd end, Verdict verdict) {
        for (const Life& life : trial_.session.runs) {
            if (life.state == end) {
                trial_.verdict = verdict;
                trial_.reason =
                    end == LifeEnd::crashed
                        ? crash_text(life)
                        : fmt::format(
                              "peer {} neither waited nor ended for {} s of real time; "
                              "virtual time was {}",
                              life.peer, options_.timeout_ms / 1000, seconds_text(life.ended_ns));
                return true;
            }
        }
        return false;
    }

    // When the last thing happens that may hold peers up.
    [[nodiscard]] std::int64_t last_event_ns() const {
        std::int64_t last = 0;
        for (const PeerEvent& event : trial_.plan.events) {
            last = std::max(last, event.at_ns + event.for_ns);
        }
        for (const NetworkCut& cut : trial_.plan.network.parts().cuts) {
            last = std::max(last, cut.from_ns + cut.length_ns);
        }
        return last;
    }

    void find_stalled() {
        constexpr std::int64_t kPatience = 5 * kSecond;
        for (std::size_t i = 0; i < trial_.session.runs.size(); ++i) {
            const Life& life = trial_.session.runs[i];
            const auto recording =
                std::ranges::find(trial_.judgment.recordings, i, &PeerRecording::life);
            const bool goes_on = life.state == LifeEnd::running || life.state == LifeEnd::waiting;
            if (!goes_on || recording == trial_.judgment.recordings.end() || recording->finished) {
                continue;
            }
            const std::int64_t since = std::max(
                {life.recorded_ns.value_or(life.began_ns), last_event_ns(), life.began_ns});
            if (life.state == LifeEnd::waiting || since + kPatience < trial_.session.ended_ns) {
                trial_.stalled.push_back({life.peer, recording->ticks, life.recorded_ns});
            }
        }
        const bool all_wait = !trial_.session.runs.empty() &&
                              std::ranges::all_of(trial_.session.runs, [](const Life& life) {
                                  return life.state == LifeEnd::waiting;
                              });
        if (trial_.stalled.empty() && !all_wait) {
            return;
        }
        trial_.verdict = Verdict::stalled;
        if (trial_.stalled.empty()) {
            trial_.reason = fmt::format("since {}, every peer waits, and no packet is on its way",
                                        seconds_text(trial_.session.ended_ns));
            return;
        }
        const StalledPeer& first =
            *std::ranges::min_element(trial_.stalled, {}, &StalledPeer::ticks);
        trial_.reason =
            fmt::format("peer {} recorded {} ticks (in whole chunks), and none after {}",
                        first.peer, first.ticks, seconds_text(first.recorded_ns.value_or(0)));
    }

    void find_unproven() {
        const auto say = [this](std::string reason) {
            trial_.verdict = Verdict::inconclusive;
            trial_.reason = std::move(reason);
        };
        for (const Life& life : trial_.session.runs) {
            if (!life.refused.empty()) {
                return say(fmt::format("peer {}: {}", life.peer, life.refused));
            }
            if (!life.loaded) {
                return say(
                    fmt::format("peer {}: nothing could be loaded into its process that "
                                "answers its clocks and sockets",
                                life.peer));
            }
        }
        if (!options_.records) {
            return;  // only how peers end counts
        }
        for (const PeerRecording& recording : trial_.judgment.recordings) {
            if (!recording.unreadable.empty()) {
                return say(fmt::format("the recording of peer {} cannot be read: {}",
                                       recording.peer, recording.unreadable));
            }
        }
        if (!trial_.judgment.incomparable.empty()) {
            return say(trial_.judgment.incomparable);
        }
        if (trial_.judgment.ticks == 0 && trial_.replayed_offline == 0) {
            say(fmt::format(
                "{} of {} peers recorded ticks: nothing could be compared",
                std::ranges::count_if(trial_.judgment.recordings,
                                      [](const PeerRecording& each) { return each.ticks > 0; }),
                trial_.plan.peers));
        }
    }

    NetplayTrial& trial_;
    const NetplayOptions& options_;
};

}  // namespace

Result<void> judge_trial(NetplayTrial& trial, const NetplayOptions& options) {
    return TrialJudge(trial, options).judge();
}

}  // namespace isotick::harness::netplay
