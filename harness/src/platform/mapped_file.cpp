#include "mapped_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

Result<MappedFile> MappedFile::map(int file) {
    struct stat facts {};
    if (fstat(file, &facts) != 0) {
        return system_failure("cannot be read");
    }
    if (!S_ISREG(facts.st_mode)) {
        return core::fail(ErrorCode::io, "is not a regular file");
    }
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (size == 0) {
        return MappedFile(nullptr, 0);
    }
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) {
        return system_failure("cannot be read");
    }
    return MappedFile(static_cast<const std::byte*>(address), size);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    auto mapped =
        file.get() < 0 ? Result<MappedFile>(system_failure("cannot be opened")) : map(file.get());
    if (!mapped) {
        mapped.error().file = path;
    }
    return mapped;
}

MappedFile::~MappedFile() {
    if (address_ != nullptr) {
        munmap(const_cast<std::byte*>(address_), size_);
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    return *this;
}

#if defined(__linux__)

Result<SharedFile> SharedFile::make() {
    return growing_file().map([](FileDescriptor&& file) {
        const std::string path = path_for_others(file.get());
        return SharedFile(std::move(file), path);
    });
}

SharedFile::~SharedFile() = default;

#else

Result<SharedFile> SharedFile::make() {
    std::string path;
    return temporary_file(path).map(
        [&path](FileDescriptor&& file) { return SharedFile(std::move(file), std::move(path)); });
}

SharedFile::~SharedFile() {
    if (file_.get() >= 0) {
        unlink(path_.c_str());
    }
}

#endif

}  // namespace isotick::harness
