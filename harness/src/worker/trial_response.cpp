#include "trial_response.hpp"

#include "job.hpp"
#include "request_queue.hpp"

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
    }
    result.output = std::move(end.output);
    result.fresh = end.fresh;
    return result;
}

}  // namespace isotick::harness
