#pragma once
// Traces a divergence to the tick, part and frame that caused it.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/harness/verify.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// Which frames of a trial are not nominal: what may have provoked a divergence.

/// Whether a frame is as long as a nominal one, rounded down or up.
[[nodiscard]] bool is_nominal_time(core::FrameTime time, core::TickRate rate);

/// The frames of `plan` up to number `last` that are not nominal; none where these are more than
/// three groups of equal ones, or the recording cannot be read.
[[nodiscard]] std::optional<std::vector<OddFrames>> provoking_frames(const TrialPlan& plan,
                                                                     std::uint64_t last);

// The frames around the one in which a trial failed.

/// Frames in a row, and the ticks that each runs.
struct FrameList {
    std::vector<core::FrameTime> times;
    std::vector<std::uint64_t> ticks;
};

struct FramesAround {
    std::uint64_t first = 0;   ///< number of the first listed
    std::uint64_t failed = 0;  ///< number of the one in which the trial failed
    std::uint64_t tick = 0;    ///< that failed
    FrameList fails;
    FrameList nominal;  ///< of the nominal trial, as many as are there
};

/// Some hundred frames of a failed trial of `rate`, and a few that would have followed, up to the
/// session's `ticks`. They begin early enough for the first of the provoking frames, unless that is
/// long before. None where frames say nothing: they are nominal, or axes decide what happens in
/// them; and of a trial whose tick is not known.
[[nodiscard]] std::optional<FramesAround> frames_around(const FailedTrial& failure,
                                                        core::TickRate rate, std::uint64_t ticks);

// What differs where a peer diverged from the offline replay.

struct DifferingState {
    std::vector<std::string> parts;  ///< names of those that differ, where that is known
    FieldReport fields;              ///< from `before` to `after`
};

/// Runs both sides, each to its state, and compares parts and fields; `most` fields of each kind,
/// 0: none. Between its final steps a peer has states that nobody else has: only this one counts.
[[nodiscard]] core::Result<DifferingState> compare_partings(const StateSource& before,
                                                            const StateSource& after,
                                                            const StepsToStates& steps,
                                                            std::size_t most);

// What comes after a replay that diverged.

/// Runs the diverged trial of `report` again, `where` as words in a sentence, and the nominal one;
/// explains a divergence that is the same again, and makes any other nondeterministic.
[[nodiscard]] core::Result<void> look_into_divergence(ReplayReport& report, const TrialRunner& run,
                                                      const ExplainOptions& how,
                                                      std::string_view where);

}  // namespace isotick::harness
