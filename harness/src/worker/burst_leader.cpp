#include "burst_leader.hpp"

#include "../platform/channel.hpp"
#include "../platform/pipes.hpp"
#include "../platform/processes/cpu_time.hpp"
#include "../platform/processes/hang_watch.hpp"
#include "../preload/own_clock.hpp"
#include "../preload/preload.hpp"
#include "../run/ended_by_error.hpp"

#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
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

}  // namespace isotick::harness
