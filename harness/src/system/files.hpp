#pragma once
// Files mapped into memory, and temporary folders that remove themselves.

#include "posix.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace isotick::harness {

// Files whose bytes are read in place.

/// The bytes of a file, mapped for reading. Movable. A file that is cut while it is mapped ends the
/// process that reads behind its end.
class MappedFile {
  public:
    [[nodiscard]] static core::Result<MappedFile> open(const std::string& path);
    /// `file` may be closed afterwards.
    [[nodiscard]] static core::Result<MappedFile> map(int file);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    [[nodiscard]] std::span<const std::byte> bytes() const { return {address_, size_}; }

  private:
    MappedFile(const std::byte* address, std::size_t size) : address_(address), size_(size) {}

    const std::byte* address_;
    std::size_t size_;
};

/// A file of this process' own that other processes can open by its path while this object lives:
/// to write it, and once it is read only to add to it.
class SharedFile {
  public:
    [[nodiscard]] static core::Result<SharedFile> make();
    ~SharedFile();
    SharedFile(SharedFile&& other) noexcept = default;
    SharedFile& operator=(SharedFile&&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] core::Result<MappedFile> read() const {
        return forbid_to_shrink(file_.get()) ? MappedFile::map(file_.get())
                                             : system_failure("cannot be sealed");
    }

  private:
    SharedFile(FileDescriptor file, std::string path)
        : file_(std::move(file)), path_(std::move(path)) {}

    FileDescriptor file_;
    std::string path_;
};

// A folder that vanishes with the process that made it, however that ends.

/// The folder for temporary files: what TMPDIR says, else the system's.
[[nodiscard]] std::string temporary_place();

/// Removed with all that is in it by the destructor, or by the cleanup process when this process
/// was ended before. Movable.
class TemporaryFolder {
  public:
    /// A new one in `parent`, whose name begins with `prefix`. `mode`: who may enter it, as for
    /// mkdir. Fails with `io`.
    [[nodiscard]] static core::Result<TemporaryFolder> make(const std::string& parent,
                                                            const std::string& prefix,
                                                            std::uint32_t mode);

    /// One for whoever makes it later, for this user alone: only its name is new.
    [[nodiscard]] static core::Result<TemporaryFolder> reserve(const std::string& parent,
                                                               const std::string& prefix);

    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    /// Absolute.
    [[nodiscard]] const std::string& path() const { return path_; }

    /// It has become something else, and stays.
    void keep();

  private:
    explicit TemporaryFolder(std::string path);

    std::string path_;  // empty: there is none
    int maker_;         // a copy of this process removes nothing
};

}  // namespace isotick::harness
