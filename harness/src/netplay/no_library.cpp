// Where nothing can be loaded into peers.

#include "peer_seat.hpp"

namespace isotick::harness::netplay {

core::Result<FileDescriptor> peer_library() {
    return core::fail(core::ErrorCode::usage,
                      "netplay needs Linux with glibc, and a build without sanitizers");
}

}  // namespace isotick::harness::netplay
