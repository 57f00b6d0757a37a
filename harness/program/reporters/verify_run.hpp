#pragma once
// What a run of verify came to: what every reporter tells.

#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/verify.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

/// One recording of the run: its report, or why there is none.
struct VerifiedRecording {
    std::string recording;
    harness::Verdict verdict = harness::Verdict::identical;
    std::optional<harness::VerifyReport> report;
    std::string reason;  ///< where there is no report
};

struct VerifyRun {
    core::Settings environment;
    std::vector<VerifiedRecording> recordings;               ///< in the order asked for
    harness::Verdict verdict = harness::Verdict::identical;  ///< the gravest

    void add(VerifiedRecording one) {
        verdict = graver(verdict, one.verdict);
        recordings.push_back(std::move(one));
    }
};

}  // namespace isotick::program
