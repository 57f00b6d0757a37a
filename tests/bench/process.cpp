#include "process.hpp"

#include <chrono>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

extern char** environ;

namespace isotick::bench {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double cpu_seconds(const rusage& used) {
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

pid_t start(const std::vector<std::string>& command) {
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    }
    pid_t process = 0;
    const int failure =
        posix_spawn(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        throw std::runtime_error("cannot start " + command.front());
    }
    return process;
}

pid_t fork_to(const std::function<void()>& work) {
    const pid_t process = fork();
    if (process < 0) {
        throw std::runtime_error("cannot fork");
    }
    if (process == 0) {
        try {
            work();
            _exit(0);
        } catch (...) {
            _exit(1);
        }
    }
    return process;
}

}  // namespace

Cost run(const std::vector<std::string>& command, int wanted) {
    const double begin = wall_seconds();
    const pid_t process = start(command);
    int status = 0;
    rusage used{};
    wait4(process, &status, 0, &used);
    const double end = wall_seconds();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted) {
        std::string text;
        for (const std::string& word : command) {
            text += word + " ";
        }
        throw std::runtime_error(text + "ended with status " + std::to_string(status) +
                                 " instead of exit code " + std::to_string(wanted));
    }
    return {cpu_seconds(used), end - begin, static_cast<double>(used.ru_maxrss) / 1024};
}

double wall_of_both(const std::function<void()>& one, const std::function<void()>& other) {
    const double begin = wall_seconds();
    const pid_t processes[] = {fork_to(one), fork_to(other)};
    bool good = true;
    for (const pid_t process : processes) {
        int status = 0;
        good = waitpid(process, &status, 0) == process && status == 0 && good;
    }
    if (!good) {
        throw std::runtime_error("a forked process failed");
    }
    return wall_seconds() - begin;
}

std::vector<std::string> isotick_command(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{ISOTICK_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

double own_cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return cpu_seconds(used);
}

double wall_seconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

}  // namespace isotick::bench
