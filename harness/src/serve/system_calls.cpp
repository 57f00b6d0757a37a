#include "system_calls.hpp"

#include <cstring>
#include <string>
#include <unistd.h>

namespace isotick::harness {

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
