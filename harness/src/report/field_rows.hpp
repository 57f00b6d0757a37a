#pragma once
// Rows on fields, on axes, and on what a simulation asked the system.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/simulation.hpp>
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

/// The row of a page that says what differs: the parts with the number of fields in each, then the
/// fields. `details`: with the bits of floats.
[[nodiscard]] std::string differing_rows(const std::vector<std::string>& parts,
                                         const FieldReport& report, std::string_view sides,
                                         std::string_view more, bool details);

/// `time in step of tick 12, called by pick_wind ← Lander::step`: what the simulation asked the
/// system for; empty where nothing is known.
[[nodiscard]] std::string asked_text(const std::vector<SystemReads>& reads);

// Axes that were varied, in words.

/// What was asked to be varied: for each axis `workers=2,4,8 instead of the recorded 1`.
[[nodiscard]] std::vector<std::string> varied_texts(const std::vector<AxisValue>& values,
                                                    const replay::RecordingHead& head,
                                                    const core::Settings& environment);

/// A row for each axis that a trial had, called `setting` or `axis`.
[[nodiscard]] std::string trial_axis_rows(const TrialPlan& plan, const replay::RecordingHead& head);

/// `the contents of fresh heap memory (heap=fill 85)`: the same for a sentence.
[[nodiscard]] std::string in_a_sentence(const AxisValue& value, const core::SimulationSetup& setup);

}  // namespace isotick::harness
