#pragma once
// Axes that were varied, in words.

#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// `workers=2`, `environment-size=4096`.
[[nodiscard]] std::string in_short(const AxisValue& value);

/// A row for each axis: `workers=2,4,8 instead of the recorded 1`. It is called `varied` where that
/// is what was asked for, and `setting` or `axis` where it is what one trial had.
[[nodiscard]] std::string varied_rows(const std::vector<AxisValue>& values,
                                      const replay::RecordingHead& head,
                                      const core::Settings& environment);
[[nodiscard]] std::string trial_axis_rows(const TrialPlan& plan, const replay::RecordingHead& head);

/// Which of the axes a trial that diverged needs; empty where it varies none.
[[nodiscard]] std::string axis_cause(const std::vector<AxisValue>& varied,
                                     const std::vector<AxisValue>& provoking);

/// A row that says what a difference at `tick` shows where one axis alone makes it; empty where
/// that says no more than its name.
[[nodiscard]] std::string leak_row(const std::vector<AxisValue>& provoking,
                                   const std::string& tick);

}  // namespace isotick::harness
