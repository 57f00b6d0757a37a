// The axis `environment-size`: bytes of padding in the environment of the trial's process. They
// move the stack, and change what a program sees that copies or counts its environment.

#include "axis.hpp"

namespace isotick::harness {
namespace {

// A single variable can hold 128 KiB on Linux.
constexpr std::uint64_t kMostBytes = 65536;

core::Result<void> check_value(std::string_view value) {
    return parse_count(value, kMostBytes).map([](std::uint64_t) {});
}

std::string draw(core::Pcg32& random) {
    return std::to_string(1 + random.below(kMostBytes));
}

std::vector<std::string> plainer(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t bytes = parse_count(value, kMostBytes).value_or(0);
    for (std::uint64_t fewer = 1; fewer < bytes; fewer *= 2) {
        values.push_back(std::to_string(fewer));
    }
    return values;
}

void to_process(std::string_view value, ProcessSetup& process) {
    const auto bytes = static_cast<std::size_t>(parse_count(value, kMostBytes).value_or(0));
    process.variables.emplace_back("ISOTICK_PADDING", std::string(bytes, 'x'));
}

}  // namespace

extern const Axis kEnvironmentSizeAxis;
const Axis kEnvironmentSizeAxis{.name = "environment-size",
                                .varies = "bytes of padding in the environment of the process",
                                .check = check_value,
                                .draw = draw,
                                .by_default = true,
                                .plainer = plainer,
                                .to_process = to_process};

}  // namespace isotick::harness
