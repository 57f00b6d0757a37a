#include "trial_runner.hpp"

#include "../axes/axes.hpp"
#include "branch_runner.hpp"
#include "job.hpp"
#include "request_queue.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <filesystem>
#include <string>
#include <utility>

namespace isotick::harness {

TrialResult trial_result(RequestEnd& end, const WorkerOptions& options) {
    TrialResult result;
    if (end.finished) {
        if (auto parsed = parse_trial_response(end.response)) {
            result = std::move(*parsed);
        } else {
            const bool is_shortage = parsed.error().code == core::ErrorCode::io;
            result.verdict = is_shortage ? Verdict::unreadable : Verdict::crashed;
            result.reason = describe(parsed.error());
            if (parsed.error().code != core::ErrorCode::simulation) {
                result.refused = parsed.error();
            }
        }
        if (end.left > 0 && result.bad_end.empty()) {
            result.bad_end = "it left " + std::to_string(end.left) +
                             (end.left == 1 ? " process" : " processes") + " running";
        }
    } else {
        result.verdict = end.timed_out ? Verdict::timed_out : Verdict::crashed;
        result.reason = cause_of(end, options);
    }
    if (!end.finished) {
        result.statistics.ticks = end.place.tick.value;
        result.failed_in = end.place;
        result.stack = std::move(end.stack);
    }
    result.output = std::move(end.output);
    result.fresh = end.fresh;
    return result;
}

namespace {

using core::ErrorCode;
using core::Result;

Result<RequestEnd> run_one(const Job& job, const ProcessSetup& setup,
                           const WorkerOptions& options) {
    const Request request{bytes_of(job), setup};
    ISOTICK_TRY_ASSIGN(auto ends,
                       run_requests({&request, 1}, WorkerProcess::Kind::fork_server, options));
    return std::move(ends.front());
}

Request trial_request(const SimulationName& simulation, const TrialPlan& plan,
                      const WorkerOptions& options) {
    return {bytes_of(Job{simulation, options.memory_limit, plan}), process_setup(plan.drive.axes)};
}

// A trial that was ended while many calls were under way may have gone wrong in any of them, and
// one whose parent is gone, or stopped, may have gone on for a while: run again with one call at a
// time, each after a look at the parent, it ends in the one that counts.
Result<void> place_end(const SimulationName& simulation, const TrialPlan& plan,
                       WorkerProcess::Kind kind, const WorkerOptions& options, RequestEnd& end) {
    if (end.finished || (!end.ahead && !end.stopped && !end.cut_off && end.kills < 2)) {
        return {};
    }
    TrialPlan one_by_one = plan;
    one_by_one.one_call_at_a_time = true;
    const Request request = trial_request(simulation, one_by_one, options);
    WorkerOptions quiet = options;
    quiet.on_remark = nullptr;
    auto again = run_requests({&request, 1}, kind, quiet);
    if (again && !again->front().finished && again->front().timed_out == end.timed_out) {
        end = std::move(again->front());
    }
    return again.map([](const auto&) {});
}

// A trial that ended while it showed the state that diverged is run again, and shows none.
Result<void> run_without_state(const SimulationName& simulation, const TrialPlan& plan,
                               WorkerProcess::Kind kind, const WorkerOptions& options,
                               RequestEnd& end) {
    if (end.finished || end.place.activity != Activity::showing_fields ||
        !plan.keep_diverged_state) {
        return {};
    }
    TrialPlan silent = plan;
    silent.keep_diverged_state = false;
    const Request request = trial_request(simulation, silent, options);
    return run_requests({&request, 1}, kind, options).map([&end](std::vector<RequestEnd>&& ends) {
        end = std::move(ends.front());
    });
}

// Has a worker record into the file at `plan.path`.
Result<RecordResult> fill_in(const SimulationName& simulation, const RecordPlan& plan,
                             const WorkerOptions& options) {
    ISOTICK_TRY_ASSIGN(auto end, run_one({simulation, options.memory_limit, plan},
                                         process_setup(plan.drive.axes), options));
    RecordResult result;
    if (end.finished) {
        ISOTICK_TRY_ASSIGN(result, parse_record_response(end.response));
    } else {
        result.error = core::Error{ErrorCode::simulation, cause_of(end, options), {}, {}, {}};
        std::error_code error;
        const auto size = std::filesystem::file_size(plan.path, error);
        result.kept = !error && size > 0;
    }
    result.output = std::move(end.output);
    return result;
}

// Gives what was recorded its name. The error that says why it is not whole comes first.
void keep(replay::NewFile& file, RecordResult& result) {
    if (auto completed = file.complete(); !completed) {
        result.kept = false;
        result.error = result.error.value_or(completed.error());
    }
}

WorkerProcess::Kind kind_for(Isolation isolation) {
    return isolation == Isolation::fresh ? WorkerProcess::Kind::fresh
                                         : WorkerProcess::Kind::fork_server;
}

// What crashed is run again in fresh processes, unless it was killed from outside: that is no
// crash, and has been run again already.
Result<void> confirm_crashes(std::span<const Request> requests, const std::vector<RequestEnd>& ends,
                             std::vector<TrialResult>& results, const WorkerOptions& options) {
    std::vector<Request> again;
    std::vector<TrialResult*> crashed;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].verdict == Verdict::crashed && !results[i].refused && ends[i].kills < 2) {
            again.push_back(requests[i]);
            crashed.push_back(&results[i]);
        }
    }
    WorkerOptions quiet = options;
    quiet.on_progress = nullptr;
    return run_requests(again, WorkerProcess::Kind::fresh, quiet)
        .map([&](std::vector<RequestEnd>&& confirmations) {
            for (std::size_t i = 0; i < crashed.size(); ++i) {
                confirm_crash(*crashed[i], trial_result(confirmations[i], options));
            }
        });
}

TrialRunner in_workers(SimulationName simulation, WorkerOptions options) {
    return [simulation = std::move(simulation), options = std::move(options)](
               std::span<const TrialPlan> plans,
               Isolation isolation) -> Result<std::vector<TrialResult>> {
        std::vector<Request> requests;
        for (const TrialPlan& plan : plans) {
            requests.push_back(trial_request(simulation, plan, options));
        }
        ISOTICK_TRY_ASSIGN(auto ends, run_requests(requests, kind_for(isolation), options));
        std::vector<TrialResult> results;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            RequestEnd& end = ends[i];
            const WorkerProcess::Kind kind = kind_for(isolation);
            ISOTICK_TRY(place_end(simulation, plans[i], kind, options, end));
            ISOTICK_TRY(run_without_state(simulation, plans[i], kind, options, end));
            results.push_back(trial_result(end, options));
        }
        for (const TrialResult& result : results) {
            if (result.refused && result.refused->code == ErrorCode::io) {  // this machine's fault
                return tl::unexpected(*result.refused);
            }
        }
        return confirm_crashes(requests, ends, results, options).map([&results] {
            return std::move(results);
        });
    };
}

}  // namespace

TrialRunner in_worker_processes(SimulationName simulation, WorkerOptions options) {
    WorkerOptions quiet = options;
    quiet.on_progress = nullptr;
    return with_left_snapshots(in_workers(simulation, std::move(options)),
                               in_workers(simulation, std::move(quiet)));
}

TrialRunner in_this_process(const isotick_simulation_table& table) {
    const TrialRunner run = [&table](std::span<const TrialPlan> plans,
                                     Isolation) -> Result<std::vector<TrialResult>> {
        Progress progress;
        std::vector<TrialResult> results;
        for (const TrialPlan& plan : plans) {
            if (process_setup(plan.drive.axes).is_usual()) {
                results.push_back(run_trial(plan, table, progress));
                continue;
            }
            results.emplace_back().refused = core::Error{
                ErrorCode::usage,
                "some of these axes apply before a process starts, and this one has started: " +
                    to_string(plan.drive),
                {},
                {},
                {}};
        }
        return results;
    };
    return with_left_snapshots(run, run);
}

Result<SimulationFacts> facts_from_worker(const SimulationName& simulation,
                                          const WorkerOptions& options) {
    ISOTICK_TRY_ASSIGN(auto end,
                       run_one({simulation, options.memory_limit, FactsPlan{}}, {}, options));
    auto facts = end.finished ? parse_facts_response(end.response)
                              : core::fail(ErrorCode::simulation,
                                           simulation.text() + ": " + cause_of(end, options));
    if (!facts && !end.output.empty() && options.on_failed_start) {
        options.on_failed_start(end.output);
    }
    return facts;
}

Result<RecordResult> record_in_worker(const SimulationName& simulation, const RecordPlan& plan,
                                      const WorkerOptions& options) {
    if (plan.appearance == replay::Appearance::filled_in) {
        return fill_in(simulation, plan, options);
    }
    auto file = replay::NewFile::create(plan.path, plan.overwrite);
    if (!file) {
        RecordResult nothing;
        nothing.error = file.error();
        return nothing;
    }
    RecordPlan into_file = plan;
    into_file.path = file->place();
    into_file.overwrite = false;
    into_file.appearance = replay::Appearance::filled_in;
    return fill_in(simulation, into_file, options).map([&](RecordResult&& result) {
        if (result.error && result.error->file == into_file.path) {
            result.error->file = plan.path;
        }
        const bool at_once = plan.appearance == replay::Appearance::at_once;
        if (result.kept && result.error && at_once && plan.overwrite) {
            if (const auto beside = file->leave_beside(); !beside) {
                result.error->message += "; what was recorded is lost: " + beside.error().message;
            }
        }
        result.kept = result.kept && !(result.error && (plan.overwrite || !at_once));
        if (result.kept) {
            keep(*file, result);
        }
        return std::move(result);
    });
}

}  // namespace isotick::harness
