#include "system_calls.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace isotick::harness {

StdoutAside::StdoutAside() : kept_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
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

bool write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t count =
            uninterrupted([&] { return write(file, content.data(), content.size()); });
        if (count <= 0) {
            return false;
        }
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace isotick::harness
