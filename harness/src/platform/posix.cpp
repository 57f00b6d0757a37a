#include "posix.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace isotick::harness {
namespace {

// Whoever built the program and its plug-ins decides about them, not who built this.
bool has_sanitizer() {
    for (const char* start : {"__asan_init", "__tsan_init", "__msan_init"}) {
        if (dlsym(RTLD_DEFAULT, start) != nullptr) {
            return true;
        }
    }
    return false;
}

}  // namespace

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

void limit_memory(std::uint64_t bytes) {
    rlimit limit{};
    if (bytes != 0 && !has_sanitizer() && getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(bytes));
        limit.rlim_max = limit.rlim_cur;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

void die_with_parent() {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

std::string describe_end(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
        const int number = WTERMSIG(wait_status);
        return std::string("killed by signal ") + std::to_string(number) + " (" +
               strsignal(number) + ")";
    }
    return "ended its process with exit code " + std::to_string(WEXITSTATUS(wait_status));
}

bool was_killed_from_outside(int wait_status) {
    constexpr std::array kSentByOthers{SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM};
    return WIFSIGNALED(wait_status) &&
           std::ranges::find(kSentByOthers, WTERMSIG(wait_status)) != kSentByOthers.end();
}

Result<FileDescriptor> temporary_file(std::string& path) {
    path = P_tmpdir "/isotick-XXXXXX";
    FileDescriptor file(mkstemp(path.data()));
    if (file.get() < 0 || fcntl(file.get(), F_SETFD, FD_CLOEXEC) != 0) {
        return system_failure("cannot make a temporary file");
    }
    return file;
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
    if (ftruncate(file, 0) != 0) {
        return system_failure("cannot empty a temporary file");
    }
    off_t offset = 0;
    while (!content.empty()) {
        const ssize_t written = pwrite(file, content.data(), content.size(), offset);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return system_failure("cannot write to a temporary file");
        }
        content.remove_prefix(static_cast<std::size_t>(written));
        offset += written;
    }
    return {};
}

Result<std::string> get_content(int file) {
    std::string content;
    std::array<char, 65536> block{};
    while (true) {
        const auto offset = static_cast<off_t>(content.size());
        const ssize_t count = pread(file, block.data(), block.size(), offset);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return system_failure("cannot read a temporary file");
        }
        if (count == 0) {
            return content;
        }
        content.append(block.data(), static_cast<std::size_t>(count));
    }
}

void* map_shared(int file, std::size_t size) {
    if (ftruncate(file, static_cast<off_t>(size)) != 0) {
        return nullptr;
    }
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return address == MAP_FAILED ? nullptr : address;
}

void unmap(void* address, std::size_t size) {
    munmap(address, size);
}

}  // namespace isotick::harness
