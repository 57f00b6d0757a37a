#include "report.hpp"

#include "disagreement_rows.hpp"
#include "field_rows.hpp"
#include "text.hpp"
#include "vary_option.hpp"

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::Explanation;
using harness::FrameContext;
using harness::TrialPlan;
using harness::TrialResult;
using harness::Verdict;

// What ends a trial that does not end by itself.
std::string limit_arguments(const TrialPlan& plan, const WorkerText& worker) {
    const WorkerText usual;
    std::string text;
    if (plan.most_frames != 0) {
        text += " --most-frames " + std::to_string(plan.most_frames);
    }
    if (worker.timeout_seconds != usual.timeout_seconds) {
        text += fmt::format(" --timeout {}", worker.timeout_seconds);
    }
    if (worker.memory_limit_mib != usual.memory_limit_mib) {
        text += " --memory-limit " + std::to_string(worker.memory_limit_mib);
    }
    return text;
}

bool is_nominal(const TrialPlan& plan) {
    return plan.schedule == core::Schedule::nominal() && plan.loop == core::LoopOptions();
}

// What the host did around the tick that came out wrong.
std::string provocation(const FrameContext& context, std::uint64_t ticks_done) {
    if (ticks_done == 0) {
        return "nothing ran yet: the initial state itself differs";
    }
    const std::string ticks = context.ticks_in_frame == 1
                                  ? std::string("one tick, this one")
                                  : fmt::format("{} ticks, this one as number {}",
                                                context.ticks_in_frame, context.tick_in_frame + 1);
    return fmt::format("frame {}, which took {} and held {}", context.frame,
                       to_string(context.frame_time), ticks);
}

std::string what_came_before(const FrameContext& context) {
    if (context.tick_in_frame > 0) {
        return "";
    }
    const std::string idle =
        context.idle_frames == 0 ? "" : counted(context.idle_frames, "frame") + " without a tick; ";
    const double alpha = static_cast<double>(static_cast<int>(context.last_alpha * 1000)) / 1000;
    // Cut, not rounded: alpha is below 1.
    return fmt::format("{}the frame before was rendered at alpha {:.3f}", idle, alpha);
}

std::string agreement(const TrialResult& result, const Explanation& explanation) {
    if (explanation.recorded_side_runs && explanation.ticks_done > 0) {
        return harness::describe_state(explanation.ticks_done - 1);
    }
    const auto& agreed = result.divergence->last_agreed;
    return agreed ? harness::describe_state(*agreed) : "none";
}

// The nominal trial failed, so no schedule of this run is to blame.
std::string cause(const replay::RecordingHead& head, const Explanation& explanation) {
    if (explanation.only_as_recorded) {
        return "the schedule it was recorded under, " +
               std::string(*head.notes.find(kScheduleNote)) + ": only that one reproduces it here";
    }
    return head.notes.find(kScheduleNote) || head.notes.find(kLoopNote)
               ? "the build, the machine, or the schedule it was recorded under: the nominal one "
                 "fails too"
               : "the build or the machine, not the schedule: the nominal schedule fails too";
}

// What would make the fields known.
std::string hint(const Explanation& explanation) {
    const bool other_build = !explanation.recorded_side_runs && !explanation.fields.unknown.empty();
    return other_build ? row("", "--sim-a takes the build that made the recording") : "";
}

Explanation without_rerun(const TrialResult& result) {
    const harness::Divergence& divergence = *result.divergence;
    return {false,
            divergence.computed.ticks_done,
            divergence.recorded,
            divergence.computed.hash,
            divergence.computed.context,
            {},
            {},
            false};
}

std::string divergence_rows(const replay::RecordingHead& head, const TrialPlan& plan,
                            const TrialResult& result, const std::optional<Explanation>& known) {
    if (known && known->disagreement) {
        return disagreement_rows(*known->disagreement, result);
    }
    const Explanation explanation = known ? *known : without_rerun(result);
    std::string text;
    text += row("recorded", to_string(explanation.recorded));
    text += row("computed", to_string(explanation.computed));
    text += row("differs in", joined(explanation.parts));
    text += row("agreed to", agreement(result, explanation));
    if (result.verdict == Verdict::nondeterministic) {
        return text;
    }
    if (known) {
        text += row("cause", setting_cause(plan, explanation.setting_provoked));
    }
    if (is_nominal(plan)) {
        text += plan.varied.empty() ? row("cause", cause(head, explanation)) : "";
    } else {
        text += row("provoked by", provocation(explanation.context, explanation.ticks_done));
        if (explanation.ticks_done > 1) {
            text += row("before it", what_came_before(explanation.context));
        }
        if (known && !explanation.recorded_side_runs) {
            text += row("unknown",
                        "the nominal schedule does not reproduce the recording here "
                        "either, so the parts of its side are not known");
        }
    }
    return text + field_rows(explanation.fields, "recorded → computed") + hint(explanation);
}

}  // namespace

std::string loop_arguments(const LoopText& loop) {
    const LoopText usual;
    std::string text;
    if (loop.longest_frame != usual.longest_frame) {
        text += " --longest-frame " + shell_word(loop.longest_frame);
    }
    if (loop.most_ticks != usual.most_ticks) {
        text += " --most-ticks " + std::to_string(loop.most_ticks);
    }
    if (loop.time_scale != usual.time_scale) {
        text += " --time-scale " + shell_word(loop.time_scale);
    }
    if (loop.start_phase != usual.start_phase) {
        text += " --start-phase " + shell_word(loop.start_phase);
    }
    return text;
}

std::string reproducing_command(const TrialPlan& plan, const CommonOptions& options) {
    std::string text = shell_word(options.program) + " replay " + shell_word(plan.recording);
    if (!options.simulation.empty()) {
        text += " --sim " + shell_word(options.simulation);
    }
    for (const auto& [key, value] : plan.environment.entries()) {
        text += " --environment " + shell_word(key + "=" + value);
    }
    for (const harness::VariedSetting& setting : plan.varied) {
        text += " " + vary_argument(setting);
    }
    if (!is_nominal(plan)) {
        text += " --schedule " + shell_word(plan.schedule.to_string());
        text += loop_arguments(options.loop);
    }
    for (const std::string& path : plan.watch ? plan.watch->fields : std::vector<std::string>()) {
        text += " --watch " + shell_word(path);
    }
    return text + limit_arguments(plan, options.worker);
}

std::string when(const TrialResult& result, const std::optional<Explanation>& explanation) {
    const Explanation known = explanation ? *explanation : without_rerun(result);
    const auto& parted = known.disagreement;
    const std::uint64_t ticks_done = parted ? parted->ticks_done : known.ticks_done;
    const auto& agreed = parted ? parted->last_agreed : result.divergence->last_agreed;
    std::string text = harness::describe_state(ticks_done);
    if (!known.recorded_side_runs && agreed && *agreed + 1 < ticks_done) {
        text += fmt::format(" (hashes agreed up to {}; none is stored between)",
                            harness::describe_state(*agreed));
    }
    return text;
}

std::string failure_rows(const replay::RecordingHead& head, const TrialPlan& plan,
                         const TrialResult& result, const std::optional<Explanation>& explanation,
                         const CommonOptions& options) {
    if (result.verdict == Verdict::unreadable) {
        return row("reason", result.reason);
    }
    std::string text = varied_rows("setting", plan.varied, head, plan.environment);
    if (result.divergence) {
        text += divergence_rows(head, plan, result, explanation);
    }
    if (result.verdict == Verdict::diverged) {
        text += row("confirmed", explanation ? "in a fresh process: same tick, same hash"
                                             : "no, and not explained: that takes other processes "
                                               "than this one (--in-process)");
    } else {
        text += row("reason", result.reason);
    }
    text += row("schedule", plan.schedule.to_string());
    text += row("reproduce", reproducing_command(plan, options));
    return text;
}

}  // namespace isotick::program
