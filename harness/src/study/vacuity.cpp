#include "vacuity.hpp"

#include <isotick/core/loops.hpp>

#include <algorithm>

namespace isotick::harness {

std::vector<std::string> why_vacuous(const VerifyReport& report, bool inputs_mattered) {
    std::vector<std::string> reasons;
    const TrialStatistics& total = report.total;
    if (!total.hash_changed) {
        reasons.emplace_back("the hash never changed: does it see the state?");
    }
    if (!inputs_mattered) {
        reasons.emplace_back(
            total.inputs_present == 0
                ? "the recording has players but no inputs"
                : "inputs never mattered: without any of them the hashes are the same");
    }
    const bool can_vary = std::ranges::any_of(report.loops, core::varies_ticks_per_frame);
    if (can_vary && total.least_ticks_per_frame == total.most_ticks_per_frame) {
        reasons.push_back("ticks per frame never varied, they were always " +
                          std::to_string(total.most_ticks_per_frame) +
                          ": more trials or ticks are needed");
    }
    return reasons;
}

}  // namespace isotick::harness
