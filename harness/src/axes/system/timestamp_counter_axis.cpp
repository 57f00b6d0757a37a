// The axis `timestamp-counter`: a seed of what the instructions rdtsc and rdtscp read. A trial with
// it is the only one that notices that a simulation reads the counter at all.

#include "../axis.hpp"

#include <array>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/prctl.h>
#endif

namespace isotick::harness {
namespace {

void to_system(std::string_view value, preload::Settings& settings) {
    settings.counter = parse_count(value, UINT64_MAX).value_or(0);
}

bool is_felt(std::string_view) {
#if defined(__x86_64__) && defined(__linux__)
    int mode = 0;
    return prctl(PR_GET_TSC, &mode) == 0;
#else
    return false;
#endif
}

constexpr std::array<std::string_view, 1> kElsewhere{"1"};

}  // namespace

extern const Axis kTimestampCounterAxis;
const Axis kTimestampCounterAxis{.name = "timestamp-counter",
                                 .varies = "the processor's timestamp counter",
                                 .check = check_seed,
                                 .draw = draw_seed,
                                 .by_chance = true,
                                 .is_felt = is_felt,
                                 .source = Source::counter,
                                 .source_seen_only_with_it = true,
                                 .to_system = to_system,
                                 .begins_on_the_way = true,
                                 .elsewhere = kElsewhere,
                                 .stands_for = "the processor's timestamp counter"};

}  // namespace isotick::harness
