#pragma once
// Watched fields as a table for spreadsheets and plots.

#include "../../../src/observe/watch_file.hpp"
#include "../../output/console.hpp"

#include <string>
#include <vector>

namespace isotick::program {

/// Writes `tick,PATH,…` and a line per tick as CSV (RFC 4180, with line feeds) to stdout, as it
/// reads them; an empty cell where a field does not exist. Then says on stderr which never did.
[[nodiscard]] core::Result<void> print_csv(const harness::WatchFile& watched,
                                           const std::vector<std::string>& fields,
                                           Console& console);

}  // namespace isotick::program
