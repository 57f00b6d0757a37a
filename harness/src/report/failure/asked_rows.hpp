#pragma once
// What a trial asked the system for.

#include <isotick/harness/detail/system_reads.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// `time ← pick_wind ← Lander::step, in step of tick 12`, a row for each.
[[nodiscard]] std::string asked_rows(const std::vector<SystemReads>& reads);

}  // namespace isotick::harness
