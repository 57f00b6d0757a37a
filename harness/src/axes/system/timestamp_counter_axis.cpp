// The axis `timestamp-counter`: a seed of what the instructions rdtsc and rdtscp read. A trial with
// it is the only one that notices that a simulation reads the counter at all.

#include "../../platform/processes/process.hpp"
#include "../axis.hpp"

#include <array>

#if defined(__x86_64__) && defined(__linux__)
#include <csignal>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#endif

namespace isotick::harness {
namespace {

void timestamp_counter_to_system(std::string_view value, preload::Settings& settings) {
    settings.counter = parse_count(value, UINT64_MAX).value_or(0);
}

#if defined(__x86_64__) && defined(__linux__)

// Some virtual machines answer the instruction all the same.
bool is_refused_when_told() {
    auto copy = copy_this_process();
    if (copy && copy->id() == 0) {
        const rlimit none{};
        setrlimit(RLIMIT_CORE, &none);
        std::signal(SIGSEGV, SIG_DFL);
        sigset_t none_blocked;
        sigemptyset(&none_blocked);
        sigprocmask(SIG_SETMASK, &none_blocked, nullptr);
        if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0) {
            [[maybe_unused]] const std::uint64_t counter = __builtin_ia32_rdtsc();
        }
        _exit(0);
    }
    return copy && copy->wait().signal == SIGSEGV;
}

#endif

std::string why_no_timestamp_counter(std::string_view) {
#if defined(__x86_64__) && defined(__linux__)
    int mode = 0;
    if (prctl(PR_GET_TSC, &mode) != 0) {
        return "the system does not permit it";
    }
    static const bool is_refused = is_refused_when_told();
    return is_refused ? "" : "the processor answers it even where it is told to refuse";
#else
    return "this processor has none, or others read it unnoticed";
#endif
}

constexpr std::array<std::string_view, 1> kTimestampCounterElsewhere{"1"};

}  // namespace

extern const Axis kTimestampCounterAxis;
const Axis kTimestampCounterAxis{.name = "timestamp-counter",
                                 .varies = "the processor's timestamp counter",
                                 .check = check_seed,
                                 .draw = draw_seed,
                                 .by_chance = true,
                                 .why_not_here = why_no_timestamp_counter,
                                 .source = Source::counter,
                                 .source_seen_only_with_it = true,
                                 .to_system = timestamp_counter_to_system,
                                 .begins_on_the_way = true,
                                 .elsewhere = kTimestampCounterElsewhere,
                                 .stands_for = "the processor's timestamp counter"};

}  // namespace isotick::harness
