// The library that is loaded into workers.

#include "embedded_file.hpp"
#include "preload.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <unistd.h>

ISOTICK_EMBEDDED_FILE(isotick_preload, ISOTICK_PRELOAD_LIBRARY)

namespace isotick::harness::preload {
namespace {

// One that the program was built with must be loaded first.
bool has_sanitizer() {
    constexpr std::array kBeginnings{"__asan_init", "__tsan_init", "__msan_init"};
    return std::ranges::any_of(
        kBeginnings, [](const char* name) { return dlsym(RTLD_DEFAULT, name) != nullptr; });
}

}  // namespace

bool is_available() {
    static const bool available = [] {
        const auto file = has_sanitizer() ? core::Result<FileDescriptor>() : library_file();
        return file && file->get() >= 0 &&
               access(path_for_others(file->get()).c_str(), R_OK | W_OK) == 0;
    }();
    return available;
}

core::Result<FileDescriptor> library_file() {
    return file_of_content(isotick_preload());
}

}  // namespace isotick::harness::preload
