#pragma once
// Rows on fields, on axes, and on what a simulation asked the system.

#include <isotick/core/detail/settings.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/system_reads.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// Fields that differ, in words.

/// The rows of a report about fields that differ; `sides` says between what: `recorded → computed`,
/// `more` how to see those that are not listed. Empty where nobody asked for them.
[[nodiscard]] std::string field_rows(const FieldReport& report, std::string_view sides,
                                     std::string_view more);

/// The same of differences that are known.
[[nodiscard]] std::string difference_rows(const core::FieldDifferences& differences,
                                          std::string_view sides, std::string_view more);

// What makes runs of one trial differ, and what they asked the system for.

inline constexpr std::string_view kByChance = ", which nothing records: another in each run";

/// `clock and random`, then why; empty where there are no axes.
[[nodiscard]] std::string cause_row(const std::vector<AxisValue>& axes, std::string_view why);

/// `time ← pick_wind ← Lander::step, in step of tick 12`, a row for each.
[[nodiscard]] std::string asked_rows(const std::vector<SystemReads>& reads);

// Axes that were varied, in words.

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
