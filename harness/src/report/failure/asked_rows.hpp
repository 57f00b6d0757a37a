#pragma once
// What makes runs of one trial differ, and what they asked the system for.

#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/system_reads.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

inline constexpr std::string_view kByChance = ", which nothing records: another in each run";

/// `clock and random`, then why; empty where there are no axes.
[[nodiscard]] std::string cause_row(const std::vector<AxisValue>& axes, std::string_view why);

/// `time ← pick_wind ← Lander::step, in step of tick 12`, a row for each.
[[nodiscard]] std::string asked_rows(const std::vector<SystemReads>& reads);

}  // namespace isotick::harness
