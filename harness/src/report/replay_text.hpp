#pragma once
// A replay and a verification in words.

#include "failure_rows.hpp"

#include <isotick/harness/replay.hpp>
#include <isotick/harness/verify.hpp>

#include <string>

namespace isotick::harness {

// What a verification proves, in words.

/// `begin_frame, step, render`, or what of it a simulation has, and what it has not.
[[nodiscard]] std::string calls_text(const HostCalls& calls);

/// `after the last hash, it left threads running`; empty where nothing was wrong.
[[nodiscard]] std::string bad_end_text(const std::string& bad_end);

/// `98 of 100 trials identical`, and that no schedule can reach the simulation where that is so and
/// none failed.
[[nodiscard]] std::string trials_text(const VerifyReport& report);

/// What is worth trying where trials_text says so; else empty.
[[nodiscard]] std::string worth_trying(const VerifyReport& report);

// One trial in words.

/// The report but for its last line, the verdict.
[[nodiscard]] std::string replay_rows(const ReplayReport& report, const ReportWords& words);

/// `  at tick 17`, what follows the verdict; empty where nothing diverged.
[[nodiscard]] std::string where_diverged(const ReplayReport& report);

}  // namespace isotick::harness
