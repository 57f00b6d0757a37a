// The axis `hitch`: milliseconds that pass before some steps, which a schedule only tells of: the
// clock goes on, and other threads. It is not drawn by default since it takes that time.

#include "../axis.hpp"
#include "../call_setup.hpp"

namespace isotick::harness {
namespace {

constexpr std::uint64_t kMostMs = 20;

core::Result<void> check_value(std::string_view value) {
    return parse_count(value, kMostMs).and_then([](std::uint64_t count) {
        return count > 0 ? core::Result<void>()
                         : core::fail(core::ErrorCode::usage, "expected at least 1, not 0");
    });
}

std::string draw(core::Pcg32& random) {
    return std::to_string(1 + random.below(kMostMs));
}

std::vector<std::string> plainer(std::string_view value) {
    std::vector<std::string> values;
    const std::uint64_t ms = parse_count(value, kMostMs).value_or(0);
    for (std::uint64_t shorter = 1; shorter < ms; shorter *= 2) {
        values.push_back(std::to_string(shorter));
    }
    return values;
}

void to_calls(std::string_view value, CallSetup& calls) {
    calls.hitch = std::chrono::milliseconds(parse_count(value, kMostMs).value_or(0));
}

}  // namespace

extern const Axis kHitchAxis;
const Axis kHitchAxis{.name = "hitch",
                      .varies = "milliseconds that pass before every tenth step",
                      .check = check_value,
                      .draw = draw,
                      .not_with = kCalledFromAfar,
                      .plainer = plainer,
                      .to_calls = to_calls};

}  // namespace isotick::harness
