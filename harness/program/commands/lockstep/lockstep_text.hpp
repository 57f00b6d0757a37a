#pragma once
// What `isotick lockstep` says.

#include "../../output/console.hpp"
#include "lockstep_options.hpp"

#include <isotick/harness/lockstep.hpp>

#include <string>

namespace isotick::program {

/// `reproduce`: the command that does; empty: none.
[[nodiscard]] std::string lockstep_text(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options,
                                        const std::string& reproduce, const Console& console);
[[nodiscard]] std::string lockstep_json(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options,
                                        const std::string& reproduce);

}  // namespace isotick::program
