// The axis `hitch`: milliseconds that pass before some steps, which a schedule only tells of: the
// clock goes on, and other threads. It is not drawn by default since it takes that time.

#include "../axis.hpp"
#include "../call_setup.hpp"

namespace isotick::harness {
namespace {

constexpr std::uint64_t kMostMs = 20;

core::Result<void> check_hitch(std::string_view value) {
    return parse_count(value, kMostMs).and_then([](std::uint64_t count) {
        return count > 0 ? core::Result<void>()
                         : core::fail(core::ErrorCode::usage, "expected at least 1, not 0");
    });
}

std::string draw_hitch(core::Pcg32& random) {
    return std::to_string(1 + random.below(kMostMs));
}

std::vector<std::string> plainer_hitch(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t ms = parse_count(value, kMostMs).value_or(0);
    for (std::uint64_t shorter = 1; shorter < ms; shorter *= 2) {
        values.push_back(std::to_string(shorter));
    }
    return values;
}

void hitch_to_calls(std::string_view value, CallSetup& calls) {
    calls.hitch = std::chrono::milliseconds(parse_count(value, kMostMs).value_or(0));
}

}  // namespace

extern const Axis kHitchAxis;
const Axis kHitchAxis{.name = "hitch",
                      .varies = "milliseconds that pass before every tenth step",
                      .check = check_hitch,
                      .draw = draw_hitch,
                      .not_with = kCalledFromAfar,
                      .plainer = plainer_hitch,
                      .to_calls = hitch_to_calls};

}  // namespace isotick::harness
