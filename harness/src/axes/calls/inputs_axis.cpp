// The axis `inputs`: a number from which it is drawn where the inputs of each step lie in memory,
// how they are aligned and what lies behind them. Behind the call that memory is overwritten and
// freed. Their order is not varied: a step has one entry for each player, in order.

#include "../axis.hpp"
#include "../call_setup.hpp"

namespace isotick::harness {
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
                       .begins_on_the_way = true};

}  // namespace isotick::harness
