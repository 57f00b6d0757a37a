#pragma once
// A folder in which a run leaves its report, for people and for machines.

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

/// The files that a report in `folder` consists of.
[[nodiscard]] std::vector<std::string> report_files(const std::string& folder);

/// Fails where write_report could not write. Removes from `folder` the report of an earlier run, so
/// that it is not taken for one of this run if this is killed.
[[nodiscard]] core::Result<void> prepare_report_folder(const std::string& folder);

/// Writes `report.txt`, which is never coloured, and `report.json` into `folder`, which is made if
/// need be.
[[nodiscard]] core::Result<void> write_report(const std::string& folder, std::string_view text,
                                              std::string_view json);

}  // namespace isotick::program
