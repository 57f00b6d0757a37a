#pragma once
// What differs where a peer parted from the offline replay.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain/field_report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace isotick::harness {

struct StateParting {
    std::vector<std::string> parts;  ///< names of those that differ, where that is known
    FieldReport fields;              ///< from `before` to `after`
};

/// Runs both sides, each to its state, and compares parts and fields; `most` fields of each kind,
/// 0: none. Between its final steps a peer has states that nobody else has: only this one counts.
[[nodiscard]] core::Result<StateParting> compare_partings(const StateSource& before,
                                                          const StateSource& after,
                                                          const StepsToStates& steps,
                                                          std::size_t most);

}  // namespace isotick::harness
