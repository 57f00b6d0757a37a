// The worker's side: runs requests one after another, each in a forked child (fork server), or a
// single one in this process (fresh).

#include "channel.hpp"
#include "job.hpp"

#include <isotick/harness/worker.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// What the worker cannot report otherwise, since its parent reads nothing else of it.
constexpr int kBrokenChannel = 120;

void die_with_parent() {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

// A simulation that eats memory gets bad_alloc or a null pointer, and the machine stays usable.
void limit_memory([[maybe_unused]] std::uint64_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (bytes != 0) {
        const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
        setrlimit(RLIMIT_DATA, &limit);
    }
#endif
}

void leave_no_core_file() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

bool has_other_threads() {
    std::error_code error;
    const std::filesystem::directory_iterator tasks("/proc/self/task", error);
    return !error && std::distance(begin(tasks), end(tasks)) > 1;
}

bool wait_for_request() {
    char go = 0;
    ssize_t count = 0;
    do {
        count = recv(kWorkerSocket, &go, 1, 0);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

bool answer(Progress& progress, const std::string& response) {
    if (!put_content(kWorkerResponse, response)) {
        return false;
    }
    progress.finished = 1;
    return true;
}

// Runs the job in this process and ends it without static destructors: they belong to the server.
[[noreturn]] void run_and_exit(const Job& job, const isotick_simulation_table& table,
                               Progress& progress) {
    setpgid(0, 0);
    progress.process = getpid();
    limit_memory(job.memory_limit);
    const std::string response = run_job(job, table, progress);
    std::fflush(nullptr);
    _exit(answer(progress, response) ? 0 : kBrokenChannel);
}

class Server {
  public:
    Server(SimulationCatalog& catalog, Progress& progress, bool fresh)
        : catalog_(catalog), progress_(progress), fresh_(fresh) {}

    int serve() {
        while (wait_for_request()) {
            const auto request = get_content(kWorkerRequest);
            if (!request) {
                return kBrokenChannel;
            }
            const Result<Job> job = parse_job(*request);
            EndOfRequest end;
            if (!handle(job, end)) {
                return kBrokenChannel;
            }
            if (fresh_) {
                return 0;
            }
            progress_.process = 0;
            send(kWorkerSocket, &end, sizeof end, MSG_NOSIGNAL);
        }
        return 0;
    }

  private:
    bool handle(const Result<Job>& job, EndOfRequest& end) {
        if (!job) {
            return answer(progress_, failed_response(job.error()));
        }
        progress_.enter(Activity::loading);
        const auto table = catalog_.open(job->simulation);
        if (!table) {
            return answer(progress_, failed_response(table.error()));
        }
        if (fresh_) {
            run_and_exit(*job, **table, progress_);
        }
        if (has_other_threads()) {
            end.needs_fresh = 1;
            return true;
        }
        return run_in_child(*job, **table, end);
    }

    bool run_in_child(const Job& job, const isotick_simulation_table& table, EndOfRequest& end) {
        const pid_t server = getpid();
        const pid_t child = fork();
        if (child < 0) {
            return answer(progress_, failed_response(system_failure("cannot fork").value()));
        }
        if (child == 0) {
            die_with_parent();
            if (getppid() != server) {
                _exit(kBrokenChannel);
            }
            close(kWorkerSocket);
            run_and_exit(job, table, progress_);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        kill(-child, SIGKILL);  // what the simulation may have started and left behind
        end.wait_status = status;
        return true;
    }

    SimulationCatalog& catalog_;
    Progress& progress_;
    bool fresh_;
};

}  // namespace

std::optional<int> run_if_worker(std::span<const char* const> arguments,
                                 SimulationCatalog& catalog) {
    if (arguments.size() != 3 || arguments[1] != kWorkerArgument) {
        return std::nullopt;
    }
    die_with_parent();
    leave_no_core_file();
    for (const int inherited : {kWorkerSocket, kWorkerRequest, kWorkerResponse, kWorkerProgress}) {
        fcntl(inherited, F_SETFD, FD_CLOEXEC);  // not for what a simulation starts
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
    const SharedProgress progress(kWorkerProgress, false);
    if (progress.get() == nullptr) {
        return kBrokenChannel;
    }
    const bool fresh = std::string_view(arguments[2]) == "fresh";
    return Server(catalog, *progress.get(), fresh).serve();
}

}  // namespace isotick::harness
