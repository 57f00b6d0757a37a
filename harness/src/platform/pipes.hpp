#pragma once
// Pipes and sockets between processes.

#include "posix.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <span>

namespace isotick::harness {

/// What is written at one end is read at the other. Closed on exec.
struct Ends {
    FileDescriptor reading;
    FileDescriptor writing;
};

[[nodiscard]] core::Result<Ends> make_pipe();

/// A pipe for messages in both directions, whose boundaries stay.
[[nodiscard]] core::Result<Ends> make_sockets();

/// Reads and writes of it return at once. False, with errno, where that cannot be.
bool do_not_block(const FileDescriptor& end);

/// Waits until one of these can be read, which includes that nobody writes there any more; at most
/// `timeout_ms`. Whether one can be.
bool wait_to_read(std::span<const int> files, int timeout_ms);

/// Over a socket; false where nobody is at its other end.
[[nodiscard]] bool send_bytes(int socket, const void* bytes, std::size_t size);
/// Waits for a message; false where it is of another size, or nobody is at the other end.
[[nodiscard]] bool receive_bytes(int socket, void* bytes, std::size_t size);

/// A message that is one value of a plain type.
template <class T>
bool send_message(int socket, const T& message) {
    return send_bytes(socket, &message, sizeof message);
}
template <class T>
[[nodiscard]] bool receive_message(int socket, T& message) {
    return receive_bytes(socket, &message, sizeof message);
}

/// Writes what fits into a pipe, as `write` does, but sends this process no signal where nobody
/// reads there any more.
[[nodiscard]] std::ptrdiff_t write_without_signal(int file, const void* bytes, std::size_t size);

/// Whether what was written to a pipe has not been read yet.
[[nodiscard]] bool has_unread(int pipe);

}  // namespace isotick::harness
