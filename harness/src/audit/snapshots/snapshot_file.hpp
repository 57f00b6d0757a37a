#pragma once
// A snapshot and the future it must have, from one process to another.

#include "../probes/future.hpp"

#include <isotick/core/result.hpp>

#include <string>

namespace isotick::harness {

struct SavedState {
    Bytes snapshot;
    Future future;
};

/// Writes over what is at `path`.
[[nodiscard]] core::Result<void> write_snapshot(const std::string& path, const SavedState& saved);
[[nodiscard]] core::Result<SavedState> read_snapshot(const std::string& path);

}  // namespace isotick::harness
