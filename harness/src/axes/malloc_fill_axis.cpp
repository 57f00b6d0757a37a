// The axis `malloc-fill`: a number from which glibc's malloc makes the bytes that it fills what it
// hands out and takes back with. Other allocators know nothing of it.

#include "axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kMost = 255;

core::Result<void> check_value(std::string_view value) {
    return parse_count(value, kMost).map([](std::uint64_t) {});
}

std::string draw(core::Pcg32& random) {
    return std::to_string(1 + random.below(kMost));
}

void to_process(std::string_view value, ProcessSetup& process) {
    process.variables.emplace_back("MALLOC_PERTURB_", value);
}

constexpr std::array<std::string_view, 1> kElsewhere{"165"};

}  // namespace

extern const Axis kMallocFillAxis;
const Axis kMallocFillAxis{.name = "malloc-fill",
                           .varies = "the bytes in memory that malloc hands out (glibc)",
                           .check = check_value,
                           .draw = draw,
                           .is_felt = is_felt_by_malloc,
                           .to_process = to_process,
                           .elsewhere = kElsewhere,
                           .stands_for = "uninitialized heap memory"};

}  // namespace isotick::harness
