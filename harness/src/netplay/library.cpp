// The bytes of the library that is loaded into peers, as part of this program.

#include "peer_seat.hpp"

#include <string_view>

__asm__(
    ".section .rodata\n"
    ".global isotick_netplay_bytes\n"
    "isotick_netplay_bytes:\n"
    ".incbin \"" ISOTICK_NETPLAY_LIBRARY
    "\"\n"
    ".global isotick_netplay_end\n"
    "isotick_netplay_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char isotick_netplay_bytes[];  // NOLINT(modernize-avoid-c-arrays)
extern "C" const char isotick_netplay_end[];    // NOLINT(modernize-avoid-c-arrays)

namespace isotick::harness::netplay {

core::Result<FileDescriptor> peer_library() {
    return file_of_content(
        std::string_view(isotick_netplay_bytes,
                         static_cast<std::size_t>(isotick_netplay_end - isotick_netplay_bytes)));
}

}  // namespace isotick::harness::netplay
