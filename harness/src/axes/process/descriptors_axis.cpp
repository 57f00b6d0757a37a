// The axis `descriptors`: so many more files are open, so that those that the simulation opens have
// other numbers.

#include "../axis.hpp"
#include "../call_setup.hpp"

#include <sys/resource.h>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kMost = 200;

core::Result<void> check_value(std::string_view value) {
    return parse_count(value, kMost).map([](std::uint64_t) {});
}

std::string draw(core::Pcg32& random) {
    return std::to_string(1 + random.below(kMost));
}

// The simulation wants some, too.
bool is_felt(std::string_view) {
    constexpr rlim_t kPlenty = 512;
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= kPlenty;
}

std::vector<std::string> plainer(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t count = parse_count(value, kMost).value_or(0);
    for (std::uint64_t fewer = 1; fewer < count; fewer *= 2) {
        values.push_back(std::to_string(fewer));
    }
    return values;
}

void to_calls(std::string_view value, CallSetup& calls) {
    calls.descriptors = static_cast<std::uint32_t>(parse_count(value, kMost).value_or(0));
}

}  // namespace

extern const Axis kDescriptorsAxis;
const Axis kDescriptorsAxis{.name = "descriptors",
                            .varies = "how many more files are open",
                            .check = check_value,
                            .draw = draw,
                            .by_default = true,
                            .is_felt = is_felt,
                            .plainer = plainer,
                            .to_calls = to_calls};

}  // namespace isotick::harness
