#pragma once
// What a worker is asked to do and what it answers; progress in shared memory.

#include "messages.hpp"
#include "trial.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/probe.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace isotick::harness {

// What a worker is asked to do, as bytes, and what it answers.

/// Asks for nothing but the simulation's facts.
struct FactsPlan {};

/// Asks a trial to wait before a frame. The worker's next trials, which must be the same up to
/// there, go on from there.
struct HeldTrial {
    TrialPlan plan;
    std::uint64_t before_frame = 0;
};

/// Asks the trial that was held last to end.
struct DropPlan {};

/// Asks for a trial and for those that go on from it.
struct LedPlan {
    LedTrials trials;
    std::uint64_t hang_ms = 0;     ///< a burst without progress is killed after that; 0: never
    std::int64_t deadline_ns = 0;  ///< on the steady clock, after which none begins; 0: never
};

struct Job {
    SimulationName simulation = SimulationName::chosen("");
    std::uint64_t memory_limit = 0;  ///< bytes; 0: none
    std::variant<TrialPlan, RecordPlan, ProbePlan, FactsPlan, HeldTrial, DropPlan, LedPlan> plan;
    std::string locales{};  ///< as own_locales() of the process that asks; set by bytes_of
};

[[nodiscard]] std::string bytes_of(Job job);

/// How many ticks the trial has run that waits; 0 where one was dropped.
struct HeldAt {
    std::uint64_t ticks = 0;
};

/// The Error of a worker that could not run its job, or what came of it.
using Response = std::variant<core::Error, HeldAt, TrialResult, RecordResult, ProbeResult,
                              SimulationFacts, LedResults>;

/// What bytes_of has written. Never throws, whatever the bytes are.
[[nodiscard]] core::Result<Job> parse_job(std::string_view bytes);

/// Runs the job in this process and returns the response.
[[nodiscard]] std::string run_job(const Job& job, const isotick_simulation_table& table,
                                  Progress& progress);

/// Runs a trial that waits on its way.
[[nodiscard]] std::string run_job(const HeldTrial& held, const isotick_simulation_table& table,
                                  Progress& progress, const BranchPoint& branch);

/// The response of a trial that leads others.
[[nodiscard]] std::string led_response(LedResults results);

/// The response of a trial in its own copy of the process.
[[nodiscard]] std::string trial_response(TrialResult result);

/// The response of a trial that waits, and of one that was dropped.
[[nodiscard]] std::string held_response(std::uint64_t ticks);

/// The ticks that held_response was given; none where the response is another.
[[nodiscard]] std::optional<std::uint64_t> parse_held_response(std::string_view bytes);

/// The response of a worker that could not run the job.
[[nodiscard]] std::string failed_response(const core::Error& error);

/// The result a response holds; fails with the worker's own error, or on nonsense.
[[nodiscard]] core::Result<TrialResult> parse_trial_response(std::string_view bytes);
[[nodiscard]] core::Result<LedResults> parse_led_response(std::string_view bytes);
[[nodiscard]] core::Result<RecordResult> parse_record_response(std::string_view bytes);
[[nodiscard]] core::Result<ProbeResult> parse_probe_response(std::string_view bytes);
[[nodiscard]] core::Result<SimulationFacts> parse_facts_response(std::string_view bytes);

}  // namespace isotick::harness
