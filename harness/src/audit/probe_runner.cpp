#include "../run/job.hpp"
#include "../run/request_queue.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/probe.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

ProbeResult probe_result(const RequestEnd& end, const WorkerOptions& options) {
    ProbeResult result;
    if (!end.finished) {
        result.verdict = end.timed_out ? Verdict::timed_out : Verdict::crashed;
        result.reason = cause_of(end, options);
    } else if (auto parsed = parse_probe_response(end.response)) {
        result = std::move(*parsed);
    } else {
        const bool is_shortage = parsed.error().code == ErrorCode::io;
        result.verdict = is_shortage ? Verdict::unreadable : Verdict::crashed;
        result.reason = describe(parsed.error());
        if (parsed.error().code != ErrorCode::simulation) {
            result.refused = parsed.error();
        }
    }
    result.output = end.output;
    return result;
}

}  // namespace

ProbeRunner probes_in_worker_processes(SimulationName simulation, WorkerOptions options) {
    return [simulation = std::move(simulation), options = std::move(options)](
               std::span<const ProbePlan> plans) -> Result<std::vector<ProbeResult>> {
        std::vector<Request> requests;
        const bool fresh = std::ranges::any_of(plans, &ProbePlan::fresh);
        for (ProbePlan plan : plans) {
            if (options.timeout_ms != 0) {  // a copy must be given up before the worker is
                plan.hang_ms = std::min(plan.hang_ms, options.timeout_ms / 2 + 1);
            }
            requests.push_back({bytes_of(Job{simulation, options.memory_limit, std::move(plan)})});
        }
        const auto kind = fresh ? WorkerProcess::Kind::fresh : WorkerProcess::Kind::fork_server;
        ISOTICK_TRY_ASSIGN(const auto ends, run_requests(requests, kind, options));
        std::vector<ProbeResult> results;
        for (const RequestEnd& end : ends) {
            results.push_back(probe_result(end, options));
            const auto& refused = results.back().refused;
            if (refused && refused->code == ErrorCode::io) {  // this machine's fault
                return tl::unexpected(*refused);
            }
        }
        return results;
    };
}

ProbeRunner probes_in_this_process(const isotick_simulation_table& table) {
    return [&table](std::span<const ProbePlan> plans) -> Result<std::vector<ProbeResult>> {
        Progress progress;
        std::vector<ProbeResult> results;
        for (const ProbePlan& plan : plans) {
            results.push_back(run_probe(plan, table, progress));
        }
        return results;
    };
}

}  // namespace isotick::harness
