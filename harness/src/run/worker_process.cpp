#include "worker_process.hpp"

#include "../system/keeper.hpp"
#include "../system/posix.hpp"
#include "../system/preload.hpp"
#include "job.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/worker.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

// Puts it in the place of one of that name, and returns the former value.
std::string replace_variable(std::vector<std::string>& variables, const std::string& name,
                             const std::string& value) {
    std::string former;
    std::erase_if(variables, [&](const std::string& variable) {
        const bool same = variable.starts_with(name + "=");
        former = same ? variable.substr(name.size() + 1) : former;
        return same;
    });
    variables.push_back(name + "=" + value);
    return former;
}

// What the loader, its libraries, sanitizers, tools of this kind and isotick itself go by.
bool is_needed_to_start(std::string_view variable) {
    constexpr std::array<std::string_view, 4> kNames{"PATH", "TMPDIR", "GLIBC_TUNABLES",
                                                     "LLVM_PROFILE_FILE"};
    constexpr std::array<std::string_view, 5> kFamilies{"LD_", "DYLD_", "MALLOC_", "GCOV_",
                                                        "ISOTICK_"};
    const std::string_view name = variable.substr(0, variable.find('='));
    return std::ranges::find(kNames, name) != kNames.end() || name.ends_with("SAN_OPTIONS") ||
           std::ranges::any_of(kFamilies,
                               [name](std::string_view one) { return name.starts_with(one); });
}

// The variables that the process is to see.
std::vector<std::string> environment_of(const ProcessSetup& setup) {
    std::vector<std::string> variables = own_environment();
    if (setup.bare_environment) {
        std::erase_if(variables, [](const std::string& one) { return !is_needed_to_start(one); });
    }
    for (const auto& [name, value] : setup.variables) {
        replace_variable(variables, name, value);
    }
    if (!setup.tunables.empty()) {
        constexpr const char* kTunables = "GLIBC_TUNABLES";
        std::string text = replace_variable(variables, kTunables, "");
        for (const auto& [name, value] : setup.tunables) {
            text += (text.empty() ? "" : ":") + name + "=" + value;
        }
        replace_variable(variables, kTunables, text);
    }
    return variables;
}

// What the machine lacked, where that is why the process has ended: not the simulation's fault. A
// copy of a worker touches the simulation at once. `was_stopped`: by us.
std::optional<std::string> shortage_in(const Progress& progress, const EndOfRequest& told,
                                       bool was_stopped) {
    const int why = cut_off_by(progress, told.process);
    if (why != 0 && !is_closed(why)) {
        return why == ENOMEM ? "out of memory"
                             : std::string("a worker process failed: ") + std::strerror(why);
    }
    const bool is_touched =
        was_stopped || told.worker_ended == 0 || progress.place().activity != Activity::starting;
    return is_touched || was_killed_from_outside(told.process)
               ? std::nullopt
               : std::optional("a worker was lost before the simulation was touched: " +
                               describe_end(told.process));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::string& executable, Kind kind,
                                           const ProcessSetup& setup, std::uint64_t most_shared) {
    WorkerProcess worker;
    worker.kind_ = kind;
    ISOTICK_TRY(worker.open_channel());
    ISOTICK_TRY_ASSIGN(auto sockets, sockets_out_of_the_way());
    ISOTICK_TRY_ASSIGN(auto output, pipe_out_of_the_way());
    worker.socket_ = std::move(sockets.reading);
    worker.output_ = std::move(output.reading);
    if (!do_not_block(worker.output_)) {
        return system_failure("cannot make a pipe");
    }
    ISOTICK_TRY(
        worker.spawn(executable, setup, most_shared, sockets.writing.get(), output.writing.get()));
    return worker;
}

Result<void> WorkerProcess::open_channel() {
    for (FileDescriptor* file : {&request_, &response_}) {
        ISOTICK_TRY_ASSIGN(*file, out_of_the_way(anonymous_file()));
    }
    ISOTICK_TRY_ASSIGN(progress_file_, out_of_the_way(file_of_size(sizeof(preload::Page))));
    page_ = Shared<preload::Page>::make(progress_file_.get());
    if (page_.get() == nullptr) {
        return system_failure("cannot share memory with a worker");
    }
    if (preload::is_available()) {
        ISOTICK_TRY_ASSIGN(preload_, preload::library_file());
    }
    return {};
}

Result<void> WorkerProcess::spawn(const std::string& executable, const ProcessSetup& setup,
                                  std::uint64_t most_shared, int worker_socket, int worker_output) {
    Start start{.failure = "cannot start a worker process",
                .path = executable,
                .arguments = {executable, std::string(kWorkerArgument),
                              kind_ == Kind::fork_server ? "fork-server" : "fresh",
                              std::to_string(most_shared)},
                .environment = environment_for(setup),
                .files = {{worker_output, STDOUT_FILENO},
                          {worker_output, STDERR_FILENO},
                          {worker_socket, kWorkerSocket},
                          {progress_file_.get(), kWorkerProgress},
                          {request_.get(), kWorkerRequest},
                          {response_.get(), kWorkerResponse}},
                .without_input = true,
                .leads_group = true,
                .personality = setup.personality};
    ISOTICK_TRY_ASSIGN(process_, start_program(std::move(start)));
    return {};
}

// With the library behind what the user has loaded first.
std::vector<std::string> WorkerProcess::environment_for(const ProcessSetup& setup) const {
    std::vector<std::string> variables = environment_of(setup);
    if (preload_.get() >= 0) {
        constexpr const char* kFirst = "LD_PRELOAD";
        const std::string users = replace_variable(variables, kFirst, "");
        const std::string own = path_for_others(preload_.get());
        replace_variable(variables, kFirst, users.empty() ? own : users + ":" + own);
        replace_variable(variables, preload::kPageVariable, path_for_others(progress_file_.get()));
    }
    return variables;
}

Result<void> WorkerProcess::submit(const std::string& request) {
    page_.get()->reset();
    Progress& progress = this->progress();
    progress.tick = 0;
    progress.steps = 0;
    progress.ahead = 0;
    progress.cut_off = 0;
    progress.guard = -1;
    progress.activity = static_cast<std::uint32_t>(Activity::starting);
    printed_.clear();
    ISOTICK_TRY(put_content(response_.get(), ""));
    ISOTICK_TRY(put_content(request_.get(), request));
    if (!send_message(socket_.get(), kGo)) {
        return system_failure("cannot reach a worker process");
    }
    return {};
}

void WorkerProcess::drain_output() {
    std::array<char, 16384> block{};
    while (true) {
        const ssize_t count =
            uninterrupted([&] { return ::read(output_.get(), block.data(), block.size()); });
        if (count <= 0) {
            return;
        }
        printed_.add({block.data(), static_cast<std::size_t>(count)});
    }
}

std::optional<RequestEnd> WorkerProcess::take_end() {
    const int socket = socket_.get();
    const bool was_stopped = !alive();
    const bool readable = wait_to_read({&socket, 1}, 0);
    if (!readable && alive()) {
        return std::nullopt;
    }
    EndOfRequest told;
    if (!readable || !receive_message(socket, told)) {
        told = {};
        told.worker_ended = 1;
        told.was_parent = 1;
        told.process = stop();
    } else if (told.worker_ended != 0) {
        stop();
    }
    if (told.needs_fresh != 0 && kind_ == Kind::fork_server) {
        RequestEnd unanswered;
        unanswered.needs_fresh = true;
        return unanswered;
    }
    return make_end(told, was_stopped);
}

RequestEnd WorkerProcess::make_end(const EndOfRequest& told, bool was_stopped) {
    drain_output();
    RequestEnd end;
    end.output = printed_.text();
    const Progress& progress = this->progress();
    end.place = progress.place();
    end.ahead = progress.ahead != 0;
    end.left = told.left;
    if (told.process.well()) {
        auto response = get_content(response_.get(), kLongestResponse);
        const bool is_unread = !response && response.error().code == core::ErrorCode::io;
        end.response = is_unread ? failed_response(response.error()) : response.value_or("");
        end.finished = !end.response.empty();
        if (end.finished) {
            return end;
        }
    }
    if (auto why = shortage_in(progress, told, was_stopped)) {
        end.finished = true;
        end.response = failed_response({core::ErrorCode::io, *std::move(why), {}, {}, {}});
        return end;
    }
    end.cut_off = cut_off_by(progress, told.process) != 0;
    end.stopped = told.was_stopped != 0 || keeper_stopped_;
    end.reason = reason_of(told, end);
    end.stack = sites_of(page_.get()->last_stack);
    end.kills = told.shared_memory == 0 && was_killed_from_outside(told.process) ? 1 : 0;
    return end;
}

std::string WorkerProcess::reason_of(const EndOfRequest& told, const RequestEnd& end) const {
    if (told.shared_memory != 0) {
        return "had " + std::to_string(told.shared_memory >> 20U) +
               " MiB of shared memory and files in memory, more than --memory-limit allows,";
    }
    if (end.cut_off) {
        return "closed file descriptors that isotick needs";
    }
    const bool had_copy = told.was_parent != 0 && end.place.activity > Activity::loading;
    return (had_copy && was_killed_from_outside(told.process) ? "its parent process was " : "") +
           describe_end(told.process);
}

void WorkerProcess::ask_where_it_is() const {
    constexpr timespec kLookEvery{.tv_sec = 0, .tv_nsec = 2'000'000};
    constexpr int kMostLooks = 100;
    process_.signal(kAskForStack);
    for (int i = 0; i < kMostLooks && page_.get()->last_stack.count == 0; ++i) {
        nanosleep(&kLookEvery, nullptr);
    }
}

ProcessEnd WorkerProcess::stop() {
    if (alive()) {
        keeper_stopped_ = process_.is_stopped();
        end_ = process_.end(kKeeperPatience);
    }
    return end_;
}

std::uint64_t WorkerProcess::beats() const {
    return progress().beats;
}

WorkerProcess::~WorkerProcess() {
    stop();
}

}  // namespace isotick::harness
