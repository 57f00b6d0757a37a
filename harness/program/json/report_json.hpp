#pragma once
// What commands did, for machines: one JSON document each.

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
