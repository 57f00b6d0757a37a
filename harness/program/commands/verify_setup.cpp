#include "verify_setup.hpp"

#include "../../src/report/replay_text.hpp"
#include "../options/options.hpp"
#include "../options/vary_option.hpp"
#include "../output/console.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace isotick::program {
namespace {

using core::Result;

// The one place where chance from outside is let in, and only when the user asks for it.
std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

// Every loop with a constant dt that the simulation can be driven by.
std::vector<core::LoopOptions> all_loops(const harness::SimulationFacts& facts) {
    std::vector<core::LoopOptions> loops;
    for (const core::LoopInfo& info : core::loops()) {
        const bool goes_back = info.kind == core::LoopKind::reversible;
        if (info.constant_dt && (!goes_back || (facts.capabilities & ISOTICK_CAN_SAVE) != 0)) {
            loops.emplace_back().kind = info.kind;
        }
    }
    return loops;
}

// Schedules know no minutes and hours.
Result<std::optional<std::chrono::milliseconds>> budget_option(
    const VerifyCommandOptions& options) {
    if (options.budget.empty()) {
        return std::nullopt;
    }
    if (!options.schedule.empty()) {
        return core::fail(core::ErrorCode::usage,
                          "--for draws schedules, and --schedule gives one: only one of both");
    }
    std::string text = options.budget;
    std::int64_t scale = 1;
    for (const auto& [unit, seconds] : {std::pair{'m', 60}, std::pair{'h', 3600}}) {
        if (text.size() > 1 && text.back() == unit && text[text.size() - 2] <= '9') {
            text.back() = 's';
            scale = seconds;
        }
    }
    core::TextCursor cursor(text);
    const auto duration = cursor.read_duration();
    constexpr std::int64_t kMostForSeconds = 366LL * 24 * 3600;
    const std::int64_t nanoseconds = duration ? duration->nanoseconds : 0;
    if (!cursor.at_end() || nanoseconds <= 0 ||
        nanoseconds / core::kNanosecondsPerSecond > kMostForSeconds / scale) {
        return core::fail(core::ErrorCode::usage, "--for: '" + options.budget +
                                                      "' is no duration such as 60s, 5m or 500ms");
    }
    return std::chrono::milliseconds(std::max<std::int64_t>(nanoseconds / 1'000'000 * scale, 1));
}

}  // namespace

Result<VerifyCommandOptions> with_loops_chosen(VerifyCommandOptions options) {
    options.all_loops = options.loop.loop == kAllLoops;
    if (!options.all_loops) {
        return options;
    }
    options.loop.loop = LoopText().loop;
    if (options.loop != LoopText()) {
        return core::fail(core::ErrorCode::usage,
                          "--loop all takes no option of a single loop; name that one instead");
    }
    return options;
}

Result<harness::VerifyOptions> verify_options(const VerifyCommandOptions& options,
                                              const Prepared& prepared) {
    harness::VerifyOptions verify;
    verify.trials = options.trials;
    verify.loops = {prepared.loop};
    verify.environment = prepared.environment;
    verify.most_frames = options.most_frames;
    verify.must_reach = options.must_reach;
    if (!options.schedule.empty()) {
        verify.schedule = prepared.schedule;
    }
    const std::string usual = verify.schedule ? "none" : kDefaultAxes;
    const std::string perturb = options.perturb.empty() ? usual : options.perturb;
    ISOTICK_TRY_ASSIGN(verify.perturb, perturb_option(perturb));
    verify.spare_processes = perturb == kDefaultAxes;
    ISOTICK_TRY_ASSIGN(verify.budget, budget_option(options));
    verify.at_a_time = options.worker.jobs != 0 ? options.worker.jobs
                                                : std::max(1U, std::thread::hardware_concurrency());
    if (options.own_shard.by_trials) {
        verify.share = harness::TrialShare{options.own_shard.number, options.own_shard.count};
    }
    verify.study = !options.detect_only;
    ISOTICK_TRY_ASSIGN(const auto shrink, shrink_option(options.shrink));
    verify.shrink.most_ticks = shrink.value_or(0);
    ISOTICK_TRY_ASSIGN(verify.explain.most_fields, fields_option(options.fields, options.json));
    ISOTICK_TRY_ASSIGN(verify.explain.draws_of,
                       draws_option(options.draws, verify.explain.most_fields));
    if (options.seed == "random") {
        verify.seed = random_seed();
    } else if (!options.seed.empty()) {
        ISOTICK_TRY_ASSIGN(verify.seed, seed_option(options.seed));
    }
    return verify;
}

Result<harness::VerifyOptions> how_to_verify(harness::VerifyOptions how,
                                             const VerifyCommandOptions& options,
                                             const Prepared& prepared,
                                             const replay::RecordingHead& head,
                                             const harness::SimulationName& simulation) {
    const auto facts = [&] { return facts_from_worker(simulation, prepared.worker); };
    ISOTICK_TRY_ASSIGN(how.vary, varied_axes(with_rollback(options.vary, options.rollback), head,
                                             prepared.environment, facts));
    if (options.all_loops) {
        ISOTICK_TRY_ASSIGN(const auto known, facts());
        how.loops = all_loops(known);
    }
    how.explain.recorded_schedule = recorded_schedule(head.notes);
    harness::WorkerOptions quiet = prepared.worker;
    quiet.on_progress = nullptr;
    quiet.stop = nullptr;  // shrinking ends with the best so far
    how.explain.record = [simulation, quiet](const harness::RecordPlan& plan) {
        return record_in_worker(simulation, plan, quiet);
    };
    if (options.shrink != "none") {
        how.shrink.run = harness::branches_in_worker_processes(simulation, quiet);
        how.shrink.stop = stop_when_interrupted();
    }
    if (options.bursts != "none") {
        how.bursts = harness::bursts_in_worker_processes(simulation, prepared.worker);
    }
    if (options.audit == "quick" && !options.detect_only) {
        how.probes = harness::probes_in_worker_processes(simulation, quiet);
    }
    return how;
}

Result<Verified> verify_recording(const std::string& recording, const VerifyCommandOptions& options,
                                  const harness::VerifyOptions& usual, const Prepared& prepared) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
    const auto in_it = [&recording](const core::Error& error) { return about(recording, error); };
    const auto simulation = simulation_of(reader.head(), options.simulation);
    ISOTICK_TRY_ASSIGN(
        const auto recorded,
        recorded_side(options.recorded_by, reader.head(), prepared.worker).map_error(in_it));
    ISOTICK_TRY_ASSIGN(
        auto how,
        how_to_verify(usual, options, prepared, reader.head(), simulation).map_error(in_it));
    how.explain.recorded_side = recorded ? &*recorded : nullptr;
    const auto runner = harness::in_worker_processes(simulation, prepared.worker);
    ISOTICK_TRY_ASSIGN(auto report, harness::verify(recording, how, runner).map_error(in_it));
    return Verified{std::move(report), simulation, how.shrink};
}

std::vector<std::string> strict_reasons(const harness::VerifyReport& report,
                                        const VerifyCommandOptions& options) {
    std::vector<std::string> reasons;
    if (options.strict && report.unfinished) {
        reasons.emplace_back("the recording is unfinished");
    }
    if (options.strict && !report.bad_end.empty()) {
        reasons.push_back(harness::bad_end_text(report.bad_end));
    }
    if (options.strict && !report.blind_spots.empty()) {
        reasons.push_back(counted(report.blind_spots.size(), "blind spot"));
    }
    return reasons;
}

}  // namespace isotick::program
