#pragma once
// The fields of states that two trials have dumped.

#include "mapped_file.hpp"

#include <isotick/harness/field_report.hpp>

#include <cstddef>
#include <string>

namespace isotick::harness {

/// Compares two dumped states, as `compare_states` does; lists up to `most` fields of each kind.
[[nodiscard]] core::Result<FieldReport> compare_dumped(const SharedFile& before,
                                                       const SharedFile& after, std::size_t most);

/// Why a trial that was to dump a state has not; empty where it has.
[[nodiscard]] std::string why_not_dumped(const TrialResult& result);

}  // namespace isotick::harness
