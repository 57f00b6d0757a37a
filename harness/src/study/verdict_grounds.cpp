#include "verdict_grounds.hpp"

#include <isotick/core/loops.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace isotick::harness {
namespace {

using Reasons = std::vector<std::string>;

void add_unused_loop(const VerifyReport& report, Reasons& reasons) {
    const bool goes_back = std::ranges::any_of(report.loops, [](const core::LoopOptions& loop) {
        return loop.kind == core::LoopKind::reversible;
    });
    if (goes_back && !report.grounds.loop_went_back) {
        reasons.emplace_back("no state was ever loaded, so going back was not tried");
    }
}

// Trials that were all identical, and could not have differed.
void add_vacuous(const VerifyReport& report, Reasons& reasons) {
    const TrialStatistics& total = report.total;
    if (!total.hash_changed) {
        reasons.emplace_back("the hash never changed: does it see the state?");
    }
    if (!report.grounds.inputs_mattered) {
        reasons.emplace_back(
            total.inputs_present == 0
                ? "the recording has players but no inputs"
                : "inputs never mattered: without any of them the hashes are the same");
    }
    const bool can_vary = std::ranges::any_of(report.loops, core::varies_ticks_per_frame);
    if (can_vary && !report.grounds.share &&
        total.least_ticks_per_frame == total.most_ticks_per_frame) {
        reasons.push_back("every frame ran exactly " +
                          (total.most_ticks_per_frame == 1
                               ? "1 tick"
                               : std::to_string(total.most_ticks_per_frame) + " ticks") +
                          ", so frame rates were not tested: more trials or ticks are needed");
    }
}

void add_never_read(const VerdictGrounds& grounds, Reasons& reasons) {
    Reasons names;
    std::ranges::set_difference(grounds.unread, grounds.read, std::back_inserter(names));
    for (const std::string& name : names) {
        reasons.push_back("the simulation never read " + name + ": varying it proves nothing");
    }
}

}  // namespace

void judge_by_grounds(VerifyReport& report) {
    const VerdictGrounds& grounds = report.grounds;
    report.verdict = Verdict::identical;
    report.reasons = grounds.before;
    for (const FailedTrial& failure : report.failures) {
        report.verdict = graver(report.verdict, failure.result.verdict);
    }
    if (grounds.damage) {
        report.verdict = graver(report.verdict, Verdict::unreadable);
        report.reasons.push_back(*grounds.damage);
    } else if (report.verdict == Verdict::identical) {
        std::ranges::copy(grounds.unreached, std::back_inserter(report.reasons));
        if (!grounds.share) {
            add_unused_loop(report, report.reasons);
        }
        if (!grounds.has_one_schedule) {  // whoever gives his own has asked for just that one
            add_vacuous(report, report.reasons);
        }
    }
    if (!grounds.share) {
        add_never_read(grounds, report.reasons);
    }
    if (!report.reasons.empty()) {
        report.verdict = graver(report.verdict, Verdict::inconclusive);
    }
}

}  // namespace isotick::harness
