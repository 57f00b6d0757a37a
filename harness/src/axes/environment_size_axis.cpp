// The axis `environment-size`: bytes of padding in the environment of the trial's process. They
// move the stack, and change what a program sees that copies or counts its environment.

#include "../platform/processes/process.hpp"
#include "axis.hpp"

#include <unistd.h>

namespace isotick::harness {
namespace {

// A single variable can hold 128 KiB on Linux.
constexpr std::uint64_t kMostBytes = 65536;

core::Result<void> check_environment_size(std::string_view value) {
    return parse_count(value, kMostBytes).map([](std::uint64_t) {});
}

std::string draw_environment_size(core::Pcg32& random) {
    return std::to_string(1 + random.below(kMostBytes));
}

std::vector<std::string> plainer_environment_size(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t bytes = parse_count(value, kMostBytes).value_or(0);
    for (std::uint64_t fewer = 1; fewer < bytes; fewer *= 2) {
        values.push_back(std::to_string(fewer));
    }
    return values;
}

// A program is started with so many bytes of arguments and environment at most.
std::string why_no_environment_size(std::string_view value) {
    constexpr std::size_t kOthers = 16384;  // what workers are started with besides
    std::size_t size = kOthers + parse_count(value, kMostBytes).value_or(0);
    for (const std::string& variable : own_environment()) {
        size += variable.size() + 1 + sizeof(char*);
    }
    const long most = sysconf(_SC_ARG_MAX);
    return most < 0 || size <= static_cast<std::size_t>(most)
               ? ""
               : "the system takes no larger environment (ulimit -s)";
}

void environment_size_to_process(std::string_view value, ProcessSetup& process) {
    const auto bytes = static_cast<std::size_t>(parse_count(value, kMostBytes).value_or(0));
    process.variables.emplace_back("ISOTICK_PADDING", std::string(bytes, 'x'));
}

}  // namespace

extern const Axis kEnvironmentSizeAxis;
const Axis kEnvironmentSizeAxis{.name = "environment-size",
                                .varies = "bytes of padding in the environment of the process",
                                .check = check_environment_size,
                                .draw = draw_environment_size,
                                .by_default = true,
                                .why_not_here = why_no_environment_size,
                                .plainer = plainer_environment_size,
                                .to_process = environment_size_to_process};

}  // namespace isotick::harness
