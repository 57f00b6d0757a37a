#pragma once
// Axes that were varied, in words.

#include <isotick/core/settings.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// `workers=2`, `environment-size=4096`.
[[nodiscard]] std::string in_short(const AxisValue& value);

/// A row named `name` for each axis: `workers=2,4,8 instead of the recorded 1`.
[[nodiscard]] std::string varied_rows(const char* name, const std::vector<AxisValue>& values,
                                      const replay::RecordingHead& head,
                                      const core::Settings& environment);

/// Which of the axes a trial that diverged needs; empty where it varies none.
[[nodiscard]] std::string axis_cause(const std::vector<AxisValue>& varied,
                                     const std::vector<AxisValue>& provoking);

}  // namespace isotick::harness
