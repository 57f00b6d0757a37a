#pragma once
// One trial in words.

#include "failure/failure_rows.hpp"

#include <isotick/harness/replay.hpp>

#include <string>

namespace isotick::harness {

/// The report but for its last line, the verdict.
[[nodiscard]] std::string replay_rows(const ReplayReport& report, const ReportWords& words);

/// `  at tick 17`, what follows the verdict; empty where nothing diverged.
[[nodiscard]] std::string where_diverged(const ReplayReport& report);

}  // namespace isotick::harness
