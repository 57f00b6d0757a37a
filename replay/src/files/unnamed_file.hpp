#pragma once
// How a file gets its name only once it is complete, so that whatever ends the process before
// leaves nothing behind.

#include "file.hpp"

#include <isotick/core/result.hpp>

#include <filesystem>
#include <optional>

namespace isotick::replay {

/// A file on its way to its name. On Linux and most file systems it has none before. Elsewhere it
/// has one beside it, such as `s.isotick.isotick-partial0`, and is locked while its maker lives: if
/// that is killed, the next UnnamedFile for the same name removes what it left. Destroyed before
/// take_name, it vanishes. Movable; not thread-safe.
class UnnamedFile {
  public:
    /// Creates it for `path`. Errors of the file name that.
    [[nodiscard]] static core::Result<UnnamedFile> create(const std::filesystem::path& path);
    /// The same where there are no files without a name.
    [[nodiscard]] static core::Result<UnnamedFile> create_beside(const std::filesystem::path& path);

    ~UnnamedFile();
    UnnamedFile(UnnamedFile&& other) noexcept;
    UnnamedFile& operator=(UnnamedFile&&) = delete;

    [[nodiscard]] File& file() { return *file_; }
    /// Where other processes can open it while this object lives and it has no name.
    [[nodiscard]] std::filesystem::path place() const;
    /// True if somebody has deleted it.
    [[nodiscard]] bool is_lost() const;

    /// Closes it and gives it its name. Fails with `usage` where that is taken, unless `replace`.
    [[nodiscard]] core::Result<void> take_name(bool replace);

  private:
    UnnamedFile(File file, std::filesystem::path path, std::filesystem::path temporary);

    [[nodiscard]] core::Result<void> link_beside();

    std::optional<File> file_;
    std::filesystem::path path_;
    std::filesystem::path temporary_;  // empty: it has no name at all
};

}  // namespace isotick::replay
