#pragma once
// Standard output kept apart from what a simulation prints, and the system calls of `serve`.

#include <isotick/core/result.hpp>

#include <cerrno>
#include <string_view>

namespace isotick::harness {

// Keeps what a simulation in this process prints away from the results.

/// As long as it lives, what is written to stdout goes to stderr. One at a time.
class StdoutAside {
  public:
    StdoutAside();
    ~StdoutAside();
    StdoutAside(const StdoutAside&) = delete;
    StdoutAside& operator=(const StdoutAside&) = delete;

    /// A descriptor of the real stdout; -1: it was closed.
    [[nodiscard]] int real_stdout() const { return kept_; }

  private:
    int kept_;
};

// What both sides of harness/PROTOCOL.md ask of the operating system.

/// A failure of the operating system, from errno: `cannot fork: Resource temporarily unavailable`.
[[nodiscard]] tl::unexpected<core::Error> system_failure(std::string_view what);

/// What `call` returns, called again as long as a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
}

/// From now on, bytes pass `file` as they are, as on POSIX anyway: Windows would take carriage
/// returns out and put them in.
void pass_bytes_unchanged(int file);

/// Writes where the file's position is. False, with errno, where not all could be written.
[[nodiscard]] bool write_all(int file, std::string_view content);

}  // namespace isotick::harness
