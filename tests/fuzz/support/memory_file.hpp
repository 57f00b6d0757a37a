#pragma once
// A file in memory with a path, for what reads files by their paths.

#include "fuzz_target.hpp"

#include <isotick/core/detail/bytes.hpp>

#include <string>

#include <system/posix.hpp>

namespace isotick::fuzz {

/// Its content is replaced as often as wanted.
class MemoryFile {
  public:
    MemoryFile();

    void fill(Input content);
    [[nodiscard]] core::Bytes content() const;
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return file_.get(); }

  private:
    harness::FileDescriptor file_;
    std::string path_;
};

}  // namespace isotick::fuzz
