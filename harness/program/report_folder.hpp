#pragma once
// A folder in which a run leaves its report, for people and for machines.

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>

namespace isotick::program {

/// Makes `folder`, and removes from it the report of an earlier run, lest it be taken for one of
/// this run if this is killed.
[[nodiscard]] core::Result<void> prepare_report_folder(const std::string& folder);

/// Writes `report.txt`, which is never coloured, and `report.json` into `folder`.
[[nodiscard]] core::Result<void> write_report(const std::string& folder, std::string_view text,
                                              std::string_view json);

}  // namespace isotick::program
