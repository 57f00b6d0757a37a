#pragma once
// What the scenes of probes answer, and snapshots that one probe leaves for another.

#include "future.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

// A snapshot and the future it must have, from one process to another.

struct SavedState {
    Bytes snapshot;
    Future future;
};

/// Writes over what is at `path`.
[[nodiscard]] core::Result<void> write_snapshot(const std::string& path, const SavedState& saved);
[[nodiscard]] core::Result<SavedState> read_snapshot(const std::string& path);

// What scenes answer the process that has them played.

/// How a scene went, in the process that played it.
struct SceneReport {
    std::optional<std::string> failed;  ///< why there is no answer
    std::string answer;                 ///< as to_bytes has written it
    std::uint64_t work = 0;             ///< ticks simulated
    std::vector<FloatLeak> float_leaks;
};

/// A simulation that ran on: its hashes, and the names of the parts.
struct HashedRun {
    std::vector<PartRow> rows;
    std::vector<std::string> part_names;
};

/// A value of a plug-in's globals over the session.
struct WatchedGlobal {
    bool changed = false;
    bool holds_address = false;
};

/// A range of memory over the session.
struct WatchedRange {
    std::vector<std::uint8_t> initial;  ///< its bytes before tick 0
    std::vector<std::uint64_t> other;   ///< ticks done where it was looked at and was not that
};

/// A value that stands somewhere in memory.
struct FoundValue {
    std::string path;
    std::uint64_t size = 0;
};

}  // namespace isotick::harness
