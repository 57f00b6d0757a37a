#include "process.hpp"

#include "cleanup_process.hpp"
#include "preload.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <thread>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__linux__)
#include <sys/personality.h>
#endif

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#endif

namespace isotick::harness {
namespace {

std::chrono::nanoseconds cpu_time_of(int who) {
    rusage usage{};
    getrusage(who, &usage);
    const auto duration = [](const timeval& time) {
        return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
    };
    return duration(usage.ru_utime) + duration(usage.ru_stime);
}

}  // namespace

std::chrono::nanoseconds cpu_time_so_far() {
    return cpu_time_of(RUSAGE_SELF) + cpu_time_of(RUSAGE_CHILDREN);
}

namespace {

// Depends on how the program and its plug-ins were built, not on how this file was. Checked once,
// at startup: the lookup touches pages of every library, which each copy of a worker would pay for.
const bool has_sanitizer = [] {
    return std::ranges::any_of(
        std::array{"__asan_init", "__tsan_init", "__msan_init"},
        [](const char* start) { return dlsym(RTLD_DEFAULT, start) != nullptr; });
}();

}  // namespace

void limit_memory(std::uint64_t bytes) {
    rlimit limit{};
    if (bytes != 0 && !has_sanitizer && getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(bytes));
        limit.rlim_max = limit.rlim_cur;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

void limit_further_memory(std::uint64_t bytes) {
    const preload::Unseen unseen;
    std::ifstream statistics("/proc/self/statm");
    std::array<std::uint64_t, 6> pages{};  // total, resident, shared, text, unused, data
    for (std::uint64_t& count : pages) {
        statistics >> count;
    }
    if (statistics) {
        limit_memory(pages.back() * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes);
    }
}

std::optional<std::uint64_t> memory_limit() {
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? std::optional<std::uint64_t>(limit.rlim_cur) : std::nullopt;
}

void leave_no_core_file() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

#if defined(__linux__)

LentPersonality::LentPersonality(unsigned long bits) {
    if (bits == 0) {
        return;
    }
    constexpr unsigned long kAsk = 0xffffffff;
    const int now = personality(kAsk);
    is_lent_ = now >= 0 && personality(static_cast<unsigned long>(now) | bits) >= 0;
    former_ = is_lent_ ? now : -1;
}

LentPersonality::~LentPersonality() {
    if (former_ >= 0) {
        personality(static_cast<unsigned long>(former_));
    }
}

#else

LentPersonality::LentPersonality(unsigned long bits) : is_lent_(bits == 0) {}
LentPersonality::~LentPersonality() = default;

#endif

}  // namespace isotick::harness

// NOLINTNEXTLINE(readability-redundant-declaration)
extern char** environ;

namespace isotick::harness {
namespace {

using core::Result;

ProcessEnd end_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? ProcessEnd{0, WTERMSIG(wait_status)}
                                    : ProcessEnd{WEXITSTATUS(wait_status), 0};
}

#if defined(POSIX_SPAWN_SETSID)
constexpr int kNewSession = POSIX_SPAWN_SETSID;
#else
constexpr int kNewSession = POSIX_SPAWN_SETPGROUP;
#endif

// Until it is waited for, its number is no other's.
bool is_child(ProcessId id) {
    siginfo_t info{};
    return id > 0 && waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
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
        // A session has a group; the cleanup process kills both.
        int flags = start.leads_group ? kNewSession : 0;
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
    return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == id_;
}

bool Process::is_stopped() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == id_;
}

void Process::signal(int number) const {
    if (is_child(id_)) {
        ::kill(id_, number);
    }
}

void Process::kill() const {
    if (is_child(id_)) {
        ::kill(-id_, SIGKILL);
        ::kill(id_, SIGKILL);
    }
}

void Process::await_end() const {
    siginfo_t info{};
    uninterrupted([&] { return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT); });
}

ProcessEnd Process::wait() {
    await_end();
    kill();  // the rest of its group
    int status = 0;
    uninterrupted([&] { return waitpid(id_, &status, 0); });
    release_leader(id_);
    id_ = -1;
    return end_of(status);
}

std::optional<ProcessEnd> Process::wait(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    auto pause = std::chrono::microseconds(100);
    while (!has_ended()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return std::nullopt;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(10'000));
    }
    return wait();
}

ProcessEnd Process::end(std::chrono::milliseconds patience) {
    if (is_child(id_)) {
        ::kill(id_, SIGTERM);
        ::kill(id_, SIGCONT);
    }
    const auto ended = wait(patience);
    if (!ended) {
        kill();
    }
    return ended ? *ended : wait();
}

void adopt_orphans() {
#if defined(__linux__)
    prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

std::vector<ProcessId> children() {
    const preload::Unseen unseen;
    std::ifstream list("/proc/thread-self/children");
    return {std::istream_iterator<ProcessId>(list), {}};
}

// One whose parent has been killed is a child in the next round.
std::uint32_t end_children(std::span<const ProcessId> but) {
    std::vector<ProcessId> spared(but.begin(), but.end());
    std::uint32_t ended = 0;
    while (true) {
        std::vector<ProcessId> others = children();
        std::erase_if(others,
                      [&](ProcessId id) { return std::ranges::find(spared, id) != spared.end(); });
        if (others.empty()) {
            return ended;
        }
        for (const ProcessId id : others) {
            ended += Process(id).has_ended() ? 0U : 1U;
            if (!is_child(id) || ::kill(id, SIGKILL) != 0) {
                spared.push_back(id);  // another user's
            }
        }
        for (const ProcessId id : others) {
            if (std::ranges::find(spared, id) == spared.end()) {
                uninterrupted([&] { return waitpid(id, nullptr, 0); });
            }
        }
    }
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

void die_with_parent(int signal) {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, signal);
#endif
}

// Not by reading that folder: the preload library would take that for a question of the simulation.
bool has_other_threads() {
#if defined(__linux__)
    constexpr unsigned kLinksBesideThreads = 2;  // of /proc/self/task: one more for each thread
    struct statx folder {};
    return syscall(SYS_statx, AT_FDCWD, "/proc/self/task", 0, STATX_NLINK, &folder) == 0 &&
           folder.stx_nlink > kLinksBesideThreads + 1;
#else
    return false;
#endif
}

Result<Process> start_program(Start start) {
    ISOTICK_TRY(start.leads_group ? start_cleanup_process() : Result<void>());
    const SpawnSettings settings(start);
    const LentPersonality lent(start.personality);
    pid_t process = -1;
    const int error =
        posix_spawn(&process, start.path.c_str(), settings.actions(), settings.attributes(),
                    pointers_to(start.arguments).data(), pointers_to(start.environment).data());
    if (error != 0) {
        errno = error;
        return system_failure(start.failure);
    }
    if (start.leads_group) {
        end_with_us(process);
    }
    return Process(process);
}

std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    return variables;
}

}  // namespace isotick::harness
