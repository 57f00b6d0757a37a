#pragma once
// What a trial reads besides its recording: as long as all of it stays the same, so does what the
// simulation computes.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

struct Dependency {
    enum class Kind { file, variable };  ///< file: a folder, a device or a library as well
    Kind kind = Kind::file;
    std::string name;  ///< absolute path, or name of the variable of the environment
    friend auto operator<=>(const Dependency&, const Dependency&) = default;
};

/// Runs the plan once more and returns what was read: the program, the libraries that it loaded,
/// and what it, or a process that it started, asked for by functions of the C library (open, fopen,
/// stat, opendir, getenv …). Not seen: system calls of its own, `environ`, sockets. Sorted, each
/// once. Fails with `io` where this build or machine cannot tell (preload::is_available), or the
/// trial is not identical.
[[nodiscard]] core::Result<std::vector<Dependency>> find_dependencies(
    const SimulationName& simulation, const TrialPlan& plan, const WorkerOptions& options);

}  // namespace isotick::harness
