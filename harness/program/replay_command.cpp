#include "options.hpp"
#include "recorded_side.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "state_file.hpp"
#include "text.hpp"

#include <isotick/harness/explain.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <optional>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::Result;
using harness::Explanation;
using harness::TrialPlan;
using harness::TrialResult;
using harness::Verdict;

struct Replayed {
    replay::RecordingHead head;
    std::optional<std::uint64_t> ticks;  ///< of the recording, where it has an index
    TrialPlan plan;
    TrialResult result;
    std::optional<Explanation> explanation;
};

// A divergence counts as one only when a fresh process shows the same.
Result<void> confirm(Replayed& replayed, const harness::TrialRunner& run,
                     const harness::ExplainOptions& how) {
    const auto again = run(std::array{replayed.plan}, harness::Isolation::fresh);
    if (!again) {
        return tl::unexpected(again.error());
    }
    confirm_divergence(replayed.result, again->front());
    if (replayed.result.verdict != Verdict::diverged) {
        return {};
    }
    auto explained = explain(replayed.plan, replayed.result, run, how);
    if (!explained) {
        return tl::unexpected(explained.error());
    }
    replayed.explanation = std::move(*explained);
    return {};
}

// The file for the last state, where one is wanted, which `plan` then asks for.
Result<std::optional<StateFile>> state_file(const ReplayOptions& options,
                                            const std::string& simulation, const Prepared& prepared,
                                            TrialPlan& plan) {
    if (options.state.empty()) {
        return std::nullopt;
    }
    const auto facts = facts_from_worker(simulation, prepared.worker);
    if (!facts) {
        return tl::unexpected(facts.error());
    }
    if ((facts->capabilities & ISOTICK_HAS_FIELDS) == 0) {
        return core::fail(core::ErrorCode::usage,
                          "--state: " + facts->name + " does not show its fields");
    }
    plan.dump = harness::DumpRequest{options.state, std::nullopt};
    return StateFile::create(options.state).map([](StateFile&& file) {
        return std::optional(std::move(file));
    });
}

TrialPlan plan_of(const ReplayOptions& options, const Prepared& prepared) {
    TrialPlan plan;
    plan.recording = options.recording;
    plan.environment = prepared.environment;
    plan.schedule = prepared.schedule;
    plan.loop = prepared.loop;
    plan.most_frames = options.most_frames;
    if (options.until) {
        plan.until = core::Tick{*options.until};
    }
    return plan;
}

// Runs the trial, and leaves its last state where one is wanted.
Result<TrialResult> run_trial(const ReplayOptions& options, const std::string& simulation,
                              const Prepared& prepared, TrialPlan plan) {
    auto state = state_file(options, simulation, prepared, plan);
    if (!state) {
        return tl::unexpected(state.error());
    }
    auto results = harness::in_worker_processes(simulation, prepared.worker)(
        std::array{plan}, harness::Isolation::forked);
    if (!results) {
        return tl::unexpected(results.error());
    }
    TrialResult& result = results->front();
    if (result.refused) {
        return tl::unexpected(about(options.recording, *result.refused));
    }
    if (result.dump_failed) {
        return tl::unexpected(*result.dump_failed);
    }
    if (*state && result.dumped) {
        (*state)->keep();
    }
    return std::move(result);
}

Result<Replayed> replay_once(const ReplayOptions& options, const Prepared& prepared) {
    Replayed replayed;
    auto reader = replay::Reader::open(options.recording);
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    replayed.head = reader->head();
    replayed.ticks = reader->indexed_ticks();
    replayed.plan = plan_of(options, prepared);
    const std::string& simulation =
        options.simulation.empty() ? replayed.head.session.simulation : options.simulation;
    const auto most_fields = fields_option(options.fields.most, options.json);
    if (!most_fields) {
        return tl::unexpected(most_fields.error());
    }
    const auto recorded =
        recorded_side("--sim-a", options.fields.recorded_by, replayed.head, prepared.worker);
    if (!recorded) {
        return tl::unexpected(recorded.error());
    }
    auto result = run_trial(options, simulation, prepared, replayed.plan);
    if (!result) {
        return tl::unexpected(result.error());
    }
    replayed.result = *std::move(result);
    if (replayed.result.divergence) {
        const harness::ExplainOptions how{*most_fields, *recorded ? &**recorded : nullptr,
                                          recorded_schedule(replayed.head.notes)};
        const auto runner = harness::in_worker_processes(simulation, prepared.worker);
        if (auto confirmed = confirm(replayed, runner, how); !confirmed) {
            return tl::unexpected(confirmed.error());
        }
    }
    return replayed;
}

std::string report_text(const Replayed& replayed, const ReplayOptions& options,
                        const Console& console) {
    const TrialResult& result = replayed.result;
    std::string text = options.recording + "\n";
    text += row("session", session_line(replayed.head.session,
                                        replayed.ticks.value_or(result.statistics.ticks)));
    if (result.statistics.frames > 0) {  // else it crashed, and took with it what it had counted
        text += row("compared",
                    fmt::format("{} in {}, {}", counted(result.statistics.hashes_compared, "hash"),
                                counted(result.statistics.frames, "frame"),
                                ticks_per_frame(result.statistics)));
    }
    if (result.statistics.schedule_repeats > 0) {
        text += row("note", fmt::format("the schedule ended and began again {}",
                                        counted(result.statistics.schedule_repeats, "time")));
    }
    text += row("note", result.note);
    text += row("last hash", result.last_hash ? to_string(*result.last_hash) : "");
    std::string where;
    if (result.verdict != Verdict::identical) {
        text += failure_rows(replayed.head, replayed.plan, result, replayed.explanation, options);
        where = result.divergence ? "  at " + when(result, replayed.explanation) : "";
    }
    return text + console.verdict(result.verdict) + where + "\n";
}

}  // namespace

int run_replay_command(const ReplayOptions& options, Console& console) {
    const auto prepared = prepare(options, "replay", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto replayed = replay_once(options, *prepared);
    if (!replayed) {
        return fail_with(replayed.error(), console);
    }
    if (!replayed->result.output.empty()) {
        console.remark(printed_output("the simulation", replayed->result.output));
    }
    if (options.json) {
        console.print(
            replay_json(replayed->plan, replayed->result, replayed->explanation, options));
    } else {
        console.print(report_text(*replayed, options, console));
    }
    return exit_code(replayed->result.verdict);
}

}  // namespace isotick::program
