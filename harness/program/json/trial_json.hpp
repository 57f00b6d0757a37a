#pragma once
// One trial as JSON: what it was asked, what it came to and why.

#include "../../src/study/explain.hpp"
#include "../options/options.hpp"
#include "json_pieces.hpp"

#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/trial.hpp>

#include <optional>
#include <vector>

namespace isotick::program {

[[nodiscard]] Json trial_json(const harness::TrialPlan& plan, const harness::TrialResult& result,
                              const std::optional<harness::Explanation>& explanation,
                              const CommonOptions& options);

[[nodiscard]] Json explanation_json(const harness::Explanation& explanation);

/// `nominal_passes`: the nominal trial, to show beside the failing one.
[[nodiscard]] Json frames_json(const harness::FramesAround& frames, bool nominal_passes);

[[nodiscard]] Json axes_json(const std::vector<harness::AxisValue>& values);
[[nodiscard]] Json reads_json(const std::vector<harness::SystemReads>& reads);
[[nodiscard]] Json statistics_json(const harness::TrialStatistics& statistics);
[[nodiscard]] Json calls_json(const harness::HostCalls& calls);

}  // namespace isotick::program
