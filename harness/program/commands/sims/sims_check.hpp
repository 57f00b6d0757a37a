#pragma once
// `isotick sims --check`.

#include "../../command/option_list.hpp"
#include "../../options/options.hpp"

#include <string>
#include <vector>

namespace isotick::program {

struct SimsOptions : CommonOptions {
    std::string check;  ///< the simulation to check; empty: list or describe
    std::vector<std::string> config;
};

/// The options of sims that only a check has.
void add_check_options(OptionList& list, SimsOptions& options);

/// Plays harness/PROTOCOL.md at the simulation that `options.check` names: a process as it is, any
/// other served by this program in a process of its own.
[[nodiscard]] int run_sims_check(const SimsOptions& options, Console& console);

}  // namespace isotick::program
