#include "burst_runner.hpp"

#include "../axes/axes.hpp"
#include "../system/channel.hpp"
#include "../system/copied_process.hpp"
#include "../system/posix.hpp"
#include "../system/preload.hpp"
#include "../system/process.hpp"
#include "job.hpp"
#include "request_queue.hpp"
#include "trial_end.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/trial_runner.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr int kLeaderLooksEveryMs = 50;

// What a burst prints would be taken for what its lead prints. It prints it again when it is run
// from its beginning.
void silence() {
    const FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
    dup2(nowhere.get(), STDOUT_FILENO);
    dup2(nowhere.get(), STDERR_FILENO);
}

std::uint64_t cpu_ns_so_far() {
    return static_cast<std::uint64_t>(cpu_time_so_far().count());
}

bool is_past(std::int64_t deadline_ns) {
    const auto now = OwnClock::now().time_since_epoch();
    return deadline_ns != 0 && now >= std::chrono::nanoseconds(deadline_ns);
}

}  // namespace

std::string BurstLeader::run() {
    results_.bursts.resize(plan_.trials.bursts.size());
    if (auto answer = anonymous_file()) {
        answer_ = *std::move(answer);
    } else {
        return failed_response(answer.error());
    }
    const std::uint64_t first =
        plan_.trials.bursts.empty() ? 0 : plan_.trials.bursts.front().before_frame;
    TrialResult result =
        plan_.trials.bursts.empty()
            ? run_trial(plan_.trials.lead, table_, progress_)
            : run_branching_trial(plan_.trials.lead, table_, progress_,
                                  {first, [this](const auto& so_far) { return wait(so_far); },
                                   [this](TrialResult& its) { end_copy(its); }});
    if (next_ == 0 && !plan_.trials.bursts.empty() && result.verdict == Verdict::identical &&
        result.statistics.frames > first && results_.why_none.empty()) {
        results_.why_none = "the simulation takes its calls from a queue, in a process of its own";
    }
    results_.lead = std::move(result);
    return response();
}

std::string BurstLeader::response() {
    if (!failed_) {
        results_.cpu_ns = cpu_ns_so_far();
    }
    return led_response(std::move(results_));
}

// Returns in each copy, and in the lead with the frame from which the next bursts go on.
std::optional<BranchPoint::Way> BurstLeader::wait(const TrialStatistics& so_far) {
    const preload::Unseen unseen;
    const auto& bursts = plan_.trials.bursts;
    if (results_.why_none.empty() && has_other_threads()) {
        results_.why_none = "the simulation has threads of its own";
    }
    while (!is_over() && bursts[next_].before_frame <= so_far.frames) {
        const auto copied = copy(so_far);
        if (!copied) {
            results_.why_none = copied.error().message;
        } else if (*copied) {
            return BranchPoint::Way{bursts[next_].plan, std::nullopt};
        }
        ++next_;
    }
    if (!is_over()) {
        return BranchPoint::Way{std::nullopt, bursts[next_].before_frame};
    }
    if (!plan_.trials.lead_counts) {
        answer_and_exit(kWorkerResponse, progress_, [this] { return response(); });
    }
    return BranchPoint::Way{};
}

bool BurstLeader::is_over() const {
    return failed_ || next_ == plan_.trials.bursts.size() || !results_.why_none.empty() ||
           is_past(plan_.deadline_ns);
}

// True in the copy.
Result<bool> BurstLeader::copy(const TrialStatistics& so_far) {
    ISOTICK_TRY_ASSIGN(auto life, make_pipe());
    std::fflush(nullptr);
    const preload::Kept kept;
    ISOTICK_TRY_ASSIGN(auto burst, copy_this_process());
    if (burst.id() == 0) {
        is_copy_ = true;
        life.writing.release();  // open until this process ends
        silence();
        return true;
    }
    life.writing.reset();
    TrialResult result = await(std::move(burst), life.reading.get());
    kept.restore();
    if (result.verdict != Verdict::identical) {
        failed_ = true;
        results_.cpu_ns = cpu_ns_so_far();
    }
    results_.bursts[next_] = BurstResult{std::move(result), so_far};
    return false;
}

// A burst that hangs is killed somewhat before the lane would kill this process for it.
TrialResult BurstLeader::await(Process burst, int life) {
    HangWatch watch;
    watch.start(progress_.beats);
    bool timed_out = false;
    while (!timed_out && !wait_to_read({&life, 1}, kLeaderLooksEveryMs) && !burst.has_ended()) {
        timed_out = watch.hangs(progress_.beats, plan_.hang_ms - plan_.hang_ms / 4);
    }
    if (timed_out) {
        burst.kill();
    }
    const ProcessEnd end = burst.wait();
    return result_of(end, timed_out);
}

TrialResult BurstLeader::result_of(const ProcessEnd& end, bool timed_out) const {
    if (end.well() && !timed_out) {
        if (const auto content = get_content(answer_.get())) {
            if (auto result = parse_trial_response(*content)) {
                return *std::move(result);
            }
        }
    }
    TrialResult result;
    const int lacked = cut_off_by(progress_, end);
    progress_.cut_off = 0;
    if (!timed_out && lacked != 0 && !is_closed(lacked)) {
        errno = lacked;
        end_with(system_failure("a burst cannot answer").value(), progress_.place(), result);
        return result;
    }
    result.verdict = timed_out ? Verdict::timed_out : Verdict::crashed;
    result.failed_in = progress_.place();
    result.reason = (timed_out ? "no progress" : describe_end(end)) + " " +
                    describe(result.failed_in->activity, result.failed_in->tick);
    return result;
}

void BurstLeader::end_copy(TrialResult& result) {
    if (!is_copy_) {
        return;
    }
    answer_and_exit(answer_.get(), progress_,
                    [&result] { return trial_response(std::move(result)); });
}

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
