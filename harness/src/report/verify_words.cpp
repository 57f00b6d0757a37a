#include "verify_words.hpp"

#include <fmt/format.h>

namespace isotick::harness {
namespace {

// What failed was reached.
bool is_out_of_reach(const VerifyReport& report) {
    return !report.frames_reach_it && report.failures.empty();
}

}  // namespace

std::string calls_text(const HostCalls& calls) {
    if (calls.begin_frame && calls.render) {
        return "begin_frame, step, render";
    }
    return calls.begin_frame ? "begin_frame, step; no render"
           : calls.render    ? "step, render; no begin_frame"
                             : "step; neither begin_frame nor render";
}

std::string bad_end_text(const std::string& bad_end) {
    return bad_end.empty() ? "" : "after the last hash, " + bad_end;
}

std::string trials_text(const VerifyReport& report) {
    return fmt::format("{} of {} trials identical{}", report.trials_identical, report.trials,
                       is_out_of_reach(report)
                           ? ", but no schedule can reach the simulation: it has neither "
                             "begin_frame nor render"
                           : "");
}

std::string worth_trying(const VerifyReport& report) {
    if (!is_out_of_reach(report)) {
        return "";
    }
    return std::string(report.perturbed.empty() ? "--perturb all, " : "") +
           "--vary with settings that must not matter, --loop threaded or reversible, isotick "
           "audit, another build or machine. For a game's own loop, use Playback";
}

}  // namespace isotick::harness
