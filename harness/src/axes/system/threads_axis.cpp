// The axis `threads`: `cores 3`, how many processors a simulation sees; `yields 7`, a seed of where
// threads wait a little when they meet others; or both.

#include "two_settings.hpp"

#include <array>

namespace isotick::harness {
namespace {

constexpr TwoSettings kThreadsSettings{"cores", 64, "yields", 9999};

core::Result<void> check_threads(std::string_view value) {
    return kThreadsSettings.check(value);
}

std::string draw_threads(core::Pcg32& random) {
    return kThreadsSettings.draw(random);
}

std::vector<std::string> plainer_threads(std::string_view value) {
    return kThreadsSettings.plainer(value);
}

void threads_to_system(std::string_view value, preload::Settings& settings) {
    std::tie(settings.cores, settings.yields) = kThreadsSettings.values(value);
}

constexpr std::array<std::string_view, 3> kThreadsElsewhere{"cores 1", "cores 7", "yields 1"};

}  // namespace

extern const Axis kThreadsAxis;
const Axis kThreadsAxis{.name = "threads",
                        .varies = "how many processors are seen, and how threads interleave",
                        .check = check_threads,
                        .draw = draw_threads,
                        .plainer = plainer_threads,
                        .to_system = threads_to_system,
                        .elsewhere = kThreadsElsewhere,
                        .stands_for = "the number of processors and the timing of threads"};

}  // namespace isotick::harness
