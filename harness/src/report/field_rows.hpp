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

// What a page is made of.

/// A question that a page answers, in a word or two, and the answer.
struct PageRow {
    std::string name;
    std::string text;
    std::vector<std::string> lines{};  ///< below it: fields
    bool is_command = false;           ///< or a schedule: to be copied, so it is not broken
};

/// Each as a paragraph.
[[nodiscard]] std::string page_text(const std::vector<PageRow>& rows);

/// What differs: the parts with the number of fields in each, then the fields; `sides` says between
/// what: `recorded → computed`, `more` how to see those that are not listed. `details`: with the
/// bits of floats. No text where nobody asked for fields, and no parts are known.
[[nodiscard]] PageRow differing_row(const std::vector<std::string>& parts,
                                    const FieldReport& report, std::string_view sides,
                                    std::string_view more, bool details);

/// The same in words.
[[nodiscard]] std::string differing_rows(const std::vector<std::string>& parts,
                                         const FieldReport& report, std::string_view sides,
                                         std::string_view more);

/// `time in step of tick 12, called by pick_wind ← Lander::step`: what the simulation asked the
/// system for; empty where nothing is known.
[[nodiscard]] std::string asked_text(const std::vector<SystemReads>& reads);

// Axes that were varied, in words.

/// What was asked to be varied: for each axis `workers=2,4,8 instead of the recorded 1`.
[[nodiscard]] std::vector<std::string> varied_texts(const std::vector<AxisValue>& values,
                                                    const replay::RecordingHead& head,
                                                    const core::Settings& environment);

/// A row for each axis that a trial had, called `setting` or `axis`.
[[nodiscard]] std::vector<PageRow> trial_axis_rows(const TrialPlan& plan,
                                                   const replay::RecordingHead& head);

/// `the contents of fresh heap memory (heap=fill 85)`: the same for a sentence.
[[nodiscard]] std::string in_a_sentence(const AxisValue& value, const core::SimulationSetup& setup);

}  // namespace isotick::harness
