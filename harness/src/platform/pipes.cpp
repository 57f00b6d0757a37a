#include "pipes.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <vector>

#include <sys/ioctl.h>
#include <sys/socket.h>

namespace isotick::harness {

using core::Result;

Result<Ends> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return system_failure("cannot make a pipe");
    }
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<Ends> make_sockets() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return system_failure("cannot make a socket pair");
    }
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool do_not_block(const FileDescriptor& end) {
    return fcntl(end.get(), F_SETFL, O_NONBLOCK) == 0;
}

bool wait_to_read(std::span<const int> files, int timeout_ms) {
    std::vector<pollfd> polls;
    for (const int file : files) {
        polls.push_back({file, POLLIN, 0});
    }
    return poll(polls.data(), static_cast<nfds_t>(polls.size()), timeout_ms) > 0;
}

bool send_bytes(int socket, const void* bytes, std::size_t size) {
    return uninterrupted([&] { return send(socket, bytes, size, MSG_NOSIGNAL); }) ==
           static_cast<ssize_t>(size);
}

bool receive_bytes(int socket, void* bytes, std::size_t size) {
    return uninterrupted([&] { return recv(socket, bytes, size, 0); }) ==
           static_cast<ssize_t>(size);
}

// The signal is kept back for the moment of the call, and taken away if it came.
std::ptrdiff_t write_without_signal(int file, const void* bytes, std::size_t size) {
    sigset_t broken_pipe;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    const ssize_t count = write(file, bytes, size);
    const int error = errno;
    if (count < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        const timespec at_once{};
        uninterrupted([&] { return sigtimedwait(&broken_pipe, nullptr, &at_once); });
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return count;
}

bool has_unread(int pipe) {
    int unread = 0;
    return ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0;
}

}  // namespace isotick::harness
