// The axis `fpenv`: how the processor rounds when the host calls, and whether it takes numbers too
// small to be normal for zero. Drivers, audio code and plug-ins change that in the middle of a
// game. It is not drawn by default: whoever computes with floating-point numbers and does not set
// these words at the start of a step gets other bits, and many leave that to their host.

#include "../axis.hpp"
#include "../call_setup.hpp"

#include <algorithm>
#include <array>

namespace isotick::harness {
namespace {

struct Change {
    std::string_view name;
    FloatChange change;
};

// The plainest first: what most games meet.
constexpr std::array kChanges{
    Change{"flush-denormals", FloatChange::flush_denormals}, Change{"upward", FloatChange::upward},
    Change{"downward", FloatChange::downward}, Change{"toward-zero", FloatChange::toward_zero},
    Change{"x87-single", FloatChange::x87_single}};

const Change* find_fpenv(std::string_view value) {
    const auto* const found = std::ranges::find(kChanges, value, &Change::name);
    return found == kChanges.end() ? nullptr : found;
}

core::Result<void> check_fpenv(std::string_view value) {
    return find_fpenv(value) != nullptr ? core::Result<void>()
                                        : core::fail(core::ErrorCode::usage,
                                                     "expected flush-denormals, upward, downward, "
                                                     "toward-zero or x87-single, not '" +
                                                         std::string(value) + "'");
}

std::string draw_fpenv(core::Pcg32& random) {
    return std::string(kChanges[random.below(static_cast<std::uint32_t>(kChanges.size()))].name);
}

std::string why_no_fpenv(std::string_view value) {
    return FloatControl::now().with(find_fpenv(value)->change) ? ""
                                                               : "this processor has no such mode";
}

void fpenv_to_calls(std::string_view value, CallSetup& calls) {
    calls.float_change = find_fpenv(value)->change;
}

}  // namespace

extern const Axis kFpenvAxis;
const Axis kFpenvAxis{.name = "fpenv",
                      .varies = "how the processor rounds when the host calls",
                      .check = check_fpenv,
                      .draw = draw_fpenv,
                      .not_with = kCalledFromAfar,
                      .why_not_here = why_no_fpenv,
                      .to_calls = fpenv_to_calls,
                      .begins_on_the_way = true};

}  // namespace isotick::harness
