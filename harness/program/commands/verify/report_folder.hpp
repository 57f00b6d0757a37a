#pragma once
// A folder in which a run leaves its report, for people and for machines.

#include <isotick/core/result.hpp>

#include <string>
#include <vector>

namespace isotick::program {

/// The files that a report in `folder` consists of.
[[nodiscard]] std::vector<std::string> report_files(const std::string& folder);

/// Fails where write_report could not write. Removes from `folder` the report of an earlier run, so
/// that it is not taken for one of this run if this is killed.
[[nodiscard]] core::Result<void> prepare_report_folder(const std::string& folder);

struct ReportFile {
    std::string name;
    std::string content;
};

/// Writes them, never coloured, into `folder`, which is made if need be.
[[nodiscard]] core::Result<void> write_report(const std::string& folder,
                                              const std::vector<ReportFile>& files);

}  // namespace isotick::program
