#include "posix.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

void FileDescriptor::reset() {
    if (number_ >= 0) {
        close(number_);
        number_ = -1;
    }
}

Result<FileDescriptor> copy_of(const FileDescriptor& file, int least) {
    FileDescriptor copy(fcntl(file.get(), F_DUPFD_CLOEXEC, least));
    if (copy.get() < 0) {
        errno = errno == EINVAL ? EMFILE : errno;  // `least` is beyond the limit
        return system_failure("cannot copy a file descriptor");
    }
    return copy;
}

Result<FileDescriptor> temporary_file(std::string& path) {
    path = P_tmpdir "/isotick-XXXXXX";
    FileDescriptor file(mkstemp(path.data()));
    if (file.get() < 0 || fcntl(file.get(), F_SETFD, FD_CLOEXEC) != 0) {
        return system_failure("cannot make a temporary file");
    }
    return file;
}

Result<std::string> temporary_folder() {
    std::string path = P_tmpdir "/isotick-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
        return system_failure("cannot make a temporary folder");
    }
    return path;
}

Result<FileDescriptor> anonymous_file() {
#if defined(__linux__)
    FileDescriptor file(memfd_create("isotick", MFD_CLOEXEC));
    if (file.get() < 0) {
        return system_failure("cannot make a temporary file");
    }
    return file;
#else
    std::string path;
    auto file = temporary_file(path);
    if (file) {
        unlink(path.c_str());
    }
    return file;
#endif
}

Result<void> put_content(int file, std::string_view content) {
    off_t offset = 0;
    while (!content.empty()) {
        const ssize_t written =
            uninterrupted([&] { return pwrite(file, content.data(), content.size(), offset); });
        if (written <= 0) {
            return system_failure("cannot write to a temporary file");
        }
        content.remove_prefix(static_cast<std::size_t>(written));
        offset += written;
    }
    if (ftruncate(file, offset) != 0) {
        return system_failure("cannot cut a temporary file");
    }
    return {};
}

// Without a block of its own: a process that is copied often pays for each page that it writes to.
Result<std::string> get_content(int file) {
    struct stat about {};
    std::string content;
    if (fstat(file, &about) != 0) {
        return system_failure("cannot read a temporary file");
    }
    content.resize(static_cast<std::size_t>(about.st_size));
    std::size_t filled = 0;
    while (filled < content.size()) {
        const ssize_t count = uninterrupted([&] {
            return pread(file, content.data() + filled, content.size() - filled,
                         static_cast<off_t>(filled));
        });
        if (count < 0) {
            return system_failure("cannot read a temporary file");
        }
        if (count == 0) {
            break;
        }
        filled += static_cast<std::size_t>(count);
    }
    content.resize(filled);
    return content;
}

void* map_shared(int file, std::size_t size) {
    if (file >= 0 && ftruncate(file, static_cast<off_t>(size)) != 0) {
        return nullptr;
    }
    const int flags = file >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0);
    return address == MAP_FAILED ? nullptr : address;
}

void unmap(void* address, std::size_t size) {
    munmap(address, size);
}

std::string path_for_others(int file) {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

}  // namespace isotick::harness
