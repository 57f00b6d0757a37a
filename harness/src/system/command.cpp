#include "command.hpp"

#include "cleanup_process.hpp"
#include "files.hpp"
#include "process.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <sys/stat.h>

// NOLINTNEXTLINE(readability-redundant-declaration)
extern char** environ;

namespace isotick::harness {
namespace {

using core::Result;
using SteadyClock = std::chrono::steady_clock;

constexpr int kCannotRun = 127;

// What it has for temporary files. Where there is no room for that, it finds so itself.
std::vector<std::string> environment_of(const Command& command,
                                        const Result<TemporaryFolder>& folder) {
    std::vector<std::string> variables = command.environment;
    if (folder) {
        std::erase_if(variables, [](const std::string& one) { return one.starts_with("TMPDIR="); });
        variables.push_back("TMPDIR=" + folder->path());
    }
    return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) {
        result.push_back(const_cast<char*>(text.c_str()));  // exec changes none of them
    }
    result.push_back(nullptr);
    return result;
}

// Only what is safe between fork and exec.
[[noreturn]] void become(const Command& command, char** words, char** environment, int nothing) {
    setsid();
    end_with_us(own_process_id());
    sigset_t signals;
    sigemptyset(&signals);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    limit_memory(command.memory_limit);
    const bool ready = dup2(nothing, STDIN_FILENO) >= 0 &&
                       dup2(command.output < 0 ? nothing : command.output, STDOUT_FILENO) >= 0 &&
                       dup2(command.errors < 0 ? nothing : command.errors, STDERR_FILENO) >= 0 &&
                       (command.folder.empty() || chdir(command.folder.c_str()) == 0);
    if (ready) {
        environ = environment;
        execvp(words[0], words);
    }
    _exit(kCannotRun);
}

bool is_too_long(const Command& command) {
    struct stat about {};
    return command.most_output != 0 && fstat(command.output, &about) == 0 &&
           static_cast<std::uint64_t>(about.st_size) > command.most_output;
}

// Why it must not go on; `ended`: it may.
CommandEnd reason_to_end(const Command& command, SteadyClock::time_point began) {
    if (command.timeout_ms != 0 &&
        SteadyClock::now() - began > std::chrono::milliseconds(command.timeout_ms)) {
        return CommandEnd::timed_out;
    }
    if (is_too_long(command)) {
        return CommandEnd::printed_too_much;
    }
    return command.stop && command.stop() ? CommandEnd::stopped : CommandEnd::ended;
}

CommandResult wait_for(Process process, const Command& command) {
    const auto began = SteadyClock::now();
    auto pause = std::chrono::microseconds(200);
    CommandResult result;
    while (!process.has_ended() && result.end == CommandEnd::ended) {
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(20'000));
        result.end = reason_to_end(command, began);
    }
    process.kill();  // what it may have left behind, too
    result.process = process.wait();
    if (result.end == CommandEnd::ended && is_too_long(command)) {
        result.end = CommandEnd::printed_too_much;
    }
    return result;
}

}  // namespace

tl::unexpected<core::Error> interrupted() {
    return core::fail(core::ErrorCode::io,
                      "interrupted; the same command goes on with the builds that are there");
}

std::vector<std::string> environment_without(std::string_view left_out) {
    std::vector<std::string> variables = own_environment();
    std::erase_if(variables,
                  [&](const std::string& variable) { return variable.starts_with(left_out); });
    return variables;
}

Result<CommandResult> run_command(const Command& command) {
    ISOTICK_TRY(start_cleanup_process());
    const FileDescriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto temporary = TemporaryFolder::make(temporary_place(), "isotick-", 0700);
    const auto words = pointers(command.words);
    const auto variables = environment_of(command, temporary);
    const auto environment = pointers(variables);
    auto process =
        nothing.get() < 0 ? system_failure("cannot open /dev/null") : copy_this_process();
    if (!process) {
        process.error().message =
            "cannot start " + command.words.front() + ": " + process.error().message;
        return tl::unexpected(process.error());
    }
    if (process->id() == 0) {
        become(command, const_cast<char**>(words.data()), const_cast<char**>(environment.data()),
               nothing.get());
    }
    return wait_for(*std::move(process), command);
}

}  // namespace isotick::harness
