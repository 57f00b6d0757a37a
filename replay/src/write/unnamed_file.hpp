#pragma once
// How a file gets its name only when it is complete, or at least begun as it must be.

#include "../format/file.hpp"

#include <isotick/core/result.hpp>

#include <filesystem>
#include <optional>
#include <vector>

namespace isotick::replay {

/// A file on its way to its name. On Linux and most file systems it has none before. Elsewhere it
/// has one beside it, such as `s.isotick.isotick-partial0`, and is locked while its maker lives: if
/// that is killed, the next UnnamedFile for the same name removes what it left, but no file that
/// anybody else has made. Where it is to replace a file, it has the access rights of that one from
/// the beginning, and its owner where the system allows that. Destroyed before it has its name, it
/// vanishes unless it has appeared. Movable; not thread-safe.
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

    /// Gives it a name under which it stays, whatever becomes of its maker: its own, or with
    /// `beside` the first of `s.isotick.unfinished`, `s.isotick.unfinished1` … that is free. Fails
    /// with `usage` where its own is taken.
    [[nodiscard]] core::Result<void> appear(bool beside);
    /// Makes a file that has appeared vanish when it is destroyed.
    void discard() { stays_ = false; }

    /// Closes it and gives it its name, if it doesn't have that. Fails with `usage` where it is
    /// taken, unless `replace`.
    [[nodiscard]] core::Result<void> take_name(bool replace);

  private:
    UnnamedFile(File file, std::filesystem::path path, std::filesystem::path temporary);

    [[nodiscard]] core::Result<UnnamedFile> with_rights() &&;
    // False where that is not possible, errno saying why.
    [[nodiscard]] bool move_to(std::filesystem::path name);
    [[nodiscard]] core::Result<void> link_beside();

    std::optional<File> file_;
    std::filesystem::path path_;
    std::filesystem::path current_;  // empty: it has no name at all
    unsigned rights_ = 0;            // that it must have in the end
    bool stays_ = false;
};

}  // namespace isotick::replay
