#pragma once
// A file of text that a command writes, or stdout.

#include <isotick/core/result.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace isotick::program {

/// Written under its own name, or beside an old file that it replaces when it is complete; removed
/// again unless complete() is called. Movable.
class OutputFile {
  public:
    /// `path` "-" is stdout. Fails with `usage` where the path exists and `replace` is off, with
    /// `io` where it cannot be created.
    [[nodiscard]] static core::Result<OutputFile> create(const std::string& path, bool replace);
    ~OutputFile();
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;

    [[nodiscard]] core::Result<void> write(std::string_view text);

    /// Closes, and gives the file its name.
    [[nodiscard]] core::Result<void> complete();

  private:
    OutputFile(std::FILE* file, std::string path, std::string written)
        : file_(file), path_(std::move(path)), written_(std::move(written)) {}

    [[nodiscard]] tl::unexpected<core::Error> failed() const;

    std::FILE* file_;
    std::string path_;
    std::string written_;  // where it is being written; empty: stdout, or nothing to remove
};

}  // namespace isotick::program
