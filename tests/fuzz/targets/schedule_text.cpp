// Schedules: what is printed reads back as the same, and frames depend on nothing else.

#include "../support/fuzz_target.hpp"

#include <isotick/core/schedule.hpp>

#include <string>
#include <vector>

namespace isotick::fuzz {
namespace {

using core::ErrorCode;
using core::Schedule;

// Any name is a capture of three frames but `none`.
core::Result<std::shared_ptr<const core::CapturedFrames>> resolve(const std::string& path) {
    if (path == "none") {
        return core::fail(ErrorCode::io, "there is no such file");
    }
    return core::CapturedFrames::own({16'000'000, 33'000'000, 33'000'001});
}

void check_frames(const Schedule& schedule, core::TickRate rate) {
    core::FrameSource frames = schedule.frames(rate);
    for (int i = 0; i < 8; ++i) {
        (void)frames.next();
    }
    core::FrameSource copy = frames;
    for (int i = 0; i < 24; ++i) {
        require(frames.next() == copy.next(), "a copied frame source goes on as its original");
    }
}

}  // namespace

void run(Input input) {
    const auto parsed = Schedule::parse(text_of(input), resolve);
    if (!parsed) {
        const ErrorCode code = parsed.error().code;
        require(code == ErrorCode::usage || code == ErrorCode::io, "a bad schedule is bad usage");
        return;
    }
    const std::string printed = parsed->to_string();
    const auto again = Schedule::parse(printed, resolve);
    require(again.has_value(), "a printed schedule can be read");
    require(*again == *parsed, "a printed schedule reads back as the same");
    require(again->to_string() == printed, "a schedule is printed in one way");
    check_frames(*parsed, core::TickRate());
    check_frames(*parsed, core::TickRate::make(1, 1'000'000).value());
    check_frames(*parsed, core::TickRate::make(1'000'000'000, 1).value());
}

}  // namespace isotick::fuzz
