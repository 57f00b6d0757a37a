#pragma once
// The fields of states that two trials have dumped.

#include "../platform/mapped_file.hpp"

#include <isotick/harness/detail/explain/field_report.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace isotick::harness {

/// A state dump, and what the state must hash to: the fields are of no other run's.
struct DumpedState {
    std::span<const std::byte> bytes;
    core::StateHash hash;
};

/// Compares two dumped states, as `compare_states` does; lists up to `most` fields of each kind.
[[nodiscard]] FieldReport compare_dumped(const DumpedState& before, const DumpedState& after,
                                         std::size_t most);

/// The same of dumps in files.
[[nodiscard]] core::Result<FieldReport> compare_dumped(const SharedFile& before,
                                                       core::StateHash hash_before,
                                                       const SharedFile& after,
                                                       core::StateHash hash_after,
                                                       std::size_t most);

/// Why a trial that was to dump a state has not; empty where it has.
[[nodiscard]] std::string why_not_dumped(const TrialResult& result);

}  // namespace isotick::harness
