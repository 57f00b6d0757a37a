#include "guard.hpp"

#include "../platform/channel.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/wait.h>

namespace isotick::harness {
namespace {

using core::Result;

// What the child started may keep its end open, so it is looked at too.
constexpr int kLookEveryMs = 10;

bool has_ended(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child;
}

bool pass_byte(int socket, ssize_t (*pass)(int socket, char& byte)) {
    char byte = 1;
    ssize_t count = 0;
    do {
        count = pass(socket, byte);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

ssize_t send_byte(int socket, char& byte) {
    return send(socket, &byte, 1, MSG_NOSIGNAL);
}

ssize_t receive_byte(int socket, char& byte) {
    return recv(socket, &byte, 1, 0);
}

}  // namespace

void Progress::ask_guard() {
    if (!pass_byte(guard, send_byte) || !pass_byte(guard, receive_byte)) {
        cut_off = 1;
        _exit(kBrokenChannel);
    }
}

Result<Guard> make_guard() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return system_failure("cannot make a socket pair");
    }
    return Guard{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void answer_until_end(const FileDescriptor& parents, pid_t child) {
    if (parents.get() < 0) {
        return;
    }
    pollfd socket{parents.get(), POLLIN, 0};
    while (true) {
        const int ready = poll(&socket, 1, kLookEveryMs);
        const bool asked = ready > 0 && pass_byte(parents.get(), receive_byte) &&
                           pass_byte(parents.get(), send_byte);
        if (!asked && (ready > 0 || has_ended(child))) {
            return;
        }
    }
}

}  // namespace isotick::harness
