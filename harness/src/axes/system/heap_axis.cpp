// The axis `heap`: `fill 165`, a number from which glibc's malloc makes the bytes that it fills
// what it hands out and takes back with; `order 7`, a seed of where blocks lie; or both.

#include "two_settings.hpp"

#include <array>

namespace isotick::harness {
namespace {

constexpr TwoSettings kHeapSettings{"fill", 255, "order", 9999};

core::Result<void> check_heap(std::string_view value) {
    return kHeapSettings.check(value);
}

std::string draw_heap(core::Pcg32& random) {
    return kHeapSettings.draw(random);
}

std::vector<std::string> plainer_heap(std::string_view value) {
    return kHeapSettings.plainer(value);
}

void heap_to_system(std::string_view value, preload::Settings& settings) {
    std::tie(settings.heap_fill, settings.heap_order) = kHeapSettings.values(value);
}

constexpr std::array<std::string_view, 3> kHeapElsewhere{"fill 165", "order 1", "order 2"};

}  // namespace

extern const Axis kHeapAxis;
const Axis kHeapAxis{.name = "heap",
                     .varies = "what fresh memory holds, and where blocks lie",
                     .check = check_heap,
                     .draw = draw_heap,
                     .by_default = true,
                     .plainer = plainer_heap,
                     .to_system = heap_to_system,
                     .begins_on_the_way = true,
                     .elsewhere = kHeapElsewhere,
                     .stands_for = "uninitialized heap memory and the order of addresses"};

}  // namespace isotick::harness
