#pragma once
// The fields of states that two trials have dumped.

#include "mapped_file.hpp"

#include <isotick/harness/field_report.hpp>

#include <cstddef>

namespace isotick::harness {

/// Compares two dumped states, as `compare_states` does; lists up to `most` fields of each kind.
[[nodiscard]] core::Result<FieldReport> compare_dumped(const SharedFile& before,
                                                       const SharedFile& after, std::size_t most);

}  // namespace isotick::harness
