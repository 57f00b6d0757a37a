#pragma once
// What a report says in terms of the command line.

#include "../../src/report/failure/failure_rows.hpp"
#include "../options/options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::program {

/// How to see fields that a report does not list.
inline constexpr const char* kMoreFields = "--fields all lists all of each kind";

/// ` --loop '…'`, with a space in front; nothing for the usual loop.
[[nodiscard]] std::string loop_argument(const core::LoopOptions& loop);

/// The command that replays `plan` and ends the same way.
[[nodiscard]] std::string reproducing_command(const harness::TrialPlan& plan,
                                              const CommonOptions& options);

/// The command that verifies `recording` under the same conditions.
[[nodiscard]] std::string verifying_command(const std::string& recording,
                                            const core::Settings& environment,
                                            const CommonOptions& options);

/// Says that `shared` is an environment whose values are left out, and how to get them.
[[nodiscard]] std::string left_out_text(const core::Settings& shared);

/// The root of the trials' seeds as verify prints it and `--seed` takes it: `0x…`, 16 digits.
[[nodiscard]] std::string root_seed_text(std::uint64_t seed);

/// For the report on a trial that failed.
[[nodiscard]] harness::ReportWords report_words(
    const harness::TrialPlan& plan, const std::optional<harness::Explanation>& explanation,
    const std::optional<harness::Shrinking>& shrinking, const CommonOptions& options);

}  // namespace isotick::program
