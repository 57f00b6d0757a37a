#include "worker_process.hpp"

#include "../platform/pipes.hpp"
#include "../preload/preload.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/worker/worker.hpp>

#include <algorithm>
#include <array>
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

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::string& executable, Kind kind,
                                           const ProcessSetup& setup) {
    WorkerProcess worker;
    ISOTICK_TRY(worker.open_channel());
    ISOTICK_TRY_ASSIGN(auto sockets, sockets_out_of_the_way());
    ISOTICK_TRY_ASSIGN(auto output, pipe_out_of_the_way());
    worker.socket_ = std::move(sockets.reading);
    worker.output_ = std::move(output.reading);
    (void)do_not_block(worker.output_);
    ISOTICK_TRY(worker.spawn(executable, kind, setup, sockets.writing.get(), output.writing.get()));
    return worker;
}

Result<void> WorkerProcess::open_channel() {
    for (FileDescriptor* file : {&progress_file_, &request_, &response_}) {
        ISOTICK_TRY_ASSIGN(*file, file_out_of_the_way());
    }
    page_ = Shared<preload::Page>::make(progress_file_.get());
    if (page_.get() == nullptr) {
        return system_failure("cannot share memory with a worker");
    }
    if (preload::is_available()) {
        ISOTICK_TRY_ASSIGN(preload_, preload::library_file());
    }
    return {};
}

Result<void> WorkerProcess::spawn(const std::string& executable, Kind kind,
                                  const ProcessSetup& setup, int worker_socket, int worker_output) {
    Start start{.failure = "cannot start a worker process",
                .path = executable,
                .arguments = {executable, std::string(kWorkerArgument),
                              kind == Kind::fork_server ? "fork-server" : "fresh"},
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
    if (!send_message(socket_.get(), kGo)) {
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
    if (const int socket = socket_.get(); !wait_to_read({&socket, 1}, 0)) {
        return std::nullopt;
    }
    EndOfRequest end;
    if (!receive_message(socket_.get(), end)) {
        const ProcessId running = progress().process;
        const bool had_copy = running > 0 && running != process_.id();
        const ProcessEnd process = wait_for_process();
        RequestEnd lost = make_end(process);
        if (lost.kills != 0 && had_copy) {
            lost.reason = "its parent process was " + describe_end(process);
        }
        return lost;
    }
    if (end.needs_fresh != 0) {
        RequestEnd unanswered;
        unanswered.needs_fresh = true;
        return unanswered;
    }
    return make_end(end.process);
}

RequestEnd WorkerProcess::make_end(const ProcessEnd& process) {
    drain_output();
    RequestEnd end;
    end.output = printed_.text();
    Progress& progress = this->progress();
    progress.process = 0;  // it is gone, and its number may soon be another's
    end.place = progress.place();
    end.ahead = progress.ahead != 0;
    if (progress.finished != 0 && process.well()) {
        auto response = get_content(response_.get());
        end.finished = response.has_value();
        end.response = response.value_or("");
        end.reason = response ? "" : response.error().message;
        return end;
    }
    end.cut_off = progress.cut_off != 0;
    end.reason = end.cut_off ? "closed file descriptors that isotick needs" : describe_end(process);
    end.kills = was_killed_from_outside(process) ? 1 : 0;
    return end;
}

ProcessEnd WorkerProcess::wait_for_process() {
    const ProcessId id = process_.id();
    const ProcessEnd end = process_.wait();
    kill_group(id);  // what it may have started and left behind
    return end;
}

std::uint64_t WorkerProcess::beats() const {
    return progress().beats;
}

void WorkerProcess::kill_request() {
    const ProcessId copy = progress().process;
    if (copy > 0) {
        kill_with_group(copy);
    } else if (alive()) {
        kill_with_group(process_.id());
    }
}

WorkerProcess::~WorkerProcess() {
    if (alive()) {
        kill_request();
        kill_with_group(process_.id());
        wait_for_process();
    }
}

}  // namespace isotick::harness
