#include "plugin_guard.hpp"

#include "../../src/platform/posix.hpp"
#include "options.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include <sys/wait.h>

namespace isotick::program {
namespace {

constexpr int kCrashed = 5;

[[noreturn]] void run_child(const std::function<int()>& body, Console& console, int done) {
    int code = body();
    if (auto flushed = console.flush(); !flushed) {
        code = fail_with(flushed.error(), console);
    }
    std::fflush(nullptr);
    const char ended = 1;
    _exit(write(done, &ended, 1) == 1 ? code : kCrashed);
}

// Whether the child came to its end, rather than being ended.
bool came_to_its_end(int done) {
    char ended = 0;
    ssize_t count = 0;
    do {
        count = read(done, &ended, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

int system_failure(const char* what, Console& console) {
    return fail_with(
        {core::ErrorCode::io, std::string(what) + ": " + std::strerror(errno), {}, {}, {}},
        console);
}

}  // namespace

int run_guarded(const std::function<int()>& body, Console& console) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return system_failure("cannot make a pipe", console);
    }
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        return system_failure("cannot fork", console);
    }
    if (child == 0) {
        harness::die_with_parent();
        if (getppid() != parent) {
            _exit(kCrashed);
        }
        close(ends[0]);
        run_child(body, console, ends[1]);
    }
    close(ends[1]);
    const bool ended = came_to_its_end(ends[0]);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (ended && WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    console.error(
        (harness::was_killed_from_outside(status)
             ? "the process that describes inputs with the plug-in was killed from outside: "
             : "the plug-in ended its process while describing an input: ") +
        std::string(WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it called exit"));
    return kCrashed;
}

}  // namespace isotick::program
