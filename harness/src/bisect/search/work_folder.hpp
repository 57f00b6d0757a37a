#pragma once
// The folder in which a bisection keeps its clone, its builds and its logs.

#include "../../platform/posix.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace isotick::harness::bisect {

/// Keeps others out as long as it lives, and after this process was killed until all builds that it
/// had started are dead. Movable.
class FolderLock {
  public:
    /// Fails with `usage` where another is there already.
    [[nodiscard]] static core::Result<FolderLock> take(const std::string& folder);
    ~FolderLock();
    FolderLock(FolderLock&&) noexcept = default;
    FolderLock& operator=(FolderLock&&) = delete;

  private:
    explicit FolderLock(FileDescriptor file) : file_(std::move(file)) {}

    FileDescriptor file_;
};

/// Writes git's log of search number `number` and returns the file's path. Its comments, which
/// quote commits, are made printable.
[[nodiscard]] core::Result<std::string> keep_log(const std::string& folder, std::size_t number,
                                                 const std::string& log);

}  // namespace isotick::harness::bisect
