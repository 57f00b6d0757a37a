#include "keeper.hpp"

#include "shared_usage.hpp"

#include <array>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::string_view kKept = "kept";
constexpr timespec kLookEvery{.tv_sec = 0, .tv_nsec = 50'000'000};

sigset_t awaited_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) {
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
        if (signal > 0 && signal != SIGCHLD) {
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

void end_like(const ProcessEnd& end) {
    if (end.signal != 0) {
        std::signal(end.signal, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        std::raise(end.signal);
    }
    _exit(end.exit_code);
}

}  // namespace isotick::harness
