#pragma once
// What drives a trial apart from its recording. None of it must matter: each is an axis.

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// One axis besides loop and schedule at one value: `config.workers=4`, `environment-size=4096`.
struct AxisValue {
    std::string axis;  ///< its name; of a setting `config.KEY` or `environment.KEY`
    std::string value;
    friend bool operator==(const AxisValue&, const AxisValue&) = default;
};

[[nodiscard]] std::string to_string(const AxisValue& value);

/// The values of all axes that one run has. Every run has a loop and a schedule; of the other axes
/// those that are not named are as usual.
struct Drive {
    core::LoopOptions loop;
    core::Schedule schedule = core::Schedule::nominal();
    std::vector<AxisValue> axes;  ///< besides; each axis once

    [[nodiscard]] bool has_nominal_frames() const {
        return schedule == core::Schedule::nominal() && loop == core::LoopOptions();
    }
    [[nodiscard]] bool varies(std::string_view axis) const;
    friend bool operator==(const Drive&, const Drive&) = default;
};

/// `accumulator | 2290xnominal, 101.4ms | config.workers=4`: the loop, the schedule, then the other
/// axes. parse_drive reads it back; captures are named, not held, and `captures` finds them.
[[nodiscard]] std::string to_string(const Drive& drive);

/// Fails with ErrorCode::usage and what is wrong, or as `captures` does.
[[nodiscard]] core::Result<Drive> parse_drive(std::string_view text,
                                              const core::FrameResolver& captures = {});

/// The same of a line that a file holds. Fails on an axis whose values only users may choose:
/// settings of the environment name what a simulation opens.
[[nodiscard]] core::Result<Drive> parse_drive_of_file(std::string_view text);

/// The key of the note by which a recording says how its failing case is driven: `isotick minimize`
/// leaves it, and verify runs it first.
inline constexpr const char* kReproNote = "isotick.repro";

}  // namespace isotick::harness
