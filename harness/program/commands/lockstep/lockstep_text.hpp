#pragma once
// What `isotick lockstep` says.

#include "../../output/console.hpp"
#include "lockstep_options.hpp"

#include <isotick/harness/lockstep.hpp>

#include <string>

namespace isotick::program {

[[nodiscard]] std::string lockstep_text(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options,
                                        const Console& console);
[[nodiscard]] std::string lockstep_json(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options);

}  // namespace isotick::program
