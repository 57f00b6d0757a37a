#include "plugin_guard.hpp"

#include "../../src/platform/processes/copied_process.hpp"
#include "options.hpp"

#include <cstdio>
#include <string>

namespace isotick::program {
namespace {

constexpr int kCrashed = 5;

}  // namespace

int run_guarded(const std::function<int()>& body, Console& console) {
    harness::Progress unseen;
    const auto end = harness::run_in_copy(unseen, {.hang_ms = 0}, [&](harness::Progress&) {
        int code = body();
        if (auto flushed = console.flush(); !flushed) {
            code = fail_with(flushed.error(), console);
        }
        std::fflush(nullptr);
        return std::to_string(code);
    });
    if (!end) {
        return fail_with(end.error(), console);
    }
    if (end->finished) {
        return std::stoi(end->answer);
    }
    const int signal = end->process.signal;
    console.error(
        (harness::was_killed_from_outside(end->process)
             ? "the process that describes inputs with the plug-in was killed from outside: "
             : "the plug-in ended its process while describing an input: ") +
        (signal != 0 ? harness::signal_name(signal) : "it called exit"));
    return kCrashed;
}

}  // namespace isotick::program
