// The axis `stack`: the byte that fills the stack below the caller before each call, so that local
// variables which nothing has set begin as something else.

#include "../axis.hpp"
#include "../call_setup.hpp"

namespace isotick::harness {
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
                      .begins_on_the_way = true};

}  // namespace isotick::harness
