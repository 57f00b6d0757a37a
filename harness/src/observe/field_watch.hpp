#pragma once
// Fields written down tick by tick while a trial runs.

#include "../platform/posix.hpp"

#include <isotick/core/detail/fields/field_selection.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/trial.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// Writes a row after each tick, at once: what a trial wrote before it crashed stays. Takes memory
/// for one state and one row.
class FieldWatch {
  public:
    /// Fails with `usage` where a path is not the path of one value, or where the simulation does
    /// not show its fields; with `io` where the file cannot be written.
    [[nodiscard]] static core::Result<FieldWatch> open(const WatchRequest& request,
                                                       const core::Simulation& simulation);

    /// The state after `tick`. Fails with `usage` where a path leads to several values, else as
    /// Simulation::fields and as open().
    [[nodiscard]] core::Result<void> look(core::Simulation& simulation, core::Tick tick);

  private:
    struct Column {
        core::FieldPattern path;
        bool was_missing = false;  // and the file says what there was instead
    };

    FieldWatch(FileDescriptor file, std::vector<Column> columns)
        : file_(std::move(file)), columns_(std::move(columns)) {}

    FileDescriptor file_;
    std::vector<Column> columns_;
};

}  // namespace isotick::harness
