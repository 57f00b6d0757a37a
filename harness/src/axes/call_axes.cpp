// Axes that change how a simulation is called: fpenv, hitch, inputs, stack.

#include "axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

// The axis `fpenv`: how the processor rounds when the host calls, and whether it takes numbers too
// small to be normal for zero. Drivers, audio code and plug-ins change that in the middle of a
// game. It is drawn only where it is asked for by name: code that computes with floating-point
// numbers and does not set these words at the start of a step gets other bits, and nearly all code
// leaves that to its host. What most games meet comes first.

constexpr std::array<std::string_view, 5> kFpenvWords{"flush-denormals", "upward", "downward",
                                                      "toward-zero", "x87-single"};
constexpr std::array kFpenvChanges{FloatChange::flush_denormals, FloatChange::upward,
                                   FloatChange::downward, FloatChange::toward_zero,
                                   FloatChange::x87_single};

std::string why_no_fpenv(const Given& value) {
    return FloatControl::now().with(kFpenvChanges[value.word]) ? ""
                                                               : "this processor has no such mode";
}

}  // namespace

extern const Axis kFpenvAxis;
const Axis kFpenvAxis{
    .name = "fpenv",
    .varies = "how the processor rounds when the host calls",
    .words = kFpenvWords,
    .by_name_only = true,
    .not_with = kCalledFromAfar,
    .why_not_here = why_no_fpenv,
    .to_calls = [](const Given& value,
                   CallSetup& calls) { calls.float_change = kFpenvChanges[value.word]; },
    .can_start_mid_trial = true,
    .look_at =
        "step, which computes in whatever rounding mode its caller left: set the mode when "
        "it begins, restore it when it ends",
    .stands_for = "how the processor rounds"};

// The axis `hitch`: milliseconds that pass before some steps, which a schedule only tells of: the
// clock goes on, and other threads. It is not drawn by default since it takes that time.

extern const Axis kHitchAxis;
const Axis kHitchAxis{
    .name = "hitch",
    .varies = "milliseconds that pass before every tenth step",
    .numbers = Numbers{.least = 1, .most = 20, .plainer_by = 2},
    .not_with = kCalledFromAfar,
    .to_calls = [](const Given& value,
                   CallSetup& calls) { calls.hitch = std::chrono::milliseconds(value.number); },
    .look_at =
        "clocks, timers and other threads, which go on while a frame "
        "takes long",
    .stands_for = "real time that passes before a step"};

// The axis `inputs`: a number from which it is drawn where the inputs of each step lie in memory,
// how they are aligned and what lies behind them. Behind the call that memory is overwritten and
// freed. Their order is not varied: a step has one entry for each player, in order.

namespace {
constexpr std::array<std::string_view, 1> kInputsElsewhere{"1"};
}  // namespace

extern const Axis kInputsAxis;
const Axis kInputsAxis{
    .name = "inputs",
    .varies = "where in memory the inputs of a step lie, for one call",
    .numbers = Numbers{.most = 65535},
    .by_default = true,
    .not_with = kCalledFromAfar,
    .to_calls = [](const Given& value, CallSetup& calls) { calls.inputs_seed = value.number; },
    .can_start_mid_trial = true,
    .look_at =
        "a pointer to an input that is kept after step returns, a read past the end of an "
        "input, or an input's address that is used as a value",
    .elsewhere = kInputsElsewhere,
    .stands_for = "where the inputs of a step lie in memory",
    .of_memory = true};

// The axis `stack`: the byte that fills the stack below the caller before each call, so that local
// variables which nothing has set begin as something else.

namespace {
constexpr std::array<std::string_view, 2> kStackElsewhere{"165", "90"};
}  // namespace

extern const Axis kStackAxis;
const Axis kStackAxis{.name = "stack",
                      .varies = "the leftover bytes that calls find on the stack",
                      .numbers = Numbers{.most = 255},
                      .by_default = true,
                      .not_with = kCalledFromAfar,
                      .to_calls =
                          [](const Given& value, CallSetup& calls) {
                              calls.stack_fill = static_cast<std::uint8_t>(value.number);
                          },
                      .can_start_mid_trial = true,
                      .look_at =
                          "a local variable, or a member of a local struct, that is read "
                          "before it is set",
                      .elsewhere = kStackElsewhere,
                      .stands_for = "what the stack holds below the caller",
                      .of_memory = true};

}  // namespace isotick::harness
