#include "../../axes/axes.hpp"
#include "../job.hpp"
#include "../request_queue.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/worker/burst_runner.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Some of the bursts of one lead, by where they stand among them.
struct Share {
    std::size_t lead = 0;
    std::vector<std::size_t> bursts;
};

// A lead that counts runs once. Others run as often as there are workers for them, each with
// bursts from everywhere: so all come to the end of the session at about the same time.
std::vector<Share> shares_of(std::span<const LedTrials> trials, std::size_t jobs) {
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t workers = jobs == 0 ? processors : jobs;
    std::vector<Share> shares;
    for (std::size_t lead = 0; lead < trials.size(); ++lead) {
        const std::size_t bursts = trials[lead].bursts.size();
        const std::size_t parts = trials[lead].lead_counts
                                      ? 1
                                      : std::clamp<std::size_t>(workers / trials.size(), 1,
                                                                std::max<std::size_t>(bursts, 1));
        const std::size_t first = shares.size();
        shares.resize(first + parts);
        for (std::size_t part = 0; part < parts; ++part) {
            shares[first + part].lead = lead;
        }
        for (std::size_t burst = 0; burst < bursts; ++burst) {
            shares[first + burst % parts].bursts.push_back(burst);
        }
    }
    return shares;
}

LedTrials part_of(const LedTrials& trials, const Share& share) {
    LedTrials part{trials.lead, {}, trials.lead_counts};
    for (const std::size_t burst : share.bursts) {
        part.bursts.push_back(trials.bursts[burst]);
    }
    return part;
}

void merge(LedResults part, const Share& share, LedResults& whole) {
    for (std::size_t i = 0; i < share.bursts.size(); ++i) {
        whole.bursts[share.bursts[i]] = std::move(part.bursts[i]);
    }
    whole.cpu_ns += part.cpu_ns;
    if (part.lead) {
        whole.lead = std::move(part.lead);
    }
    if (!part.why_none.empty()) {
        whole.why_none = std::move(part.why_none);
    }
}

// Which bursts behind the first that failed were run depends on how they were shared.
void forget_behind_failure(LedResults& results) {
    const auto failed = std::ranges::find_if(results.bursts, [](const auto& burst) {
        return burst && burst->result.verdict != Verdict::identical;
    });
    if (failed != results.bursts.end()) {
        std::fill(failed + 1, results.bursts.end(), std::nullopt);
    }
}

LedResults results_of(RequestEnd& end, std::size_t bursts, const WorkerOptions& options) {
    LedResults results;
    results.bursts.resize(bursts);
    if (!end.finished) {
        results.why_none = "the process that they were to begin in " + cause_of(end, options);
        return results;
    }
    auto parsed = parse_led_response(end.response);
    if (!parsed) {
        results.why_none = describe(parsed.error());
    } else if (parsed->bursts.size() == bursts) {
        results = *std::move(parsed);
    }
    if (results.lead) {
        results.lead->output = std::move(end.output);
    }
    return results;
}

}  // namespace

BurstRunner bursts_in_worker_processes(SimulationName simulation, WorkerOptions options) {
    return [simulation = std::move(simulation), options = std::move(options)](
               std::span<const LedTrials> trials,
               Deadline deadline) -> Result<std::vector<LedResults>> {
        const std::int64_t deadline_ns =
            deadline ? std::chrono::nanoseconds(deadline->time_since_epoch()).count() : 0;
        const std::vector<Share> shares = shares_of(trials, options.jobs);
        std::vector<Request> requests;
        for (const Share& share : shares) {
            const LedTrials& led = trials[share.lead];
            const LedPlan plan{part_of(led, share), options.timeout_ms, deadline_ns};
            requests.push_back({bytes_of(Job{simulation, options.memory_limit, plan}),
                                process_setup(led.lead.drive.axes)});
        }
        ISOTICK_TRY_ASSIGN(auto ends,
                           run_requests(requests, WorkerProcess::Kind::fork_server, options));
        std::vector<LedResults> results(trials.size());
        for (std::size_t i = 0; i < trials.size(); ++i) {
            results[i].bursts.resize(trials[i].bursts.size());
        }
        for (std::size_t i = 0; i < shares.size(); ++i) {
            merge(results_of(ends[i], shares[i].bursts.size(), options), shares[i],
                  results[shares[i].lead]);
        }
        std::ranges::for_each(results, forget_behind_failure);
        return results;
    };
}

}  // namespace isotick::harness
