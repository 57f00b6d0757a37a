#pragma once
// Files as the operating system sees them: with UnnamedFile the only place in this module that
// differs between POSIX and Windows. Binary, 64-bit offsets, unbuffered; a short write is an error.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace isotick::replay {

/// What stands at a path.
enum class PathKind { nothing, regular, directory, special };
[[nodiscard]] PathKind kind_of(const std::filesystem::path& path);

/// Whether some process has the regular file at `path` open from File::create, as far as the file
/// system can tell.
[[nodiscard]] bool is_being_written(const std::filesystem::path& path);

/// Paths as the module's headers take and give them, and messages name them: UTF-8 on Windows,
/// elsewhere the bytes that the system knows.
[[nodiscard]] std::filesystem::path path_of(const std::string& text);
[[nodiscard]] std::string path_text(const std::filesystem::path& path);

/// An open file. Errors carry the path and the system's reason. Movable; not thread-safe.
class File {
  public:
    /// Opens a regular file for reading; fails with `io` on anything else.
    [[nodiscard]] static core::Result<File> open(const std::filesystem::path& path);
    /// Creates a file for writing, with the access rights `mode` less those of the umask; fails
    /// with `usage` where the path exists. Errors name it `called`.
    [[nodiscard]] static core::Result<File> create(const std::filesystem::path& path,
                                                   const std::filesystem::path& called,
                                                   unsigned mode);
    /// Opens a file, device or pipe that exists for writing; a file is emptied.
    [[nodiscard]] static core::Result<File> open_emptied(const std::filesystem::path& path);
    /// Owns an open descriptor; errors name `path`.
    [[nodiscard]] static File own(int descriptor, const std::filesystem::path& path);

    /// Closes silently if close was not called.
    ~File();
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;

    /// The size now, in bytes.
    [[nodiscard]] core::Result<std::uint64_t> size() const;
    /// Fills `bytes` from `offset` on; fails with `damaged` if the file ends before.
    [[nodiscard]] core::Result<void> read_at(std::uint64_t offset, std::span<std::byte> bytes);
    /// Writes all of `bytes` at the end of what was written before.
    [[nodiscard]] core::Result<void> write(std::span<const std::byte> bytes);
    /// Cuts the file to `size` bytes; writing goes on there.
    [[nodiscard]] core::Result<void> truncate(std::uint64_t size);
    /// Returns when the disk has what was written.
    [[nodiscard]] core::Result<void> sync();
    /// True if somebody has deleted or replaced the file: what is written to it is lost.
    [[nodiscard]] bool is_deleted() const;
    [[nodiscard]] core::Result<void> close();

    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

    [[nodiscard]] tl::unexpected<core::Error> failed(const char* what) const;

    int descriptor_ = -1;
    std::string path_;
};

/// Drops the result of cleaning up after a failure: that one is reported.
inline void discard_after_failure(const core::Result<void>& /*cleaned_up*/) {}

/// Gives the file at `from` the name `to`, replacing what is there in one step.
[[nodiscard]] core::Result<void> rename_over(const std::filesystem::path& from,
                                             const std::filesystem::path& to);

/// Removes a file; that it cannot be removed is not an error.
void remove_quietly(const std::filesystem::path& path);

/// Returns when the disk knows the name of the file at `path` (does nothing on Windows).
[[nodiscard]] core::Result<void> sync_directory_of(const std::filesystem::path& path);

}  // namespace isotick::replay
