// The bytes of the library, as part of this program: there is no path to look for.

#include "preload.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

__asm__(
    ".section .rodata\n"
    ".global isotick_preload_bytes\n"
    "isotick_preload_bytes:\n"
    ".incbin \"" ISOTICK_PRELOAD_LIBRARY
    "\"\n"
    ".global isotick_preload_end\n"
    "isotick_preload_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char isotick_preload_bytes[];  // NOLINT(modernize-avoid-c-arrays)
extern "C" const char isotick_preload_end[];    // NOLINT(modernize-avoid-c-arrays)

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
    const std::string_view bytes(
        isotick_preload_bytes,
        static_cast<std::size_t>(isotick_preload_end - isotick_preload_bytes));
    return file_of_content(bytes);
}

}  // namespace isotick::harness::preload
