#include "cleanup_process.hpp"

#include "channel.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/wait.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace isotick::harness {
namespace {

using core::Result;

enum class Kind : std::int32_t { end, release, remove, keep, hold };

/// A notice to the cleanup process; behind it, the path of a folder, or beside it a file.
struct Notice {
    Kind kind;
    std::int32_t leader;
};

constexpr std::size_t kLongestPath = 4096;

// How long the leaders of sessions may take to end by themselves.
constexpr std::chrono::milliseconds kPatience{2000};

std::atomic<int> to_cleanup_process{-1};  // a socket

using Control = std::array<char, CMSG_SPACE(sizeof(int))>;

// `text` and `file` (-1: none) go with it.
void tell(Notice notice, std::string_view text, int file) {
    alignas(cmsghdr) Control control{};
    std::array<iovec, 2> pieces{iovec{&notice, sizeof notice},
                                iovec{const_cast<char*>(text.data()), text.size()}};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    if (file >= 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        std::memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    if (const int socket = to_cleanup_process; socket >= 0) {
        uninterrupted([&] { return sendmsg(socket, &message, MSG_NOSIGNAL); });
    }
}

struct ProcessSession {
    std::int32_t process;
    std::int32_t leader;
};

#if defined(__linux__)

// Of a process that has not ended: `17 (sh) S parent group session …`.
std::optional<ProcessSession> session_of(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');
    std::array<std::int32_t, 3> numbers{};  // parent, group, session
    if (name_end == std::string::npos || text.size() < name_end + 4 ||
        std::string_view("ZX").find(text[name_end + 2]) != std::string_view::npos) {
        return std::nullopt;
    }
    const char* at = text.data() + name_end + 3;
    for (std::int32_t& number : numbers) {
        at = std::from_chars(at + 1, text.data() + text.size(), number).ptr;
    }
    const std::string own = process.filename().string();
    ProcessSession session{0, numbers.back()};
    std::from_chars(own.data(), own.data() + own.size(), session.process);
    return session;
}

bool is_alive(std::int32_t leader) {
    const auto session = session_of("/proc/" + std::to_string(leader));
    return session && session->leader == leader;
}

// Only a keeper ends what has left its session (see keeper.hpp), and takes a while for that.
void ask_to_end(const std::set<std::int32_t>& leaders) {
    using namespace std::chrono_literals;
    for (const std::int32_t leader : leaders) {
        if (is_alive(leader)) {
            kill(leader, SIGTERM);
            kill(leader, SIGCONT);
        }
    }
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::ranges::any_of(leaders, is_alive) && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(1ms);
    }
}

// Whether any was still alive.
bool kill_sessions(const std::set<std::int32_t>& leaders) {
    bool alive = false;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        const auto session = session_of(entry.path());
        if (session && leaders.contains(session->leader)) {
            alive = true;
            kill(session->process, SIGKILL);
        }
    }
    return alive;
}

#else

void ask_to_end(const std::set<std::int32_t>&) {}

bool kill_sessions(const std::set<std::int32_t>& leaders) {
    for (const std::int32_t leader : leaders) {
        kill(-leader, SIGKILL);
    }
    return false;
}

#endif

class CleanupProcess {
  public:
    explicit CleanupProcess(int socket) : socket_(socket) {}

    /// Returns when nobody has the other end of the socket any more.
    void listen() {
        while (hear()) {
        }
    }

    void clean_up() const {
        using namespace std::chrono_literals;
        ask_to_end(leaders_);
        while (!leaders_.empty() && kill_sessions(leaders_)) {
            std::this_thread::sleep_for(1ms);  // one that is killed has to end yet
        }
        for (const std::string& folder : folders_) {
            std::error_code ignored;
            std::filesystem::remove_all(folder, ignored);
        }
    }

  private:
    bool hear() {
        Notice notice{};
        alignas(cmsghdr) Control control{};
        std::array<iovec, 2> pieces{iovec{&notice, sizeof notice},
                                    iovec{path_.data(), path_.size()}};
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = pieces.size();
        message.msg_control = control.data();  // a file that comes with it stays open
        message.msg_controllen = control.size();
        const ssize_t size =
            uninterrupted([&] { return recvmsg(socket_, &message, MSG_CMSG_CLOEXEC); });
        if (size < static_cast<ssize_t>(sizeof notice)) {
            return false;
        }
        const std::string path(path_.data(), static_cast<std::size_t>(size) - sizeof notice);
        if (notice.kind == Kind::end) {
            leaders_.insert(notice.leader);
        } else if (notice.kind == Kind::release) {
            leaders_.erase(notice.leader);
        } else if (notice.kind == Kind::remove) {
            folders_.insert(path);
        } else if (notice.kind == Kind::keep) {
            folders_.erase(path);
        }
        return true;
    }

    int socket_;
    std::array<char, kLongestPath> path_{};
    std::set<std::int32_t> leaders_;
    std::set<std::string> folders_;
};

// What the cleanup process has of its maker's files would keep others waiting for their end. The
// maker may have as many as it can.
void close_all_but(int kept) {
    constexpr std::array kStandard{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    for (const int standard : kStandard) {
        close(standard);
    }
    std::set<int> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
        const std::string name = entry.path().filename().string();
        int file = -1;
        std::from_chars(name.data(), name.data() + name.size(), file);
        files.insert(file);
    }
    for (const int file : files) {
        if (file > STDERR_FILENO && file != kept) {
            close(file);
        }
    }
    for ([[maybe_unused]] const int standard : kStandard) {
        [[maybe_unused]] const int number = open("/dev/null", O_RDWR);  // NOLINT: kept, as usual
    }
}

// In a session of its own, neither Ctrl-C nor what kills its maker's group reaches it; nor, by
// another name, what kills all that are called as its maker is.
[[noreturn]] void keep(int socket) {
    setsid();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
#if defined(__linux__)
    prctl(PR_SET_NAME, "isotick-cleanup");
#endif
    close_all_but(socket);
    [[maybe_unused]] const int stayed = chdir("/");
    CleanupProcess process(socket);
    process.listen();
    process.clean_up();
    _exit(0);
}

// A child of nobody here: who waits for all children of this process waits in vain for it.
Result<void> fork_cleanup_process(Ends ends) {
    const pid_t between = fork();
    if (between < 0) {
        return system_failure("cannot fork");
    }
    if (between == 0) {
        if (fork() == 0) {
            ends.writing.reset();
            keep(ends.reading.get());
        }
        _exit(0);
    }
    uninterrupted([&] { return waitpid(between, nullptr, 0); });
    to_cleanup_process = ends.writing.release();
    return {};
}

}  // namespace

Result<void> start_cleanup_process() {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    if (to_cleanup_process >= 0) {
        return {};
    }
    return sockets_out_of_the_way().and_then(fork_cleanup_process);
}

void end_with_us(std::int32_t leader) {
    tell({Kind::end, leader}, {}, -1);
}

void release_leader(std::int32_t leader) {
    tell({Kind::release, leader}, {}, -1);
}

void remove_with_us(const std::string& folder) {
    tell({Kind::remove, 0}, std::string_view(folder).substr(0, kLongestPath), -1);
}

void keep_behind_us(const std::string& folder) {
    tell({Kind::keep, 0}, std::string_view(folder).substr(0, kLongestPath), -1);
}

void hold_with_us(int file) {
    tell({Kind::hold, 0}, {}, file);
}

}  // namespace isotick::harness
