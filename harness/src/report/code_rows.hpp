#pragma once
// Which code made the difference, in words.

#include "field_rows.hpp"

#include <isotick/harness/detail/field_report.hpp>

#include <span>
#include <string>
#include <string_view>

namespace isotick::harness {

/// Who wrote what. `other` names the run that the failing one is compared with: `the recorded run`.
/// Empty if the writer is not known.
[[nodiscard]] std::string write_text(const PartingWrite& write, std::string_view other);

/// The code where the differing value enters the tick, and what it does there. Empty if that is not
/// known.
[[nodiscard]] std::string origin_text(const PartingWrite& write);

/// How many draws each side makes, and below, from the first that differs on, who makes them.
[[nodiscard]] PageRow draws_row(const Draws& draws);

}  // namespace isotick::harness
