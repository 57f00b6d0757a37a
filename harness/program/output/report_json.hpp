#pragma once
// Runs for machines: what they came to, one JSON document each.

#include "../commands/verify/verify_setup.hpp"
#include "printed_fields.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/check.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/recording_text.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/verify.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::program {

struct Minimized;
struct MinimizeOptions;

/// A recording that could not be verified, and why.
struct UnreadRecording {
    std::string recording;
    harness::Verdict verdict = harness::Verdict::unreadable;
    std::string reason;
};

[[nodiscard]] std::string verify_json(const std::vector<harness::VerifyReport>& reports,
                                      const std::vector<UnreadRecording>& unread,
                                      harness::Verdict verdict,
                                      const VerifyCommandOptions& options);

[[nodiscard]] std::string replay_json(const harness::TrialPlan& plan,
                                      const harness::TrialResult& result,
                                      const std::optional<harness::Explanation>& explanation,
                                      const std::optional<PrintedState>& printed,
                                      const CommonOptions& options);

[[nodiscard]] std::string record_json(const std::string& path, const harness::RecordResult& result);
[[nodiscard]] std::string import_json(const std::string& path, const harness::ImportResult& result);
[[nodiscard]] std::string export_json(const std::string& path, const harness::ExportResult& result);
[[nodiscard]] std::string sims_json(std::span<const harness::SimulationFacts> simulations);
[[nodiscard]] std::string loops_json(std::span<const core::LoopInfo> loops);
[[nodiscard]] std::string check_json(const std::string& simulation,
                                     const harness::CheckReport& report);
[[nodiscard]] std::string minimized_json(const harness::VerifyReport& report,
                                         const harness::FailedTrial& trial,
                                         const Minimized& minimized,
                                         const MinimizeOptions& options);

}  // namespace isotick::program
