#include "limits.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

#include <sys/resource.h>

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

void limit_memory(std::uint64_t bytes) {
    rlimit limit{};
    if (bytes != 0 && !has_sanitizer() && getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(bytes));
        limit.rlim_max = limit.rlim_cur;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

void limit_further_memory(std::uint64_t bytes) {
    std::ifstream statistics("/proc/self/statm");
    std::array<std::uint64_t, 6> pages{};  // total, resident, shared, text, unused, data
    for (std::uint64_t& count : pages) {
        statistics >> count;
    }
    if (statistics) {
        limit_memory(pages.back() * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes);
    }
}

std::optional<std::uint64_t> memory_limit() {
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? std::optional<std::uint64_t>(limit.rlim_cur) : std::nullopt;
}

void leave_no_core_file() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

}  // namespace isotick::harness
