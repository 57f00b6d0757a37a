#include "copied_process.hpp"

#include "../../platform/channel.hpp"
#include "../../platform/posix.hpp"

#include <isotick/core/detail/try.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

namespace isotick::harness {
namespace {

using core::Result;
using Clock = std::chrono::steady_clock;

constexpr int kLookEveryMs = 50;

// A tampered simulation may ask for any amount of memory: it gets this much beyond what it has.
void limit_further_memory() {
#if defined(__linux__)
    constexpr std::uint64_t kMore = std::uint64_t{256} << 20;
    std::ifstream statistics("/proc/self/statm");
    std::array<std::uint64_t, 6> pages{};  // total, resident, shared, text, unused, data
    for (std::uint64_t& count : pages) {
        statistics >> count;
    }
    if (statistics) {
        limit_memory(pages.back() * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + kMore);
    }
#endif
}

void silence() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void run_and_exit(const std::function<std::string(Progress&)>& body,
                               const CopyLimits& limits, Progress& progress, int answer) {
    die_with_parent();
    const rlimit no_core_file{0, 0};
    setrlimit(RLIMIT_CORE, &no_core_file);
    if (limits.tampered) {
        silence();
        limit_further_memory();
    }
    if (put_content(answer, body(progress))) {
        progress.finished = 1;
    }
    _exit(0);
}

/// The parent's side of one copy.
class Watch {
  public:
    Watch(pid_t copy, Progress& own, Progress& its, std::uint64_t hang_ms)
        : copy_(copy), own_(own), its_(its), hang_(hang_ms) {}

    /// Waits for the end of the copy, or ends it. `end_of_life` becomes readable when it ends.
    int wait(int end_of_life) {
        auto moved = Clock::now();
        while (true) {
            pollfd life{end_of_life, POLLIN, 0};
            if (poll(&life, 1, kLookEveryMs) > 0) {
                return reap();
            }
            if (pass_on()) {
                moved = Clock::now();
            } else if (hang_.count() != 0 && Clock::now() - moved > hang_) {
                timed_out_ = true;
                kill(copy_, SIGKILL);
                return reap();
            }
        }
    }

    [[nodiscard]] bool timed_out() const { return timed_out_; }

  private:
    bool pass_on() {
        const std::uint64_t beats = its_.beats;
        if (beats == beats_) {
            return false;
        }
        beats_ = beats;
        own_.enter(static_cast<Activity>(its_.activity.load()), core::Tick{its_.tick});
        return true;
    }

    int reap() {
        int status = 0;
        while (waitpid(copy_, &status, 0) < 0 && errno == EINTR) {
        }
        pass_on();
        return status;
    }

    pid_t copy_;
    Progress& own_;
    Progress& its_;
    std::chrono::milliseconds hang_;
    std::uint64_t beats_ = 0;
    bool timed_out_ = false;
};

std::string cause_of(const Watch& watch, const CopyLimits& limits, int status,
                     const Progress& progress) {
    const std::string what = watch.timed_out()
                                 ? "no progress for " + std::to_string(limits.hang_ms) + " ms"
                                 : describe_end(status);
    const auto activity = static_cast<Activity>(progress.activity.load());
    return what + " " + describe(activity, core::Tick{progress.tick});
}

}  // namespace

Result<CopyEnd> run_in_copy(Progress& progress, const CopyLimits& limits,
                            const std::function<std::string(Progress&)>& body) {
    const auto answer = anonymous_file();
    const auto shared_file = anonymous_file();
    if (!answer || !shared_file) {
        return tl::unexpected(answer ? shared_file.error() : answer.error());
    }
    const SharedProgress shared(shared_file->get(), true);
    std::array<int, 2> life{};
    if (shared.get() == nullptr || pipe2(life.data(), O_CLOEXEC) != 0) {
        return system_failure("cannot share memory with a copy of the process");
    }
    const FileDescriptor end_of_life(life[0]);
    FileDescriptor alive(life[1]);
    std::fflush(nullptr);
    const pid_t copy = fork();
    if (copy < 0) {
        return system_failure("cannot fork");
    }
    if (copy == 0) {
        run_and_exit(body, limits, *shared.get(), answer->get());
    }
    alive.reset();
    Watch watch(copy, progress, *shared.get(), limits.hang_ms);
    const int status = watch.wait(end_of_life.get());
    CopyEnd end;
    end.timed_out = watch.timed_out();
    end.finished = shared.get()->finished != 0 && status == 0;
    if (!end.finished) {
        end.reason = cause_of(watch, limits, status, *shared.get());
        return end;
    }
    ISOTICK_TRY_ASSIGN(end.answer, get_content(answer->get()));
    return end;
}

}  // namespace isotick::harness
