#include "posix.hpp"

#include "files.hpp"

#include <isotick/core/detail/try.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace isotick::harness {

// POSIX calls that are safe to use: descriptors that close themselves, whole reads and writes,
// pipes.

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
    path = temporary_place() + "/isotick-XXXXXX";
    FileDescriptor file(mkstemp(path.data()));
    if (file.get() < 0 || fcntl(file.get(), F_SETFD, FD_CLOEXEC) != 0) {
        return system_failure("cannot make a temporary file");
    }
    return file;
}

namespace {

bool set_size(int file, std::size_t size) {
    return uninterrupted([&] { return ftruncate(file, static_cast<off_t>(size)); }) == 0;
}

}  // namespace

#if defined(__linux__)

namespace {

Result<FileDescriptor> memory_file(unsigned flags) {
    FileDescriptor file(memfd_create("isotick", MFD_CLOEXEC | flags));
    if (file.get() < 0) {
        return system_failure("cannot make a temporary file");
    }
    return file;
}

Result<FileDescriptor> sealed(Result<FileDescriptor> file, int seals) {
    if (file && fcntl(file->get(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) {
        return system_failure("cannot seal a temporary file");
    }
    return file;
}

}  // namespace

Result<FileDescriptor> anonymous_file() {
    return memory_file(0);
}

Result<FileDescriptor> growing_file() {
    return memory_file(MFD_ALLOW_SEALING);
}

bool forbid_to_shrink(int file) {
    return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
}

Result<FileDescriptor> file_of_size(std::size_t size) {
    auto file = growing_file();
    if (file && !set_size(file->get(), size)) {
        return system_failure("cannot make a temporary file");
    }
    return sealed(std::move(file), F_SEAL_SHRINK | F_SEAL_GROW);
}

Result<FileDescriptor> file_of_content(std::string_view content) {
    auto file = growing_file();
    ISOTICK_TRY(file ? put_content(file->get(), content) : Result<void>());
    return sealed(std::move(file), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

#else

Result<FileDescriptor> anonymous_file() {
    std::string path;
    auto file = temporary_file(path);
    if (file) {
        unlink(path.c_str());
    }
    return file;
}

Result<FileDescriptor> growing_file() {
    return anonymous_file();
}

bool forbid_to_shrink(int) {
    return true;
}

Result<FileDescriptor> file_of_size(std::size_t size) {
    auto file = anonymous_file();
    if (file && !set_size(file->get(), size)) {
        return system_failure("cannot make a temporary file");
    }
    return file;
}

Result<FileDescriptor> file_of_content(std::string_view content) {
    auto file = anonymous_file();
    ISOTICK_TRY(file ? put_content(file->get(), content) : Result<void>());
    return file;
}

#endif

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
    if (!set_size(file, static_cast<std::size_t>(offset))) {
        return system_failure("cannot cut a temporary file");
    }
    return {};
}

// Without a block of its own: a process that is copied often pays for each page that it writes to.
Result<std::string> get_content(int file, std::uint64_t most) {
    struct stat about {};
    std::string content;
    if (fstat(file, &about) != 0) {
        return system_failure("cannot read a temporary file");
    }
    if (static_cast<std::uint64_t>(about.st_size) > most) {
        return core::fail(ErrorCode::limit,
                          "a temporary file has more than " + std::to_string(most) + " bytes");
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
    struct stat about {};
    if (file >= 0 && (fstat(file, &about) != 0 || std::cmp_less(about.st_size, size))) {
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

using core::Result;

Result<Ends> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return system_failure("cannot make a pipe");
    }
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<Ends> make_sockets() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return system_failure("cannot make a socket pair");
    }
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool do_not_block(const FileDescriptor& end) {
    return fcntl(end.get(), F_SETFL, O_NONBLOCK) == 0;
}

bool wait_to_read(std::span<const int> files, int timeout_ms) {
    std::vector<pollfd> polls;
    for (const int file : files) {
        polls.push_back({file, POLLIN, 0});
    }
    return poll(polls.data(), static_cast<nfds_t>(polls.size()), timeout_ms) > 0;
}

bool send_bytes(int socket, const void* bytes, std::size_t size) {
    return uninterrupted([&] { return send(socket, bytes, size, MSG_NOSIGNAL); }) ==
           static_cast<ssize_t>(size);
}

bool receive_bytes(int socket, void* bytes, std::size_t size) {
    return uninterrupted([&] { return recv(socket, bytes, size, 0); }) ==
           static_cast<ssize_t>(size);
}

// The signal is kept back for the moment of the call, and taken away if it came.
std::ptrdiff_t write_without_signal(int file, const void* bytes, std::size_t size) {
    sigset_t broken_pipe;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    const ssize_t count = write(file, bytes, size);
    const int error = errno;
    if (count < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        const timespec at_once{};
        uninterrupted([&] { return sigtimedwait(&broken_pipe, nullptr, &at_once); });
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return count;
}

bool has_unread(int pipe) {
    int unread = 0;
    return ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0;
}

}  // namespace isotick::harness
