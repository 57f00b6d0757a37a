#include "job.hpp"
#include "request_queue.hpp"
#include "trial_response.hpp"

#include <isotick/harness/simulation_facts.hpp>
#include <isotick/harness/trial_runner.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

Result<RequestEnd> run_one(const Job& job, const WorkerOptions& options) {
    const std::string request = to_text(job);
    auto ends = run_requests({&request, 1}, WorkerProcess::Kind::fork_server, options);
    if (!ends) {
        return tl::unexpected(ends.error());
    }
    return std::move(ends->front());
}

// A trial that hung while many calls were under way may have hung in any of them: run again with
// one call at a time, it hangs in the one that counts.
Result<void> place_hang(const std::string& simulation, const TrialPlan& plan,
                        WorkerProcess::Kind kind, const WorkerOptions& options, RequestEnd& end) {
    if (!end.timed_out || !end.ahead) {
        return {};
    }
    TrialPlan one_by_one = plan;
    one_by_one.one_call_at_a_time = true;
    const std::string request = to_text({simulation, options.memory_limit, one_by_one});
    auto again = run_requests({&request, 1}, kind, options);
    if (again && again->front().timed_out) {
        end = std::move(again->front());
    }
    return again.map([](const auto&) {});
}

WorkerProcess::Kind kind_for(Isolation isolation) {
    return isolation == Isolation::fresh ? WorkerProcess::Kind::fresh
                                         : WorkerProcess::Kind::fork_server;
}

}  // namespace

TrialRunner in_worker_processes(std::string simulation, WorkerOptions options) {
    return [simulation = std::move(simulation), options = std::move(options)](
               std::span<const TrialPlan> plans,
               Isolation isolation) -> Result<std::vector<TrialResult>> {
        std::vector<std::string> requests;
        for (const TrialPlan& plan : plans) {
            requests.push_back(to_text({simulation, options.memory_limit, plan}));
        }
        auto ends = run_requests(requests, kind_for(isolation), options);
        if (!ends) {
            return tl::unexpected(ends.error());
        }
        std::vector<TrialResult> results;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            RequestEnd& end = (*ends)[i];
            if (auto placed = place_hang(simulation, plans[i], kind_for(isolation), options, end);
                !placed) {
                return tl::unexpected(placed.error());
            }
            results.push_back(trial_result(end, options));
        }
        return results;
    };
}

TrialRunner in_this_process(const isotick_simulation_table& table) {
    return
        [&table](std::span<const TrialPlan> plans, Isolation) -> Result<std::vector<TrialResult>> {
            Progress progress;
            std::vector<TrialResult> results;
            for (const TrialPlan& plan : plans) {
                results.push_back(run_trial(plan, table, progress));
            }
            return results;
        };
}

Result<SimulationFacts> facts_from_worker(const std::string& simulation,
                                          const WorkerOptions& options) {
    auto end = run_one({simulation, options.memory_limit, FactsPlan{}}, options);
    if (!end) {
        return tl::unexpected(end.error());
    }
    if (!end->finished) {
        return core::fail(ErrorCode::simulation, simulation + ": " + cause_of(*end, options));
    }
    return parse_facts_response(end->response);
}

Result<RecordResult> record_in_worker(const std::string& simulation, const RecordPlan& plan,
                                      const WorkerOptions& options) {
    auto end = run_one({simulation, options.memory_limit, plan}, options);
    if (!end) {
        return tl::unexpected(end.error());
    }
    RecordResult result;
    if (end->finished) {
        auto parsed = parse_record_response(end->response);
        if (!parsed) {
            return parsed;
        }
        result = std::move(*parsed);
    } else {
        result.error = core::Error{ErrorCode::simulation, cause_of(*end, options), {}, {}, {}};
        result.kept = !plan.overwrite && end->activity != Activity::loading &&
                      end->activity != Activity::creating;
    }
    result.output = std::move(end->output);
    return result;
}

}  // namespace isotick::harness
