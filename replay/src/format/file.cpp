#include "file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#if defined(_WIN32)
#include <io.h>
#include <share.h>
#else
#include <unistd.h>

#include <sys/file.h>
#endif

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

// One call reads or writes no more than this: some systems refuse 2 GiB and above.
constexpr std::size_t kLongestCall = std::size_t{1} << 30;

tl::unexpected<core::Error> failure(ErrorCode code, std::string message, std::string path) {
    return tl::unexpected<core::Error>(
        core::Error{code, std::move(message), std::move(path), {}, {}});
}

tl::unexpected<core::Error> system_failure(const char* what, const std::string& path, int code) {
    const std::string reason = std::error_code(code, std::generic_category()).message();
    return failure(ErrorCode::io, std::string(what) + ": " + reason, path);
}

#if defined(_WIN32)

int open_read(const std::filesystem::path& path) {
    return ::_wopen(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}
int open_new(const std::filesystem::path& path, unsigned /*mode*/) {
    return ::_wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                    _S_IREAD | _S_IWRITE);
}
int open_emptied(const std::filesystem::path& path) {
    return ::_wopen(path.c_str(), _O_WRONLY | _O_TRUNC | _O_BINARY | _O_NOINHERIT);
}
std::int64_t size_of(int descriptor) {
    return ::_filelengthi64(descriptor);
}
std::int64_t read_some(int descriptor, std::uint64_t offset, std::byte* data, std::size_t size) {
    if (::_lseeki64(descriptor, static_cast<std::int64_t>(offset), SEEK_SET) < 0) {
        return -1;
    }
    return ::_read(descriptor, data, static_cast<unsigned>(size));
}
std::int64_t write_some(int descriptor, const std::byte* data, std::size_t size) {
    return ::_write(descriptor, data, static_cast<unsigned>(size));
}
bool cut(int descriptor, std::uint64_t size) {
    return ::_chsize_s(descriptor, static_cast<std::int64_t>(size)) == 0 &&
           ::_lseeki64(descriptor, static_cast<std::int64_t>(size), SEEK_SET) >= 0;
}
bool flush_to_disk(int descriptor) {
    return ::_commit(descriptor) == 0;
}
bool close_descriptor(int descriptor) {
    return ::_close(descriptor) == 0;
}
// Windows itself neither deletes nor replaces a file that is open.
void lock(int /*descriptor*/) {}
bool is_locked(int /*descriptor*/) {
    return false;
}
bool has_no_name(int /*descriptor*/) {
    return false;
}

#else

// Makes a call again that a signal interrupted.
template <class Call>
int uninterrupted(const Call& call) {
    for (;;) {
        const int result = call();
        if (result >= 0 || errno != EINTR) {
            return result;
        }
    }
}

int open_read(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    return uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
}
int open_new(const std::filesystem::path& path, unsigned mode) {
    return uninterrupted([&] {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t{mode});
    });
}
int open_emptied(const std::filesystem::path& path) {
    return ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
}
std::int64_t size_of(int descriptor) {
    struct stat status = {};
    return ::fstat(descriptor, &status) == 0 ? std::int64_t{status.st_size} : -1;
}
std::int64_t read_some(int descriptor, std::uint64_t offset, std::byte* data, std::size_t size) {
    return ::pread(descriptor, data, size, static_cast<off_t>(offset));
}
std::int64_t write_some(int descriptor, const std::byte* data, std::size_t size) {
    return ::write(descriptor, data, size);
}
bool cut(int descriptor, std::uint64_t size) {
    const auto end = static_cast<off_t>(size);
    return uninterrupted([&] { return ::ftruncate(descriptor, end); }) == 0 &&
           ::lseek(descriptor, end, SEEK_SET) >= 0;
}
bool flush_to_disk(int descriptor) {
    return uninterrupted([&] {
#if defined(__APPLE__)
               return ::fsync(descriptor);
#else
               return ::fdatasync(descriptor);
#endif
           }) == 0;
}
bool close_descriptor(int descriptor) {
    return ::close(descriptor) == 0 || errno == EINTR;  // closed all the same
}
// Where the file system knows no locks, nobody is warned.
void lock(int descriptor) {
    uninterrupted([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); });
}
bool is_locked(int descriptor) {
    return uninterrupted([&] { return ::flock(descriptor, LOCK_SH | LOCK_NB); }) != 0 &&
           errno == EWOULDBLOCK;
}
bool has_no_name(int descriptor) {
    struct stat status = {};
    return ::fstat(descriptor, &status) == 0 && status.st_nlink == 0;
}

static_assert(sizeof(off_t) == 8, "recordings can be longer than 2 GiB");

#endif

}  // namespace

PathKind kind_of(const std::filesystem::path& path) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    switch (status.type()) {
        case std::filesystem::file_type::regular:
            return PathKind::regular;
        case std::filesystem::file_type::directory:
            return PathKind::directory;
        case std::filesystem::file_type::none:
        case std::filesystem::file_type::not_found:
            return PathKind::nothing;
        default:
            return PathKind::special;
    }
}

bool is_being_written(const std::filesystem::path& path) {
    const int descriptor = open_read(path);
    if (descriptor < 0) {
        return false;
    }
    const bool locked = is_locked(descriptor);
    close_descriptor(descriptor);
    return locked;
}

std::filesystem::path path_of(const std::string& text) {
    return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

std::string path_text(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

Result<File> File::open(const std::filesystem::path& path) {
    const std::string text = path_text(path);
    const PathKind kind = kind_of(path);
    if (kind == PathKind::directory || kind == PathKind::special) {
        return failure(ErrorCode::io,
                       kind == PathKind::directory ? "is a directory" : "is not a regular file",
                       text);
    }
    const int descriptor = open_read(path);
    if (descriptor < 0) {
        return system_failure("cannot be opened", text, errno);
    }
    return File(descriptor, text);
}

Result<File> File::create(const std::filesystem::path& path, const std::filesystem::path& called,
                          unsigned mode) {
    const int descriptor = open_new(path, mode);
    if (descriptor < 0 && errno == EEXIST) {
        return failure(ErrorCode::usage, "exists already", path_text(called));
    }
    if (descriptor < 0) {
        return system_failure("cannot be created", path_text(called), errno);
    }
    lock(descriptor);
    return own(descriptor, called);
}

Result<File> File::open_emptied(const std::filesystem::path& path) {
    const int descriptor = replay::open_emptied(path);
    if (descriptor < 0) {
        return system_failure("cannot be written to", path_text(path), errno);
    }
    return File(descriptor, path_text(path));
}

File File::own(int descriptor, const std::filesystem::path& path) {
    return {descriptor, path_text(path)};
}

File::~File() {
    if (descriptor_ >= 0) {
        close_descriptor(descriptor_);
    }
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    path_.swap(other.path_);
    return *this;
}

tl::unexpected<core::Error> File::failed(const char* what) const {
    return system_failure(what, path_, errno);
}

Result<std::uint64_t> File::size() const {
    const std::int64_t size = size_of(descriptor_);
    if (size < 0) {
        return failed("its size cannot be told");
    }
    return static_cast<std::uint64_t>(size);
}

Result<void> File::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t asked = std::min(bytes.size(), kLongestCall);
        const std::int64_t got = read_some(descriptor_, offset, bytes.data(), asked);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failed("cannot be read");
        }
        if (got == 0) {
            return failure(ErrorCode::damaged, "ends early: it was cut while being read", path_);
        }
        offset += static_cast<std::uint64_t>(got);
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

Result<void> File::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t asked = std::min(bytes.size(), kLongestCall);
        const std::int64_t put = write_some(descriptor_, bytes.data(), asked);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return failed("cannot be written");
        }
        if (put == 0) {
            return failure(ErrorCode::io, "cannot be written: the system took no bytes", path_);
        }
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> File::truncate(std::uint64_t size) {
    if (!cut(descriptor_, size)) {
        return failed("cannot be shortened");
    }
    return {};
}

Result<void> File::sync() {
    if (!flush_to_disk(descriptor_)) {
        return failed("cannot be written through to the disk");
    }
    return {};
}

bool File::is_deleted() const {
    return has_no_name(descriptor_);
}

Result<void> File::close() {
    if (!close_descriptor(std::exchange(descriptor_, -1))) {
        return failed("cannot be closed");
    }
    return {};
}

Result<void> rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code reason;
    std::filesystem::rename(from, to, reason);  // replaces, on Windows too
    if (reason) {
        return failure(ErrorCode::io, "cannot be replaced: " + reason.message(), path_text(to));
    }
    return {};
}

void remove_quietly(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

Result<void> sync_directory_of([[maybe_unused]] const std::filesystem::path& path) {
#if !defined(_WIN32)
    const std::filesystem::path directory =
        path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const int descriptor = uninterrupted(
        [&] { return ::open(directory.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY); });
    const bool synced = descriptor >= 0 && uninterrupted([&] { return ::fsync(descriptor); }) == 0;
    const int reason = errno;
    if (descriptor >= 0) {
        close_descriptor(descriptor);
    }
    if (!synced) {
        return system_failure("its directory cannot be written through to the disk",
                              path_text(path), reason);
    }
#else
#endif
    return {};
}

}  // namespace isotick::replay
