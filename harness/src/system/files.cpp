#include "files.hpp"

#include "cleanup_process.hpp"
#include "posix.hpp"
#include "process.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <system_error>
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

namespace {

using core::Result;

// A path that nobody has and nobody guesses.
Result<std::string> new_path(const std::string& parent, const std::string& prefix) {
    constexpr const char* kDigits = "0123456789abcdef";
    constexpr int kLength = 16;
    std::error_code error;
    std::filesystem::path path = std::filesystem::absolute(parent, error);
    std::string name = prefix;
    try {
        std::random_device random;
        for (int i = 0; i < kLength; ++i) {
            name += kDigits[random() % 16];
        }
    } catch (const std::exception& thrown) {
        return tl::unexpected(
            core::caught(thrown, core::ErrorCode::io, "the system has no random numbers: "));
    }
    return (path / name).string();
}

}  // namespace

std::string temporary_place() {
    const char* given = std::getenv("TMPDIR");
    return given == nullptr || *given == '\0' ? P_tmpdir : given;
}

TemporaryFolder::TemporaryFolder(std::string path)
    : path_(std::move(path)), maker_(own_process_id()) {}

Result<TemporaryFolder> TemporaryFolder::make(const std::string& parent, const std::string& prefix,
                                              std::uint32_t mode) {
    ISOTICK_TRY_ASSIGN(auto folder, reserve(parent, prefix));
    if (mkdir(folder.path().c_str(), mode) != 0) {
        return system_failure("cannot make a folder in " + parent);
    }
    return folder;
}

Result<TemporaryFolder> TemporaryFolder::reserve(const std::string& parent,
                                                 const std::string& prefix) {
    ISOTICK_TRY(start_cleanup_process());
    ISOTICK_TRY_ASSIGN(auto path, new_path(parent, prefix));
    remove_with_us(path);
    return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty() && own_process_id() == maker_) {
        std::error_code failed;
        std::filesystem::remove_all(path_, failed);
        if (!failed) {  // else the cleanup process tries again
            keep_behind_us(path_);
        }
    }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), maker_(other.maker_) {}

void TemporaryFolder::keep() {
    keep_behind_us(path_);
    path_.clear();
}

}  // namespace isotick::harness
