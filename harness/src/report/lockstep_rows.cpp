#include "lockstep_rows.hpp"

#include "../system/rows.hpp"
#include "field_rows.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/harness/detail/link_settings.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::joined;

std::string peers_text(const LockstepPlan& plan) {
    std::string text = fmt::format("{} in {}", counted(plan.peers, "peer"), to_string(plan.mode));
    if (plan.mode == PeerMode::rollback) {
        text += fmt::format(", guessing {} ahead at most", counted(plan.most_guessed, "tick"));
    }
    if (!plan.adapts_delay || plan.mode == PeerMode::rollback) {
        text += fmt::format(", inputs delayed by {}", counted(plan.input_delay, "tick"));
    }
    return plan.spectators == 0 ? text
                                : text + fmt::format(", {} of them watching", plan.spectators);
}

std::string numbers(const std::vector<std::uint32_t>& peers) {
    std::vector<std::string> texts;
    for (const std::uint32_t peer : peers) {
        texts.push_back(std::to_string(peer));
    }
    return (peers.size() == 1 ? "peer " : "peers ") + joined(texts);
}

std::string steps_text(const LockstepTotals& totals) {
    std::string text = fmt::format("{} confirmed", counted(totals.confirmed, "tick"));
    return totals.rollbacks == 0
               ? text
               : text + fmt::format(", {} run again in {} of {} at most", grouped(totals.run_again),
                                    counted(totals.rollbacks, "rollback"), totals.most_back);
}

std::string frames_text(const LockstepTotals& totals) {
    std::string text =
        totals.stalls == 0 ? "none stalled" : grouped(totals.stalls) + " stalled for inputs";
    return totals.waits == 0
               ? text
               : text + fmt::format(", {} held back to let others catch up", grouped(totals.waits));
}

std::string traffic_text(const LockstepTotals& totals) {
    const std::uint64_t bytes =  // of payload, in hundredths
        totals.packets == 0 ? 0 : totals.bytes * 100 / totals.packets;
    return fmt::format("{}, {}.{:02} bytes each, plus {} bytes of headers each",
                       counted(totals.packets, "packet"), bytes / 100, bytes % 100, kHeaderBytes);
}

// `left`, of a peer that did not stay to the end.
std::string gone_text(const PeerRun& run) {
    if (run.killed) {
        return "was killed";
    }
    return run.state == PeerState::left      ? "left"
           : run.state == PeerState::dropped ? "was dropped by the others"
           : run.state == PeerState::alone   ? "was left with too few to go on"
                                             : "";
}

// `peer 2 left after tick 400`, `peer 2 joined with the state after tick 700`
std::string comings_rows(const LockstepTrial& trial) {
    std::string text;
    for (const PeerOutcome& outcome : trial.outcomes) {
        const PeerRun& run = outcome.run;
        const std::uint64_t first = run.course.first_tick;
        std::string line = first > 0 ? fmt::format("joined with the state after tick {}", first - 1)
                           : run.incarnation > 0 ? "came, and was given no state"
                                                 : "";
        if (const std::string gone = gone_text(run); !gone.empty()) {
            line += (line.empty() ? "" : ", ") + gone;
            line += run.verified > 0 ? fmt::format(" after tick {}", run.verified - 1)
                                     : " before its first tick";
        }
        text += line.empty() ? "" : row(fmt::format("peer {}", run.peer), line);
    }
    return text;
}

std::string complaint_rows(const LockstepTrial& trial) {
    std::vector<std::string> said;
    for (const PeerOutcome& outcome : trial.outcomes) {
        for (const std::string& complaint : outcome.run.complaints) {
            if (std::ranges::find(said, complaint) == said.end()) {
                said.push_back(complaint);
            }
        }
    }
    std::string text;
    for (const std::string& complaint : said) {
        text += row("refused", complaint);
    }
    return text;
}

// `tick 7, in frame 7, which took 17ms instead of 16.666666ms, went back 1 tick and ran 2, this one
// as the second`
std::string moment_text(const LockstepDivergence& found, core::TickRate rate) {
    const FrameContext& context = found.context;
    if (found.ticks_done == 0) {
        return "the initial state";
    }
    const core::FrameTime nominal{rate.time_of(1)};
    std::string text =
        fmt::format("{}, in frame {}, which took {}", describe_state(found.ticks_done),
                    context.frame, core::to_string(context.frame_time));
    if (std::abs(context.frame_time.nanoseconds - nominal.nanoseconds) > 1) {  // else rounded
        text += " instead of " + core::to_string(nominal);
    }
    if (context.back > 0) {
        text += fmt::format(", went back {}", counted(context.back, "tick"));
    }
    if (context.ticks_in_frame > 1) {
        text += fmt::format(" and ran {}: this is number {}", context.ticks_in_frame,
                            context.tick_in_frame + 1);
    }
    return found.rerun ? text + "; the tick had been run before, on guesses" : text;
}

std::string others_text(const LockstepTrial& trial, const LockstepDivergence& found) {
    if (found.all_peers) {
        return "all peers have this same state, and the offline replay does not";
    }
    if (found.others.empty()) {
        return trial.outcomes.size() > 1 ? "no peer has the offline replay's state there" : "";
    }
    return fmt::format("{} {} the offline replay's state there", numbers(found.others),
                       found.others.size() == 1 ? "has" : "have");
}

// For a trial in which no state differs from the offline replay, but the peers' hashes disagree.
std::string states_text(const LockstepTrial& trial) {
    std::vector<std::uint32_t> good;
    for (const PeerOutcome& outcome : trial.outcomes) {
        if (outcome.result.verdict == Verdict::identical) {
            good.push_back(outcome.run.peer);
        }
    }
    if (good.empty()) {
        return "";
    }
    const auto& minority = trial.mismatch->minority;
    const bool lied = !minority.empty() && std::ranges::all_of(minority, [&](std::uint32_t peer) {
        return std::ranges::find(good, peer) != good.end();
    });
    return fmt::format("every state of {} is the offline replay's{}", numbers(good),
                       lied ? ", so what differs is a hash that was sent" : "");
}

// Shrinking tried the session without each of them.
std::string needs_rows(const LockstepTrial& trial) {
    constexpr std::size_t kMost = 8;
    if (!trial.shrinking || trial.shrinking->needs.empty()) {
        return "";
    }
    const std::vector<std::string>& needs = trial.shrinking->needs;
    if (needs.size() == 1) {
        return paragraph("why", needs.front() + ": otherwise no peer diverges");
    }
    std::string text = row("why", "without any one of these, no peer diverges:");
    for (std::size_t i = 0; i < std::min(needs.size(), kMost); ++i) {
        text += row("", needs[i]);
    }
    return needs.size() <= kMost ? text
                                 : text + row("", fmt::format("and {} more", needs.size() - kMost));
}

std::string shrunk_text(const LockstepTrial& trial) {
    if (!trial.shrinking) {
        return "";
    }
    const SessionShrinking& how = *trial.shrinking;
    const std::string stopped = how.unfinished.empty() ? "" : "; stopped early: " + how.unfinished;
    if (trial.plan == how.original && trial.ticks == how.original_ticks) {
        return fmt::format("no, after {}{}", counted(how.trials, "trial"), stopped);
    }
    const std::string peers =
        trial.plan.peers == how.original.peers ? "" : counted(how.original.peers, "peer") + ", ";
    return fmt::format("in {} from {}{} under {} to {}{}", counted(how.trials, "trial"), peers,
                       counted(how.original_ticks, "tick"), how.original.network.to_string(),
                       counted(trial.ticks, "tick"), stopped);
}

std::string peer_divergence_rows(const LockstepReport& report, const std::string& more_fields) {
    const LockstepTrial& trial = report.shown;
    const LockstepDivergence& found = *trial.divergence;
    std::string text =
        differing_rows(found.parts, found.fields, "offline → this peer", more_fields);
    const bool is_smaller = trial.shrinking && (trial.plan != trial.shrinking->original ||
                                                trial.ticks != trial.shrinking->original_ticks);
    text += paragraph(
        "when", fmt::format("peer {} in trial {}{}: {}", trial.outcomes[found.outcome].run.peer,
                            trial.number, is_smaller ? ", made smaller" : "",
                            moment_text(found, report.head.session.rate)));
    text += paragraph("others", others_text(trial, found));
    if (!found.chance.empty()) {
        const std::string asked = asked_text(found.reads);
        text += paragraph("why", joined(found.chance, " and ",
                                        [](const AxisValue& value) { return value.axis; }) +
                                     ", which nothing records: another in each run" +
                                     (asked.empty() ? "" : "; it calls " + asked));
    }
    return text;
}

// `by the peers themselves, at tick 7: peer 2 in the minority`
std::string noticed_text(const std::optional<HashMismatch>& mismatch) {
    if (!mismatch) {
        return "";
    }
    const HashMismatch& found = *mismatch;
    std::string text = fmt::format("by the peers themselves, at tick {}: ", found.tick.value);
    if (found.two_faced) {
        text += fmt::format("peer {} told them different inputs", *found.two_faced);
    } else {
        text += found.minority.empty() ? "a tie, so they cannot tell who is wrong"
                                       : numbers(found.minority) + " in the minority";
    }
    return text;
}

std::string failure_text(const LockstepReport& report, const LockstepWords& words) {
    const LockstepTrial& trial = report.shown;
    std::string text;
    if (trial.divergence) {
        text += peer_divergence_rows(report, words.more_fields);
    } else {
        text += row("when", fmt::format("trial {}{}", trial.number,
                                        trial.mismatch
                                            ? fmt::format(", tick {}", trial.mismatch->tick.value)
                                            : ""));
    }
    text += row("reason", trial.reason);
    if (!trial.divergence && trial.mismatch && trial.verdict == Verdict::diverged) {
        text += paragraph("others", states_text(trial));
    }
    text += needs_rows(trial);
    text += row("noticed", noticed_text(trial.mismatch));
    text += row("reproduce", words.reproduce);
    text += row("one peer", words.one_peer);
    if (report.failed.size() > 1) {
        text += row("also", counted(report.failed.size() - 1, "more trial") + " failed");
    }
    return text + row("shrunk", shrunk_text(trial));
}

std::string offline_text(const LockstepReport& report) {
    if (report.offline.verdict == Verdict::identical) {
        return "without a network, the replay matches the recording";
    }
    std::string text = in_words(report.offline.verdict);
    if (report.offline.divergence) {
        text += " at " + describe_state(report.offline.divergence->computed.ticks_done);
    }
    return text + ", so no network is to blame: see isotick verify";
}

std::string lockstep_rows(const LockstepReport& report, const LockstepWords& words) {
    const LockstepPlan& plan =
        report.shown.shrinking ? report.shown.shrinking->original : report.shown.plan;
    const bool failed = !report.failed.empty();
    std::string text = failed ? failure_text(report, words) : "";
    text += row("session", session_line(report.head.session, report.ticks));
    text += row("offline", offline_text(report));
    if (report.trials == 0) {
        return text;
    }
    text += row("peers", peers_text(plan));
    text += row("network", plan.network.to_string());
    text += row("trials", words.one_plan
                              ? "the one that was asked for"
                              : fmt::format("{} run, trial 0 with nominal frames, root seed 0x{}",
                                            report.trials, core::to_hex(report.seed)));
    if (!failed) {
        text += row("compared", counted(report.totals.hashes_compared, "hash"));
        text += row("steps", steps_text(report.totals));
        text += row("frames", frames_text(report.totals));
        text += row("traffic", traffic_text(report.totals));
    }
    text += comings_rows(report.shown);
    return text + complaint_rows(report.shown);
}

}  // namespace

std::string lockstep_word(const LockstepReport& report) {
    return report.verdict == Verdict::identical ? "agreed" : std::string(to_string(report.verdict));
}

std::string lockstep_text(const LockstepReport& report, const LockstepWords& words,
                          std::string_view verdict) {
    const std::string rows = lockstep_rows(report, words);
    const std::string trials = counted(report.trials, "trial");
    if (!report.failed.empty()) {
        return fmt::format("{}  {}{}{}  {} of {} failed\n", verdict, heading(words.title), rows,
                           verdict, report.failed.size(), trials);
    }
    return heading(words.title) + rows +
           (report.trials == 0 ? fmt::format("{}\n", verdict)
                               : fmt::format("{}  {} and the offline replay, in {} of {}\n",
                                             verdict, counted(report.shown.plan.peers, "peer"),
                                             grouped(report.identical), trials));
}

std::string describe(const LockstepReport& report) {
    const LockstepWords words{
        report.recording, false, "most_fields sets how many are listed of each kind",
        fmt::format("exactly the plan '{}', over {}", to_string(report.shown.plan),
                    counted(report.shown.ticks, "tick"))};
    return lockstep_text(report, words, in_capitals(lockstep_word(report)));
}

}  // namespace isotick::harness
