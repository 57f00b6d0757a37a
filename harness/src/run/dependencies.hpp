#pragma once
// What trials read besides their recording: as long as all of it stays the same, so does what the
// simulation computes.

#include "../system/files.hpp"

#include <isotick/core/result.hpp>

#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

struct Dependency {
    enum class Kind { file, variable };  ///< file: a folder, a device or a library as well
    Kind kind = Kind::file;
    std::string name;  ///< absolute path, or name of the variable of the environment
    friend auto operator<=>(const Dependency&, const Dependency&) = default;
};

/// Where worker processes, and those that they start, note what they read: the program, the
/// libraries that they loaded, and what was asked for by functions of the C library (open, fopen,
/// stat, opendir, getenv …). Not seen: system calls of a program's own, `environ`, and sockets.
/// Movable.
class DependencyLog {
  public:
    /// Fails with `io` where this build or machine cannot tell (preload::is_available).
    [[nodiscard]] static core::Result<DependencyLog> make();

    /// For WorkerOptions::notes. Valid as long as this object.
    [[nodiscard]] const std::string& path() const { return file_.path(); }

    /// What was noted, sorted, each once. To be called when nothing runs any more.
    [[nodiscard]] core::Result<std::vector<Dependency>> read() const;

  private:
    explicit DependencyLog(SharedFile file) : file_(std::move(file)) {}

    SharedFile file_;
};

}  // namespace isotick::harness
