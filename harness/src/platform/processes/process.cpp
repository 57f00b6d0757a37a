#include "process.hpp"

#include "personality.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <spawn.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// NOLINTNEXTLINE(readability-redundant-declaration)
extern char** environ;

namespace isotick::harness {
namespace {

using core::Result;

ProcessEnd end_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? ProcessEnd{0, WTERMSIG(wait_status)}
                                    : ProcessEnd{WEXITSTATUS(wait_status), 0};
}

/// Released on every path.
class SpawnSettings {
  public:
    explicit SpawnSettings(const Start& start) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
        if (start.without_input) {
            posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        }
        for (const auto& [ours, its] : start.files) {
            posix_spawn_file_actions_adddup2(&actions_, ours, its);
        }
        int flags = start.leads_group ? POSIX_SPAWN_SETPGROUP : 0;
        if (start.usual_signals) {
            flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
            sigset_t signals;
            sigemptyset(&signals);
            posix_spawnattr_setsigmask(&attributes_, &signals);
            sigaddset(&signals, SIGPIPE);
            sigaddset(&signals, SIGXFSZ);
            posix_spawnattr_setsigdefault(&attributes_, &signals);
        }
        posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

// As the system takes them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

int own_process_id() {
#if defined(__linux__)
    return static_cast<int>(syscall(SYS_getpid));
#else
    return getpid();
#endif
}

std::string describe_end(const ProcessEnd& end) {
    return end.signal != 0 ? "killed by signal " + std::to_string(end.signal) + " (" +
                                 signal_name(end.signal) + ")"
                           : "ended its process with exit code " + std::to_string(end.exit_code);
}

std::string signal_name(int signal) {
    return strsignal(signal);
}

bool was_killed_from_outside(const ProcessEnd& end) {
    constexpr std::array kSentByOthers{SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM};
    return std::ranges::find(kSentByOthers, end.signal) != kSentByOthers.end();
}

bool Process::has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == id_;
}

ProcessEnd Process::wait() {
    int status = 0;
    uninterrupted([&] { return waitpid(id_, &status, 0); });
    id_ = -1;
    return end_of(status);
}

std::optional<ProcessEnd> Process::wait(std::chrono::milliseconds patience) {
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    auto pause = std::chrono::microseconds(100);
    pid_t ended = 0;
    while ((ended = uninterrupted([&] { return waitpid(id_, &status, WNOHANG); })) == 0) {
        if (std::chrono::steady_clock::now() >= deadline) {
            kill(id_, SIGKILL);
            wait();
            return std::nullopt;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(10'000));
    }
    id_ = -1;
    return ended < 0 ? std::nullopt : std::optional(end_of(status));
}

void kill_group(ProcessId leader) {
    kill(-leader, SIGKILL);
}

void kill_with_group(ProcessId process) {
    kill_group(process);
    kill(process, SIGKILL);
}

void lead_group() {
    setpgid(0, 0);
}

Result<Process> copy_this_process() {
    const pid_t parent = own_process_id();
    const pid_t copy = fork();
    if (copy < 0) {
        return system_failure("cannot fork");
    }
    if (copy == 0) {
        die_with_parent();
        if (getppid() != parent) {
            _exit(1);  // nobody is left to be told
        }
    }
    return Process(copy);
}

void die_with_parent() {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

bool has_other_threads() {
    std::error_code error;
    const std::filesystem::directory_iterator tasks("/proc/self/task", error);
    return !error && std::distance(begin(tasks), end(tasks)) > 1;
}

Result<Process> start_program(Start start) {
    const SpawnSettings settings(start);
    const LentPersonality lent(start.personality);
    pid_t process = -1;
    const int error =
        posix_spawn(&process, start.path.c_str(), settings.actions(), settings.attributes(),
                    pointers_to(start.arguments).data(), pointers_to(start.environment).data());
    errno = error;
    return error == 0 ? Result<Process>(Process(process)) : system_failure(start.failure);
}

std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    return variables;
}

}  // namespace isotick::harness
