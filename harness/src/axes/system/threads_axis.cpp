// The axis `threads`: `cores 3`, how many processors a simulation sees; `yields 7`, a seed of where
// threads wait a little when they meet others; or both.

#include "two_settings.hpp"

#include <array>

namespace isotick::harness {
namespace {

constexpr TwoSettings kSettings{"cores", 64, "yields", 9999};

core::Result<void> check_value(std::string_view value) {
    return kSettings.check(value);
}

std::string draw(core::Pcg32& random) {
    return kSettings.draw(random);
}

std::vector<std::string> plainer(std::string_view value) {
    return kSettings.plainer(value);
}

void to_system(std::string_view value, preload::Settings& settings) {
    std::tie(settings.cores, settings.yields) = kSettings.values(value);
}

constexpr std::array<std::string_view, 3> kElsewhere{"cores 1", "cores 7", "yields 1"};

}  // namespace

extern const Axis kThreadsAxis;
const Axis kThreadsAxis{.name = "threads",
                        .varies = "how many processors are seen, and how threads interleave",
                        .check = check_value,
                        .draw = draw,
                        .plainer = plainer,
                        .to_system = to_system,
                        .elsewhere = kElsewhere,
                        .stands_for = "the number of processors and the timing of threads"};

}  // namespace isotick::harness
