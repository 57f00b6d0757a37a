#pragma once
// The values of chosen fields after each tick, and a watch for NaNs.

#include "../system/files.hpp"
#include "../system/posix.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// The file that a trial writes watched fields into, as those see it who asked for them.

/// The path of one value; fails with `usage` where `text` is none.
[[nodiscard]] core::Result<core::FieldPattern> watched_path(std::string_view text);

/// The values of the watched fields after one tick.
struct WatchedTick {
    std::uint64_t tick = 0;
    std::vector<std::optional<std::string>> values;  ///< none: it does not exist then
};

/// A field that existed after no tick.
struct UnseenField {
    std::size_t field = 0;  ///< its place in the request
    std::string missing;    ///< which step of its path did not exist, and what did
};

class WatchFile {
  public:
    [[nodiscard]] static core::Result<WatchFile> make(std::vector<std::string> fields);

    /// What to ask of a trial; holds as long as this object.
    [[nodiscard]] WatchRequest request() const { return {file_.path(), fields_}; }

    /// Hands the ticks to `take` in order, up to its first failure, which is then returned. Of a
    /// trial that crashed these are the ticks before.
    [[nodiscard]] core::Result<std::vector<UnseenField>> read(
        const std::function<core::Result<void>(const WatchedTick&)>& take) const;

  private:
    WatchFile(SharedFile file, std::vector<std::string> fields)
        : file_(std::move(file)), fields_(std::move(fields)) {}

    SharedFile file_;
    std::vector<std::string> fields_;
};

// Fields written down tick by tick while a trial runs.

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

// Looks for NaNs in the state that a trial ends with.

/// Has one trial write its last state, and looks through it. Where that cannot be done there is
/// nothing to say: what a NaN might mean is a hint, no verdict.
class NanWatch {
  public:
    [[nodiscard]] static core::Result<NanWatch> make();

    /// What to ask of the trial; holds as long as this object.
    [[nodiscard]] DumpRequest request() const { return {file_.path(), std::nullopt}; }

    /// The path of the first NaN in the state that the trial ended with; empty where there is none,
    /// or where the simulation does not show its fields.
    [[nodiscard]] std::string find(const TrialResult& result) const;

  private:
    explicit NanWatch(SharedFile file) : file_(std::move(file)) {}

    SharedFile file_;
};

}  // namespace isotick::harness
