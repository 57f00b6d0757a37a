#pragma once
// Where a trial whose loop goes back in time parts from the nominal one.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain/explain.hpp>

#include <cstddef>
#include <optional>

namespace isotick::harness {

/// As find_parting, where the loop of `after` goes back in time and that of `before` does not: each
/// state of `after`, of so many steps as `range` says, is held against the one that `before` has
/// after as many ticks.
[[nodiscard]] core::Result<std::optional<Explanation>> find_parting_back(const StateSource& before,
                                                                         const StateSource& after,
                                                                         StateRange range,
                                                                         std::size_t most_fields);

}  // namespace isotick::harness
