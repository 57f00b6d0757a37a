#pragma once
// Files whose bytes are read in place.

#include "posix.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace isotick::harness {

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

}  // namespace isotick::harness
