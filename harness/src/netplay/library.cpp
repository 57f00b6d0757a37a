// The library that is loaded into peers.

#include "../system/embedded_file.hpp"
#include "peer_seat.hpp"

ISOTICK_EMBEDDED_FILE(isotick_netplay, ISOTICK_NETPLAY_LIBRARY)

namespace isotick::harness::netplay {

core::Result<FileDescriptor> peer_library() {
    return file_of_content(isotick_netplay());
}

}  // namespace isotick::harness::netplay
