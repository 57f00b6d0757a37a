// Loops: what is printed reads back as the same, and no frame breaks what all loops promise.

#include "../support/fuzz_target.hpp"

#include <isotick/core/loops.hpp>

#include <limits>
#include <string>

namespace isotick::fuzz {
namespace {

using core::FrameTime;
using core::Loop;

constexpr FrameTime kFrames[] = {{16'666'666}, {16'666'667},   {0},         {-5'000'000},
                                 {1},          {33'333'333},   {1'000'000}, {60'000'000},
                                 {999'999},    {4'000'000'000}};

void check_frame(const core::LoopOptions& options, const core::HostFrame& frame) {
    require(frame.plan.alpha >= 0 && frame.plan.alpha < 1, "alpha is from 0 to below 1");
    require(frame.back == 0 || frame.plan.ticks == 0, "a frame goes back or forth");
    require(!frame.dt || frame.plan.ticks > 0, "only steps have a dt");
    require(!frame.dt || (frame.dt->each.numerator > 0 && frame.dt->last.numerator > 0),
            "there is no step of no time");
    require(!options.most_ticks || frame.plan.ticks <= *options.most_ticks || options.every > 1,
            "there are no more ticks in a frame than most-ticks");
}

void run_loop(const core::LoopOptions& options, core::TickRate rate) {
    auto loop = Loop::make(rate, options);
    if (!loop) {
        return;
    }
    Loop copy = *loop;
    for (const FrameTime time : kFrames) {
        const core::HostFrame frame = loop->advance(time);
        check_frame(options, frame);
        require(copy.advance(time).plan.ticks == frame.plan.ticks, "a copy does the same");
    }
}

}  // namespace

void run(Input input) {
    const auto parsed = core::parse_loop(text_of(input));
    if (!parsed) {
        require(parsed.error().code == core::ErrorCode::usage, "a bad loop is bad usage");
        return;
    }
    const std::string printed = to_string(*parsed);
    const auto again = core::parse_loop(printed);
    require(again.has_value(), "a printed loop can be read");
    require(*again == *parsed, "a printed loop reads back as the same");
    require(to_string(*again) == printed, "a loop is printed in one way");
    run_loop(*parsed, core::TickRate());
    run_loop(*parsed, core::TickRate::make(1, 7).value());
    run_loop(*parsed, core::TickRate::make(999'999'937, 1'000'003).value());
}

}  // namespace isotick::fuzz
