#include "child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <sys/wait.h>

// NOLINTNEXTLINE(readability-redundant-declaration)
extern char** environ;

namespace isotick::harness {
namespace {

using core::Result;

struct Pipe {
    FileDescriptor reading{};
    FileDescriptor writing{};
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return system_failure("cannot make a pipe");
    }
    Pipe made{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    for (const int end : ends) {
        if (fcntl(end, F_SETFD, FD_CLOEXEC) != 0) {
            return system_failure("cannot make a pipe");
        }
    }
    return made;
}

bool do_not_block(const FileDescriptor& end) {
    return fcntl(end.get(), F_SETFL, O_NONBLOCK) == 0;
}

// What a new process needs besides its pipes: the signals as every program expects them.
class SpawnSettings {
  public:
    SpawnSettings(int input, int output, int errors) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (errors >= 0) {
            posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
            flags |= POSIX_SPAWN_SETPGROUP;  // of its own, which is the default
        }
        posix_spawnattr_init(&attributes_);
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        sigaddset(&signals, SIGPIPE);
        sigaddset(&signals, SIGXFSZ);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_, flags);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    int spawn(pid_t& process, std::string command) {
        std::string shell = "sh";
        std::string option = "-c";
        const std::array<char*, 4> arguments{shell.data(), option.data(), command.data(), nullptr};
        return posix_spawn(&process, "/bin/sh", &actions_, &attributes_, arguments.data(), environ);
    }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::string& command, Kind kind) {
    auto requests = make_pipe();
    auto answers = make_pipe();
    auto errors = kind == Kind::apart ? make_pipe() : Result<Pipe>();
    for (const Result<Pipe>* made : {&requests, &answers, &errors}) {
        if (!*made) {
            return tl::unexpected(made->error());
        }
    }
    if (!do_not_block(requests->writing) || !do_not_block(answers->reading) ||
        (kind == Kind::apart && !do_not_block(errors->reading))) {
        return system_failure("cannot make a pipe");
    }
    ChildProcess child;
    child.kind_ = kind;
    SpawnSettings settings(requests->reading.get(), answers->writing.get(), errors->writing.get());
    if (const int error = settings.spawn(child.process_, command); error != 0) {
        child.process_ = -1;
        errno = error;
        return system_failure("cannot start a shell");
    }
    child.in_ = std::move(requests->writing);
    child.out_ = std::move(answers->reading);
    child.err_ = std::move(errors->reading);
    return child;
}

ChildProcess::~ChildProcess() {
    end(kind_ == Kind::apart ? std::chrono::milliseconds(0) : kPatience);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      kind_(other.kind_),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(kind_, other.kind_);
    std::swap(in_, other.in_);
    std::swap(out_, other.out_);
    std::swap(err_, other.err_);
    return *this;
}

std::optional<int> ChildProcess::end(std::chrono::milliseconds patience) {
    if (process_ < 0) {
        return std::nullopt;
    }
    in_.reset();
    out_.reset();
    const auto status = wait(patience);
    if (kind_ == Kind::apart) {
        kill(-process_, SIGKILL);  // what it may have started and left behind
    }
    process_ = -1;
    return status;
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds patience) {
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    auto pause = std::chrono::microseconds(100);
    pid_t ended = 0;
    while ((ended = waitpid(process_, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (std::chrono::steady_clock::now() >= deadline) {
            kill(process_, SIGKILL);
            while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
            }
            return std::nullopt;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(10'000));
    }
    return ended < 0 ? std::nullopt : std::optional(status);
}

}  // namespace isotick::harness
