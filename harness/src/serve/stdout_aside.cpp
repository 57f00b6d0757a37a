#include "stdout_aside.hpp"

#include <cstdio>
#include <fcntl.h>
#include <iostream>
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

}  // namespace isotick::harness
