#pragma once
// Which frames of a trial are not nominal: what may have provoked a divergence.

#include <isotick/core/time.hpp>
#include <isotick/harness/detail/explain/explain.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

/// Whether a frame is as long as a nominal one, rounded down or up.
[[nodiscard]] bool is_nominal_time(core::FrameTime time, core::TickRate rate);

/// The frames of `plan` up to number `last` that are not nominal; none where these are more than
/// three groups of equal ones, or the recording cannot be read.
[[nodiscard]] std::optional<std::vector<OddFrames>> provoking_frames(const TrialPlan& plan,
                                                                     std::uint64_t last);

}  // namespace isotick::harness
