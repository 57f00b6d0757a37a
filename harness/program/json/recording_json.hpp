#pragma once
// Files for machines: what recordings and state dumps hold, one JSON document each.

#include "../commands/diff.hpp"

#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/repair.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isotick::program {

[[nodiscard]] std::string inspect_json(const std::string& path, const replay::Survey& survey);
[[nodiscard]] std::string repair_json(const std::string& recording, const std::string& output,
                                      const replay::RepairReport& report);
[[nodiscard]] std::string diff_json(const DiffOptions& options,
                                    const replay::Comparison& comparison, std::string_view outcome,
                                    const std::optional<harness::Explanation>& difference);
[[nodiscard]] std::string state_diff_json(const DiffOptions& options,
                                          const harness::StateComparison& compared,
                                          std::string_view outcome);

/// The ticks of a range are a document that is too long to be held: the members before them, one
/// line for each tick, and one for each gap.
[[nodiscard]] std::string ticks_json_head(const std::string& path,
                                          const replay::RecordingHead& head,
                                          const replay::TickRange& range);
[[nodiscard]] std::string tick_json(const replay::TickChunk& chunk, std::uint32_t row);
[[nodiscard]] std::string gap_json(const replay::TickRange& ticks, const std::string& reason);

}  // namespace isotick::program
