#pragma once
// What a worker is asked to do, as text, and what it answers.

#include <isotick/core/result.hpp>
#include <isotick/harness/probe.hpp>
#include <isotick/harness/progress.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/simulation_facts.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace isotick::harness {

/// Asks for nothing but the simulation's facts.
struct FactsPlan {};

struct Job {
    std::string simulation;          ///< as a SimulationCatalog opens it
    std::uint64_t memory_limit = 0;  ///< bytes; 0: none
    std::variant<TrialPlan, RecordPlan, ProbePlan, FactsPlan> plan;
};

[[nodiscard]] std::string to_text(const Job& job);
[[nodiscard]] core::Result<Job> parse_job(std::string_view text);

/// Runs the job in this process and returns the response.
[[nodiscard]] std::string run_job(const Job& job, const isotick_simulation_table& table,
                                  Progress& progress);

/// The response of a worker that could not run the job.
[[nodiscard]] std::string failed_response(const core::Error& error);

/// The result a response holds; fails with the worker's own error, or on nonsense.
[[nodiscard]] core::Result<TrialResult> parse_trial_response(std::string_view text);
[[nodiscard]] core::Result<RecordResult> parse_record_response(std::string_view text);
[[nodiscard]] core::Result<ProbeResult> parse_probe_response(std::string_view text);
[[nodiscard]] core::Result<SimulationFacts> parse_facts_response(std::string_view text);

}  // namespace isotick::harness
