#pragma once
// What the options of `record`, and of commands that record first, ask for.

#include "options.hpp"

#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>

namespace isotick::program {

/// Everything that decides what is recorded, into options.output. Fails with `usage` on options
/// that make no sense.
[[nodiscard]] core::Result<harness::RecordPlan> plan_record(const RecordOptions& options,
                                                            const Prepared& prepared,
                                                            const harness::SimulationFacts& facts);

}  // namespace isotick::program
