// Where there is no library to load: another system, another C library, or a sanitizer that must
// come first.

#include "preload.hpp"

namespace isotick::harness::preload {

bool is_available() {
    return false;
}

core::Result<FileDescriptor> library_file() {
    return core::fail(core::ErrorCode::usage, "this build of isotick has no library to load");
}

}  // namespace isotick::harness::preload
