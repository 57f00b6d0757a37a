// The axis `malloc-threshold`: the number of bytes from which glibc's malloc gives a block a
// mapping of its own, and keeps no freed blocks at hand for smaller ones. Blocks then lie in
// another order, and freed addresses come again later or never.

#include "axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

// Below, a simulation with many blocks runs out of mappings; above, malloc does so by itself.
constexpr std::uint64_t kLeast = 1024;
constexpr std::uint64_t kMost = 65536;

core::Result<void> check_value(std::string_view value) {
    return parse_count(value, kMost).and_then([](std::uint64_t bytes) {
        return bytes >= kLeast ? core::Result<void>()
                               : core::fail(core::ErrorCode::usage,
                                            "expected at least 1024, not " + std::to_string(bytes));
    });
}

std::string draw(core::Pcg32& random) {
    return std::to_string(kLeast + random.below(kMost - kLeast + 1));
}

std::vector<std::string> plainer(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t bytes = parse_count(value, kMost).value_or(kMost);
    for (std::uint64_t more = kMost; more > bytes; more /= 2) {
        values.push_back(std::to_string(more));
    }
    return values;
}

void to_process(std::string_view value, ProcessSetup& process) {
    process.tune("glibc.malloc.mmap_threshold", value);
    process.tune("glibc.malloc.tcache_count", "0");
}

constexpr std::array<std::string_view, 1> kElsewhere{"4096"};

}  // namespace

extern const Axis kMallocThresholdAxis;
const Axis kMallocThresholdAxis{
    .name = "malloc-threshold",
    .varies = "the size from which malloc maps a block by itself (glibc)",
    .check = check_value,
    .draw = draw,
    .is_felt = is_felt_by_malloc,
    .plainer = plainer,
    .to_process = to_process,
    .elsewhere = kElsewhere,
    .stands_for = "the order of addresses on the heap"};

}  // namespace isotick::harness
