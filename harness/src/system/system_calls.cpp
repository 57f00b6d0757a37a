#include "system_calls.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

#if defined(_WIN32)
#include <io.h>
#endif

namespace isotick::harness {
namespace {

int copy_of_stdout() {
#if defined(_WIN32)
    return dup(STDOUT_FILENO);
#else
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
#endif
}

}  // namespace

StdoutAside::StdoutAside() : kept_(copy_of_stdout()) {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

StdoutAside::~StdoutAside() {
    std::cout.flush();
    std::fflush(stdout);
    if (kept_ >= 0) {
        dup2(kept_, STDOUT_FILENO);
        close(kept_);
    } else {
        close(STDOUT_FILENO);
    }
}

tl::unexpected<core::Error> system_failure(std::string_view what) {
    const std::string advice = errno == EMFILE   ? " (ulimit -n allows more)"
                               : errno == EAGAIN ? " (ulimit -u allows more)"
                                                 : "";
    return core::fail(core::ErrorCode::io,
                      std::string(what) + ": " + std::strerror(errno) + advice);
}

void pass_bytes_unchanged([[maybe_unused]] int file) {
#if defined(_WIN32)
    _setmode(file, _O_BINARY);
#endif
}

bool write_all(int file, std::string_view content) {
    constexpr std::size_t kMostAtOnce = 1U << 30U;  // Windows counts in 32 bits
    while (!content.empty()) {
        const auto size = static_cast<unsigned>(std::min(content.size(), kMostAtOnce));
        const ssize_t count = uninterrupted([&] { return write(file, content.data(), size); });
        if (count <= 0) {
            return false;
        }
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace isotick::harness
