#pragma once
// All axes besides loop and schedule, which every trial has, and what is done with their values.

#include "axis.hpp"

#include <isotick/harness/detail/drive.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// By name.
[[nodiscard]] std::span<const Axis* const> axes();

/// The axis that `name` names, `config.workers` as well as `environment-size`; null where there is
/// none.
[[nodiscard]] const Axis* find_axis(std::string_view name);

/// What follows the axis's name in the value's: `workers`.
[[nodiscard]] std::string key_of(const AxisValue& value);

/// Fails where there is no such axis, with the names there are, or it has no such value.
[[nodiscard]] core::Result<void> check_value(const AxisValue& value);

/// The frame before which it applies first: `heap=fill 165 from frame 1200`; 0: to the whole trial.
[[nodiscard]] std::uint64_t first_frame(const AxisValue& value);

/// The same value from a frame of the trial on, of an axis that can begin on the way.
[[nodiscard]] AxisValue from_frame(AxisValue value, std::uint64_t frame);

/// Whether the axis of that name can.
[[nodiscard]] bool can_begin_on_the_way(const std::string& name);

/// Those of them that apply in that frame, without it: as the other functions here take them.
[[nodiscard]] std::vector<AxisValue> applied_in(const std::vector<AxisValue>& values,
                                                std::uint64_t frame);

/// How the process of a trial with these values is to be started.
[[nodiscard]] ProcessSetup process_setup(const std::vector<AxisValue>& values);

/// What the system answers otherwise in a trial with these values.
[[nodiscard]] preload::Settings system_settings(const std::vector<AxisValue>& values);

/// How the simulation of a trial with these values is to be called.
[[nodiscard]] CallSetup call_setup(const std::vector<AxisValue>& values);

/// Puts what is applied there into `setup`. Fails on a key or value that core::Settings refuses.
[[nodiscard]] core::Result<void> apply(const std::vector<AxisValue>& values,
                                       core::SimulationSetup& setup);

/// Whether one of them says what the trial does frame by frame.
[[nodiscard]] bool have_course(const std::vector<AxisValue>& values);
/// What the trial does frame by frame, where one of its axes says so.
[[nodiscard]] core::Result<std::optional<Course>> course_of(const std::vector<AxisValue>& values,
                                                            const std::string& recording);

/// The instances that they ask for besides the trial's. A snapshot is left only where the course is
/// of the axis that wants one.
[[nodiscard]] OtherInstances other_instances(const std::vector<AxisValue>& values);

/// The value that a setting replaces in `setup`; none where it is not set there, or the axis is no
/// setting.
[[nodiscard]] std::optional<std::string> usual_value(const AxisValue& value,
                                                     const core::SimulationSetup& setup);

/// The names of the settings that `simulation` is known not to have looked at so far.
[[nodiscard]] std::vector<std::string> unread_by(const core::Simulation& simulation,
                                                 const std::vector<AxisValue>& values);

/// Why that value changes nothing on this machine; empty: there is something to vary.
[[nodiscard]] std::string why_not_here(const AxisValue& value);

/// A value for each of the axes in `names` that a trial with this seed varies, which is each of
/// them in one of Axis::one_in trials, where that changes something here. What is drawn for one
/// does not depend on the others.
[[nodiscard]] std::vector<AxisValue> draw_axes(std::span<const std::string> names,
                                               std::uint64_t seed);

/// The value that draw_axes draws for that axis where it draws one; none where it changes nothing.
[[nodiscard]] std::optional<AxisValue> draw_axis(const std::string& name, std::uint64_t seed);

/// Values that do the same within the first ticks of a session.
[[nodiscard]] std::vector<AxisValue> within(std::vector<AxisValue> values, std::uint64_t ticks);

/// As long as `value`, and of no axis: it varies nothing but what a process has read, and so where
/// the blocks of its heap lie (kMovedByPlacebo). What fails with it fails by that.
[[nodiscard]] AxisValue placebo_of(const AxisValue& value);
inline constexpr std::string_view kMovedByPlacebo = "heap";

/// Values of the axes of memory that change something here and for a simulation with these
/// capabilities: first what memory holds, then where it lies.
[[nodiscard]] std::vector<AxisValue> memory_values(std::uint64_t capabilities);

/// Values that may fail alone where all of `values` do together: some of the axes of memory, unless
/// `values` are one of those; others of each of those, where there are two or more, and of the axes
/// that they bring along, or that placebos move. What fails by one of these fails by that. Without
/// those that change nothing for a simulation with these capabilities.
[[nodiscard]] std::vector<AxisValue> more_basic(const std::vector<AxisValue>& values,
                                                bool fails_by_placebo, std::uint64_t capabilities);

/// Values of what the axis of `value` also varies without meaning to (Axis::brings), as far as they
/// change something for a simulation with these capabilities.
[[nodiscard]] std::vector<AxisValue> side_effects(const AxisValue& value,
                                                  std::uint64_t capabilities);

/// Values of the same axis that are plainer, the plainest first.
[[nodiscard]] std::vector<AxisValue> plainer(const AxisValue& value);

/// Which axes a user asks for: those that are drawn by default, all that are drawn unless they must
/// be asked for by name, or every axis that can be drawn.
enum class DrawnAxes { by_default, all, by_name };

/// Their names, in the order in which they are tried.
[[nodiscard]] std::vector<std::string> drawn_axes(DrawnAxes which);

/// Why a simulation with these capabilities has nothing to vary by that axis, or this machine has
/// not; empty where it has.
[[nodiscard]] std::string why_not_varied(const std::string& name, std::uint64_t capabilities);

/// Whether it is applied before the process of the trial starts.
[[nodiscard]] bool is_of_process(const std::string& name);

}  // namespace isotick::harness
