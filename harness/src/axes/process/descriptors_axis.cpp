// The axis `descriptors`: so many more files are open, so that those that the simulation opens have
// other numbers.

#include "../axis.hpp"
#include "../call_setup.hpp"

#include <sys/resource.h>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kDescriptorsMost = 200;

core::Result<void> check_descriptors(std::string_view value) {
    return parse_count(value, kDescriptorsMost).map([](std::uint64_t) {});
}

std::string draw_descriptors(core::Pcg32& random) {
    return std::to_string(1 + random.below(kDescriptorsMost));
}

// The simulation wants some, too.
std::string why_no_descriptors(std::string_view) {
    constexpr rlim_t kPlenty = 512;
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= kPlenty
               ? ""
               : "fewer than " + std::to_string(kPlenty) + " files may be open (ulimit -n)";
}

std::vector<std::string> plainer_descriptors(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t count = parse_count(value, kDescriptorsMost).value_or(0);
    for (std::uint64_t fewer = 1; fewer < count; fewer *= 2) {
        values.push_back(std::to_string(fewer));
    }
    return values;
}

void descriptors_to_calls(std::string_view value, CallSetup& calls) {
    calls.descriptors =
        static_cast<std::uint32_t>(parse_count(value, kDescriptorsMost).value_or(0));
}

}  // namespace

extern const Axis kDescriptorsAxis;
const Axis kDescriptorsAxis{.name = "descriptors",
                            .varies = "how many more files are open",
                            .check = check_descriptors,
                            .draw = draw_descriptors,
                            .by_default = true,
                            .why_not_here = why_no_descriptors,
                            .plainer = plainer_descriptors,
                            .to_calls = descriptors_to_calls};

}  // namespace isotick::harness
