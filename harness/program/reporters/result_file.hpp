#pragma once
// What one machine's part of a run leaves for `isotick merge`.

#include "../output/console.hpp"
#include "report.hpp"

#include <isotick/core/result.hpp>

#include <span>
#include <string>
#include <vector>

namespace isotick::program {

/// Identifies a run by these arguments of the program, which must be the same on all machines; but
/// for --shard, --report, --jobs, --json, --quiet, --cache, --no-cache, and the words `but_for`,
/// which are sorted.
[[nodiscard]] std::string run_id(std::span<const char* const> arguments,
                                 const std::vector<std::string>& but_for = {});

/// What a result says of one recording; recording_of throws what nlohmann does.
[[nodiscard]] Json result_of(const ReportedRecording& one);
[[nodiscard]] ReportedRecording recording_of(const Json& result);

/// The files at these places, where a folder stands for those in it whose names end in `.json`.
/// Fails with `io` where it cannot be read or has none.
[[nodiscard]] core::Result<std::vector<std::string>> result_files(
    const std::vector<std::string>& places);

/// What `--report result:FILE` wrote. Fails with `io` where the file cannot be read, with `damaged`
/// where it is no result, not whole, or of another version of isotick.
[[nodiscard]] core::Result<Report> read_result(const std::string& path);

/// The whole run from its parts, in the order of its recordings. `paths`: of the parts' files, for
/// errors. Pages that are written again use the console's colors. Fails with `damaged` where a part
/// is missing, is there twice, is of another run, is split otherwise, or does not have the
/// recordings that it should.
[[nodiscard]] core::Result<Report> merge_results(std::vector<Report> all,
                                                 const std::vector<std::string>& paths,
                                                 const Console& console);

}  // namespace isotick::program
