#include "worker_process.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/worker/worker.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>

extern char** environ;

namespace isotick::harness {
namespace {

using core::Result;

// Above the numbers at which the worker expects its ends, so that moving one never hits another.
constexpr int kOutOfTheWay = kWorkerResponse + 1;

Result<FileDescriptor> moved_up(const FileDescriptor& file) {
    return copy_of(file, kOutOfTheWay);
}

struct Ends {
    FileDescriptor parents;
    FileDescriptor workers;
};

Result<Ends> moved_up(const std::array<int, 2>& ends) {
    const FileDescriptor parents(ends[0]);
    const FileDescriptor workers(ends[1]);
    ISOTICK_TRY_ASSIGN(auto parents_up, moved_up(parents));
    ISOTICK_TRY_ASSIGN(auto workers_up, moved_up(workers));
    return Ends{std::move(parents_up), std::move(workers_up)};
}

Result<Ends> make_sockets() {
    std::array<int, 2> ends{};
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0
               ? moved_up(ends)
               : system_failure("cannot make a socket pair");
}

Result<Ends> make_pipe() {
    std::array<int, 2> ends{};
    return pipe2(ends.data(), O_CLOEXEC) == 0 ? moved_up(ends)
                                              : system_failure("cannot make a pipe");
}

// How one process is spawned, released on every path: in a group of its own, with all that it
// starts, so that they can be killed together.
class SpawnSettings {
  public:
    SpawnSettings() {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    void place(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
    void open_null(int at) {
        posix_spawn_file_actions_addopen(&actions_, at, "/dev/null", O_RDONLY, 0);
    }
    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

// The variables that the process is to see.
std::vector<std::string> environment_of(const ProcessSetup& setup) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    for (const auto& [name, value] : setup.variables) {
        std::erase_if(variables, [&name = name](const std::string& variable) {
            return variable.starts_with(name + "=");
        });
        variables.push_back(name + "=" + value);
    }
    return variables;
}

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

Result<WorkerProcess> WorkerProcess::start(const std::string& executable, Kind kind,
                                           const ProcessSetup& setup) {
    WorkerProcess worker;
    ISOTICK_TRY(worker.open_channel());
    ISOTICK_TRY_ASSIGN(auto sockets, make_sockets());
    ISOTICK_TRY_ASSIGN(auto output, make_pipe());
    worker.socket_ = std::move(sockets.parents);
    worker.output_ = std::move(output.parents);
    fcntl(worker.output_.get(), F_SETFL, O_NONBLOCK);
    ISOTICK_TRY(worker.spawn(executable, kind, setup, sockets.workers.get(), output.workers.get()));
    return worker;
}

Result<void> WorkerProcess::open_channel() {
    for (FileDescriptor* file : {&progress_file_, &request_, &response_}) {
        ISOTICK_TRY_ASSIGN(const auto anonymous, anonymous_file());
        ISOTICK_TRY_ASSIGN(*file, moved_up(anonymous));
    }
    progress_ = SharedProgress(progress_file_.get(), true);
    if (progress_.get() == nullptr) {
        return system_failure("cannot share memory with a worker");
    }
    return {};
}

Result<void> WorkerProcess::spawn(const std::string& executable, Kind kind,
                                  const ProcessSetup& setup, int worker_socket, int worker_output) {
    SpawnSettings settings;
    settings.open_null(STDIN_FILENO);
    settings.place(worker_output, STDOUT_FILENO);
    settings.place(worker_output, STDERR_FILENO);
    settings.place(worker_socket, kWorkerSocket);
    settings.place(progress_file_.get(), kWorkerProgress);
    settings.place(request_.get(), kWorkerRequest);
    settings.place(response_.get(), kWorkerResponse);
    std::string argument(kWorkerArgument);
    std::string mode = kind == Kind::fork_server ? "fork-server" : "fresh";
    std::vector<std::string> environment = environment_of(setup);
    std::string name = executable;
    const std::array<char*, 4> arguments{name.data(), argument.data(), mode.data(), nullptr};
    const int failure =
        posix_spawn(&process_, executable.c_str(), settings.actions(), settings.attributes(),
                    arguments.data(), pointers_to(environment).data());
    if (failure != 0) {
        process_ = -1;
        errno = failure;
        return system_failure("cannot start a worker process");
    }
    return {};
}

Result<void> WorkerProcess::submit(const std::string& request) {
    Progress& progress = *progress_.get();
    progress.finished = 0;
    progress.process = 0;
    progress.tick = 0;
    progress.steps = 0;
    progress.ahead = 0;
    progress.cut_off = 0;
    progress.guard = -1;
    progress.activity = static_cast<std::uint32_t>(Activity::starting);
    printed_.clear();
    ISOTICK_TRY(put_content(request_.get(), request));
    const char go = 1;
    if (send(socket_.get(), &go, 1, MSG_NOSIGNAL) != 1) {
        return system_failure("cannot reach a worker process");
    }
    return {};
}

void WorkerProcess::drain_output() {
    std::array<char, 16384> block{};
    while (true) {
        const ssize_t count = read(output_.get(), block.data(), block.size());
        if (count <= 0) {
            return;
        }
        printed_.add({block.data(), static_cast<std::size_t>(count)});
    }
}

std::optional<RequestEnd> WorkerProcess::take_end() {
    EndOfRequest end;
    const ssize_t count = recv(socket_.get(), &end, sizeof end, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return std::nullopt;
    }
    if (count != static_cast<ssize_t>(sizeof end)) {
        const pid_t running = progress_.get()->process;
        const bool had_copy = running > 0 && running != process_;
        const int status = wait_for_process();
        RequestEnd lost = make_end(status);
        if (lost.kills != 0 && had_copy) {
            lost.reason = "its parent process was " + describe_end(status);
        }
        return lost;
    }
    if (end.needs_fresh != 0) {
        RequestEnd unanswered;
        unanswered.needs_fresh = true;
        return unanswered;
    }
    return make_end(end.wait_status);
}

RequestEnd WorkerProcess::make_end(int wait_status) {
    drain_output();
    RequestEnd end;
    end.output = printed_.text();
    Progress& progress = *progress_.get();
    progress.process = 0;  // it is gone, and its number may soon be another's
    end.place = progress.place();
    end.ahead = progress.ahead != 0;
    if (progress.finished != 0 && wait_status == 0) {
        auto response = get_content(response_.get());
        end.finished = response.has_value();
        end.response = response.value_or("");
        end.reason = response ? "" : response.error().message;
        return end;
    }
    end.cut_off = progress.cut_off != 0;
    end.reason =
        end.cut_off ? "closed file descriptors that isotick needs" : describe_end(wait_status);
    end.kills = was_killed_from_outside(wait_status) ? 1 : 0;
    return end;
}

int WorkerProcess::wait_for_process() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-process_, SIGKILL);  // what it may have started and left behind
    process_ = -1;
    return status;
}

std::uint64_t WorkerProcess::beats() const {
    return progress_.get()->beats;
}

void WorkerProcess::kill_request() {
    const pid_t child = progress_.get()->process;
    if (child > 0) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    } else if (process_ > 0) {
        kill(-process_, SIGKILL);
        kill(process_, SIGKILL);
    }
}

void WorkerProcess::stop() {
    if (process_ > 0) {
        kill_request();
        kill(process_, SIGKILL);
        wait_for_process();
    }
}

WorkerProcess::~WorkerProcess() {
    stop();
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      socket_(std::move(other.socket_)),
      output_(std::move(other.output_)),
      progress_file_(std::move(other.progress_file_)),
      request_(std::move(other.request_)),
      response_(std::move(other.response_)),
      progress_(std::move(other.progress_)),
      printed_(std::move(other.printed_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
    if (this != &other) {
        stop();
        process_ = std::exchange(other.process_, -1);
        socket_ = std::move(other.socket_);
        output_ = std::move(other.output_);
        progress_file_ = std::move(other.progress_file_);
        request_ = std::move(other.request_);
        response_ = std::move(other.response_);
        progress_ = std::move(other.progress_);
        printed_ = std::move(other.printed_);
    }
    return *this;
}

}  // namespace isotick::harness
