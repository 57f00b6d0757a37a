#include "connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <sys/wait.h>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kWorthSending = 32 * 1024;
constexpr std::size_t kMostUnsent = 1024 * 1024;
constexpr std::size_t kReadAtOnce = 64 * 1024;
constexpr std::uint32_t kLongestShortAnswer = 65536;

bool has_long_answer(Verb verb) {
    return verb == Verb::save || verb == Verb::visit_fields || verb == Verb::describe_input ||
           verb == Verb::compose_input || verb == Verb::propose_input;
}

// What a process wrote, as a person would recognise it.
std::string excerpt(std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = 40;
    std::string text = "'";
    for (const std::byte byte : bytes.first(std::min(bytes.size(), kMost))) {
        const auto character = std::to_integer<unsigned char>(byte);
        text += character >= 0x20 && character < 0x7f ? static_cast<char>(character) : '.';
    }
    return text + (bytes.size() > kMost ? "…'" : "'");
}

// Writing to a process that is gone must not end this one: the signal is kept back for the moment
// of the call, and taken away if it came.
ssize_t write_without_signal(int file, const void* data, std::size_t size) {
    sigset_t broken_pipe;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    const ssize_t count = write(file, data, size);
    const int error = errno;
    if (count < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        const timespec at_once{};
        while (sigtimedwait(&broken_pipe, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return count;
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Result<Connection> Connection::open(const std::string& command) {
    return ChildProcess::start(command).map(
        [](ChildProcess&& process) { return Connection(std::move(process)); });
}

Result<void> Connection::post() {
    if (requests_.size() < kWorthSending) {
        return {};
    }
    auto sent = write_some();
    while (sent && requests_.size() >= kMostUnsent && !deaf_) {
        sent = exchange(-1);
    }
    return sent;
}

Result<Answer> Connection::receive(Verb verb, Patience patience) {
    const auto deadline =
        std::chrono::steady_clock::now() + patience.value_or(std::chrono::milliseconds(0));
    while (true) {
        const auto whole = whole_answer(verb);
        if (!whole) {
            return tl::unexpected(whole.error());
        }
        if (*whole) {
            break;
        }
        int timeout = -1;
        if (patience) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                deadline - std::chrono::steady_clock::now());
            if (left.count() <= 0) {
                return core::fail(ErrorCode::simulation, "its process did not answer within " +
                                                             std::to_string(patience->count()) +
                                                             " ms");
            }
            timeout = static_cast<int>(left.count());
        }
        if (auto exchanged = exchange(timeout); !exchanged) {
            return tl::unexpected(exchanged.error());
        }
    }
    core::ByteReader reader(received());
    const auto size = reader.get<std::uint32_t>();
    const auto status = static_cast<Status>(reader.get<std::uint8_t>());
    taken_ += kSizeBytes + size;
    return Answer{status, reader.take(size - 1)};
}

// Looks at size and status as soon as they are there: text in the place of answers is recognised
// by them, and never waited for.
Result<bool> Connection::whole_answer(Verb verb) const {
    core::ByteReader reader(received());
    const auto size = reader.get<std::uint32_t>();
    const auto status = reader.get<std::uint8_t>();
    if (!reader.ok()) {
        return false;
    }
    const std::uint32_t longest = has_long_answer(verb) ? kLongestMessage : kLongestShortAnswer;
    if (size == 0 || size > longest || status > static_cast<std::uint8_t>(Status::unknown_verb)) {
        return core::fail(ErrorCode::simulation,
                          "its process wrote to stdout what is no answer: " + excerpt(received()) +
                              "; what is not for isotick belongs on stderr");
    }
    return reader.remaining() >= size - 1;
}

Result<void> Connection::exchange(int timeout_ms) {
    if (!requests_.empty() && !deaf_) {
        if (auto written = write_some(); !written) {
            return written;
        }
    }
    const bool sending = !requests_.empty() && !deaf_;
    std::array<pollfd, 2> ends{{{process_.out(), POLLIN, 0}, {process_.in(), POLLOUT, 0}}};
    const int ready = poll(ends.data(), sending ? 2 : 1, timeout_ms);
    if (ready < 0 && errno != EINTR) {
        return system_failure("cannot wait for a process");
    }
    return ready > 0 && ends.front().revents != 0 ? read_some() : Result<void>();
}

Result<void> Connection::write_some() {
    std::size_t done = 0;
    while (done < requests_.size() && !deaf_) {
        const ssize_t count =
            write_without_signal(process_.in(), requests_.data() + done, requests_.size() - done);
        if (count < 0 && would_block()) {
            break;
        }
        if (count < 0 && errno != EPIPE) {
            return system_failure("cannot write to a process");
        }
        deaf_ = count < 0;  // what it wrote before that is read all the same
        done += deaf_ ? 0 : static_cast<std::size_t>(count);
    }
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(done));
    return {};
}

Result<void> Connection::read_some() {
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    const std::size_t before = answers_.size();
    answers_.resize(before + kReadAtOnce);
    const ssize_t count = read(process_.out(), answers_.data() + before, kReadAtOnce);
    const bool later = count < 0 && would_block();
    answers_.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count > 0 || later) {
        return {};
    }
    return count == 0 ? gone() : Result<void>(system_failure("cannot read from a process"));
}

tl::unexpected<core::Error> Connection::gone() {
    const std::string rest =
        received().empty() ? ""
                           : "; before that it wrote what is no answer: " + excerpt(received());
    const std::optional<int> status = process_.end();
    const std::string end = !status ? "closed its stdout"
                            : WIFSIGNALED(*status)
                                ? "was " + describe_end(*status)
                                : "ended with exit code " + std::to_string(WEXITSTATUS(*status));
    return core::fail(ErrorCode::simulation, "its process " + end + rest);
}

}  // namespace isotick::harness
