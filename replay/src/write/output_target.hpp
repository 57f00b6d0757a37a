#pragma once
// A file that appears at its path at once, or only when it is complete.

#include "../format/file.hpp"
#include "unnamed_file.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <variant>

namespace isotick::replay {

// Where a Writer's bytes go, and what becomes of them if it never finishes.

/// A new file, or what exists and is written to as it is. Destroyed without complete(), a file that
/// appears at once keeps what was written; of one that appears complete nothing is left. Movable;
/// not thread-safe.
class OutputTarget {
  public:
    [[nodiscard]] static core::Result<OutputTarget> open(const std::string& name,
                                                         WriterOptions options);

    /// Writes all of `bytes`; if that fails, cuts off what was written of them, where it can. With
    /// Appearance::at_once the file has a name afterwards: its own from the first bytes on, or one
    /// beside what it is to replace from the second on, behind a recording's head.
    [[nodiscard]] core::Result<void> write(std::span<const std::byte> bytes);

    /// Where the file is to be durable, returns when the disk has what was written, and its name.
    [[nodiscard]] core::Result<void> sync();

    /// Closes, and puts the file at its path.
    [[nodiscard]] core::Result<void> complete();

    /// Leaves what was written beside what it was to replace, if there is that; else nothing.
    [[nodiscard]] core::Result<void> leave_beside();

    /// Removes what open created: for failures before there is anything worth keeping.
    void discard();

    /// Where other processes can open the file until it is complete.
    [[nodiscard]] std::filesystem::path place() const;

    [[nodiscard]] std::uint64_t size() const { return size_; }

  private:
    OutputTarget(std::variant<File, UnnamedFile> file, std::filesystem::path path,
                 WriterOptions options);

    [[nodiscard]] File& file();

    std::variant<File, UnnamedFile> file_;  // a File: what exists and stays where it is
    std::filesystem::path path_;
    WriterOptions options_;
    bool replaces_ = false;       // what was there when it was opened
    bool appears_ = false;        // still to be done
    bool name_is_synced_ = true;  // the disk knows it
    std::uint64_t size_ = 0;
};

}  // namespace isotick::replay
