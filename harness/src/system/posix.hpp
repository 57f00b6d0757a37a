#pragma once
// Descriptors that close themselves, whole reads and writes, pipes, and errors as messages.

#include "system_calls.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace isotick::harness {

// POSIX calls that are safe to use: descriptors that close themselves, whole reads and writes,
// pipes.

/// Owns a file descriptor. Movable.
class FileDescriptor {
  public:
    explicit FileDescriptor(int number = -1) : number_(number) {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    [[nodiscard]] int get() const { return number_; }
    void reset();
    /// Gives up the ownership.
    int release() { return std::exchange(number_, -1); }

  private:
    int number_;
};

/// A copy of `file` with another number, from `least` up, closed on exec. Fails with none of them
/// left.
[[nodiscard]] core::Result<FileDescriptor> copy_of(const FileDescriptor& file, int least);

/// A new file in the system's folder for temporary files; its maker removes it. `path` is its path.
[[nodiscard]] core::Result<FileDescriptor> temporary_file(std::string& path);

/// A file without a name that vanishes with its last descriptor, closed on exec.
[[nodiscard]] core::Result<FileDescriptor> anonymous_file();

/// The same with a size that nobody can change any more (Linux): it can be mapped and shared with
/// foreign code.
[[nodiscard]] core::Result<FileDescriptor> file_of_size(std::size_t size);

/// The same with a content that nobody can change any more (Linux).
[[nodiscard]] core::Result<FileDescriptor> file_of_content(std::string_view content);

/// Whether nobody can make the file shorter from now on, so that it can be mapped. It must be one
/// of `growing_file`.
[[nodiscard]] bool forbid_to_shrink(int file);

/// A file without a name that can be written, and then be mapped: see forbid_to_shrink.
[[nodiscard]] core::Result<FileDescriptor> growing_file();

/// The path by which other processes of this user find a file of this one, while it has it (Linux).
[[nodiscard]] std::string path_for_others(int file);

/// Replaces the file's content.
[[nodiscard]] core::Result<void> put_content(int file, std::string_view content);
/// The file's whole content. Fails where that has more than `most` bytes.
[[nodiscard]] core::Result<std::string> get_content(int file, std::uint64_t most = UINT64_MAX);

/// Maps `size` bytes of `file`, shared between processes; of none if it is -1, shared with copies
/// of this process. Null on failure, and where the file is shorter. Stays mapped until `unmap`.
[[nodiscard]] void* map_shared(int file, std::size_t size);
void unmap(void* address, std::size_t size);

// Pipes and sockets between processes.

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
