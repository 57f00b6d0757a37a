#include "keeper.hpp"

#include "last_stack.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/stat.h>

#if defined(__linux__)
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

namespace isotick::harness {

/// Has the descendants of this process note where they are (Linux; see note_last_stack).
void ask_for_stacks();

// Memory that no limit of the system counts: shared mappings, and files without a name in memory.

/// How many bytes of it the descendants of this process have, in mappings and in files that they
/// have open (Linux). Exact only above `enough`: below, it may be less. Not in it: files with a
/// name, and those that nobody has open or mapped, such as one under way in a socket. What the
/// parent of this process has open is the parent's.
[[nodiscard]] std::uint64_t shared_memory_of_children(std::uint64_t enough);

#if defined(__linux__)

namespace {

using FileId = std::pair<dev_t, ino_t>;
using Sizes = std::map<FileId, std::uint64_t>;

std::string folder_of(pid_t process) {
    return "/proc/" + std::to_string(process) + "/";
}

void for_each_entry(const std::string& folder,
                    const std::function<void(const std::string& path)>& take) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        take(entry->path().native());
    }
}

std::vector<pid_t> descendants() {
    std::vector<pid_t> found{getpid()};
    for (std::size_t i = 0; i < found.size(); ++i) {
        for_each_entry(folder_of(found[i]) + "task", [&found](const std::string& task) {
            std::ifstream list(task + "/children");
            for (pid_t child = 0; list >> child;) {
                found.push_back(child);
            }
        });
    }
    found.erase(found.begin());
    return found;
}

// The files without a name that a process has open in memory, and how much of it they take.
void add_open_files(pid_t process, Sizes& sizes) {
    constexpr std::uint64_t kBlock = 512;
    for_each_entry(folder_of(process) + "fd", [&sizes](const std::string& path) {
        struct stat file {};
        struct statfs system {};
        if (stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 0 &&
            statfs(path.c_str(), &system) == 0 &&
            (system.f_type == TMPFS_MAGIC || system.f_type == HUGETLBFS_MAGIC)) {
            sizes[{file.st_dev, file.st_ino}] = static_cast<std::uint64_t>(file.st_blocks) * kBlock;
        }
    });
}

// Pages that are or may be shared: never less than those of shared memory.
std::uint64_t most_mapped(pid_t process) {
    std::ifstream statistics(folder_of(process) + "statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    std::uint64_t shared = 0;
    statistics >> total >> resident >> shared;
    return shared * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// `00:01`, in hexadecimal digits.
dev_t device_of(const std::string& text) {
    std::istringstream words(text);
    unsigned major = 0;
    unsigned minor = 0;
    char colon = 0;
    words >> std::hex >> major >> colon >> minor;
    return makedev(major, minor);
}

// Of shared mappings of what has no name; each process counts its share of a page.
void add_mappings(pid_t process, Sizes& sizes) {
    std::ifstream mappings(folder_of(process) + "smaps");
    std::uint64_t* size = nullptr;
    for (std::string line; std::getline(mappings, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (!first.ends_with(':')) {  // begin-end permissions offset major:minor inode path
            std::string permissions;
            std::string offset;
            std::string device;
            ino_t inode = 0;
            words >> permissions >> offset >> device >> inode;
            const bool counts =
                permissions.ends_with('s') && inode != 0 && line.ends_with(" (deleted)");
            size = counts ? &sizes[{device_of(device), inode}] : nullptr;
        } else if (std::uint64_t kib = 0; size != nullptr && first == "Pss:" && words >> kib) {
            *size += kib << 10U;
        }
    }
}

}  // namespace

void ask_for_stacks() {
    for (const pid_t process : descendants()) {
        kill(process, kAskForStack);
    }
}

std::uint64_t shared_memory_of_children(std::uint64_t enough) {
    const std::vector<pid_t> processes = descendants();
    Sizes open;
    std::uint64_t most = 0;
    for (const pid_t process : processes) {
        add_open_files(process, open);
        most += most_mapped(process);
    }
    for (const auto& [file, size] : open) {
        most += size;
    }
    if (most <= enough) {
        return 0;
    }
    Sizes mapped;
    for (const pid_t process : processes) {
        add_mappings(process, mapped);
    }
    for (const auto& [file, size] : open) {
        mapped[file] = std::max(mapped[file], size);
    }
    Sizes parents;
    add_open_files(getppid(), parents);
    std::uint64_t exact = 0;
    for (const auto& [file, size] : mapped) {
        exact += parents.contains(file) ? 0 : size;
    }
    return exact;
}

#else

void ask_for_stacks() {}

std::uint64_t shared_memory_of_children(std::uint64_t) {
    return 0;
}

#endif

namespace {

using core::Result;

constexpr std::string_view kKept = "kept";
constexpr timespec kLookEvery{.tv_sec = 0, .tv_nsec = 50'000'000};

sigset_t awaited_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, kAskForStack}) {
        sigaddset(&signals, signal);
    }
    return signals;
}

Result<Process> execute_again(std::span<const char* const> arguments, std::span<const int> files) {
    Start start{.failure = "cannot start a worker process",
                .path = "/proc/self/exe",
                .arguments = {arguments.begin(), arguments.end()},
                .environment = own_environment(),
                .files = {},
                .usual_signals = true};
    start.arguments.emplace_back(kKept);
    for (const int file : files) {
        start.files.emplace_back(file, file);  // to the same number: not closed on exec
    }
    return start_program(std::move(start));
}

KeptEnd watch_worker(Process process, std::uint64_t most_shared) {
    const sigset_t awaited = awaited_signals();
    KeptEnd end;
    while (!process.has_ended() && end.shared_memory == 0) {
        const int signal =
            sigtimedwait(&awaited, nullptr, most_shared == 0 ? nullptr : &kLookEvery);
        if (signal == kAskForStack) {
            ask_for_stacks();
        } else if (signal > 0 && signal != SIGCHLD) {
            end.was_stopped = process.is_stopped();
            break;
        }
        const std::uint64_t shared = most_shared == 0 ? 0 : shared_memory_of_children(most_shared);
        end.shared_memory = shared > most_shared ? shared : 0;
    }
    if (process.has_ended()) {
        const std::array its{process.id()};
        end.left = end_children(its);  // counted before the rest of its group is killed
    } else {
        process.kill();
    }
    end.process = process.wait();
    end.left += end_children();
    return end;
}

}  // namespace

bool is_kept(std::span<const char* const> arguments) {
    return arguments.back() == kKept;
}

Result<std::optional<KeptEnd>> keep(std::span<const char* const> arguments,
                                    std::span<const int> files, std::uint64_t most_shared) {
    if (is_kept(arguments)) {
        die_with_parent();
        lead_group();
        return std::nullopt;
    }
    const sigset_t awaited = awaited_signals();
    sigset_t before;
    sigprocmask(SIG_BLOCK, &awaited, &before);
    std::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the ends of children away
    die_with_parent(SIGTERM);
    adopt_orphans();
    const bool copies = !has_other_threads();
    auto process = copies ? copy_this_process() : execute_again(arguments, files);
    if (process && process->id() != 0) {
        KeptEnd end = watch_worker(*std::move(process), most_shared);
        end.is_copy = copies;
        return end;
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (!process) {
        return tl::unexpected(process.error());
    }
    lead_group();
    return std::nullopt;
}

}  // namespace isotick::harness
