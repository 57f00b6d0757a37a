#pragma once
// Hashes of states in a file that trials write and compare with.

#include "../../platform/posix.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>

namespace isotick::harness {

/// The file of a HashFile. Copies of a process may write it one after the other. Movable.
class HashColumn {
  public:
    [[nodiscard]] static core::Result<HashColumn> open(const HashFile& file);

    [[nodiscard]] HashFile::Use use() const { return use_; }

    [[nodiscard]] core::Result<void> write(std::uint64_t ticks_done, core::StateHash hash);

    /// None behind the last that was written.
    [[nodiscard]] core::Result<std::optional<core::StateHash>> read(std::uint64_t ticks_done) const;

  private:
    HashColumn(FileDescriptor file, HashFile::Use use) : file_(std::move(file)), use_(use) {}

    FileDescriptor file_;
    HashFile::Use use_;
};

}  // namespace isotick::harness
