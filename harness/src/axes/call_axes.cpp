// Axes that change how a simulation is called: fpenv, hitch, inputs, stack.

#include "axis.hpp"

#include <algorithm>
#include <array>

namespace isotick::harness {
namespace {

// The axis `fpenv`: how the processor rounds when the host calls, and whether it takes numbers too
// small to be normal for zero. Drivers, audio code and plug-ins change that in the middle of a
// game. It is not drawn by default: whoever computes with floating-point numbers and does not set
// these words at the start of a step gets other bits, and many leave that to their host.

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
                      .can_start_mid_trial = true};

// The axis `hitch`: milliseconds that pass before some steps, which a schedule only tells of: the
// clock goes on, and other threads. It is not drawn by default since it takes that time.

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

// The axis `inputs`: a number from which it is drawn where the inputs of each step lie in memory,
// how they are aligned and what lies behind them. Behind the call that memory is overwritten and
// freed. Their order is not varied: a step has one entry for each player, in order.

namespace {

constexpr std::uint64_t kInputsMost = 65535;

core::Result<void> check_inputs(std::string_view value) {
    return parse_count(value, kInputsMost).map([](std::uint64_t) {});
}

std::string draw_inputs(core::Pcg32& random) {
    return std::to_string(1 + random.below(kInputsMost));
}

void inputs_to_calls(std::string_view value, CallSetup& calls) {
    calls.inputs_seed = parse_count(value, kInputsMost).value_or(0);
}

}  // namespace

extern const Axis kInputsAxis;
const Axis kInputsAxis{.name = "inputs",
                       .varies = "where in memory the inputs of a step lie, for one call",
                       .check = check_inputs,
                       .draw = draw_inputs,
                       .by_default = true,
                       .not_with = kCalledFromAfar,
                       .to_calls = inputs_to_calls,
                       .can_start_mid_trial = true};

// The axis `stack`: the byte that fills the stack below the caller before each call, so that local
// variables which nothing has set begin as something else.

namespace {

constexpr std::uint64_t kStackMost = 255;

core::Result<void> check_stack(std::string_view value) {
    return parse_count(value, kStackMost).map([](std::uint64_t) {});
}

std::string draw_stack(core::Pcg32& random) {
    return std::to_string(1 + random.below(kStackMost));
}

void stack_to_calls(std::string_view value, CallSetup& calls) {
    calls.stack_fill = static_cast<std::uint8_t>(parse_count(value, kStackMost).value_or(0));
}

}  // namespace

extern const Axis kStackAxis;
const Axis kStackAxis{.name = "stack",
                      .varies = "the bytes on the stack that calls find below their caller",
                      .check = check_stack,
                      .draw = draw_stack,
                      .by_default = true,
                      .not_with = kCalledFromAfar,
                      .to_calls = stack_to_calls,
                      .can_start_mid_trial = true};

}  // namespace isotick::harness
