#pragma once
// `isotick replay`.

#include "../../src/run/field_watch.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <optional>

namespace isotick::program {

// Runs the trial of `isotick replay`, and looks at what it leaves.

struct ReplayOptions : CommonOptions {
    std::string recording;
    std::optional<std::uint64_t> until;
    std::uint64_t most_frames = 0;
    std::string fields;  ///< how many to list: a number or `all`; empty: as many as is usual
    std::string state;   ///< where to write the last state
    std::vector<std::string> print;
    std::vector<std::string> watch;
    std::vector<std::string> vary;
    std::string rollback;  ///< another value to vary; see with_rollback
    std::string drive;     ///< loop, schedule and axes in one line; empty: what the options say
    bool in_process = false;
};

/// The report, and what the user wanted to see of the states.
struct Replayed : harness::ReplayReport {
    std::optional<PrintedState> printed;  ///< where the user wants fields and there is a state
    std::optional<harness::WatchFile> watched;  ///< where the user watches fields
    std::optional<replay::NewFile> state;       ///< the last one, where the user wants it in a file
};

/// Runs the trial once and, unless it runs in this process, confirms and explains a divergence.
[[nodiscard]] core::Result<Replayed> replay_once(const ReplayOptions& options,
                                                 const Prepared& prepared,
                                                 harness::SimulationCatalog& catalog);

}  // namespace isotick::program
