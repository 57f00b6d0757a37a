#pragma once
// Sessions of peers without a simulation: a state is the hash of all inputs so far.

#include "peers/session_inputs.hpp"

#include <isotick/harness/detail/session_course.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// Inputs that are held for a while and change now and then, as pads do; some are absent.
[[nodiscard]] SessionInputs pad_inputs(std::uint32_t players, std::uint64_t ticks,
                                       std::uint64_t seed);

/// The state after each tick of an offline run, with the inputs that count.
[[nodiscard]] std::vector<std::uint64_t> offline_states(const SessionInputs& inputs,
                                                        const InputEdits& absences);

/// What went wrong when a course was executed.
struct CourseFailure {
    std::uint64_t tick = 0;
    std::string what;
};

/// Executes a course as a trial does. A run that joined starts from the offline state. None: all
/// final ticks had the offline states, each tick before `verified` was final once, in order.
[[nodiscard]] std::optional<CourseFailure> execute(const PeerRun& run, const SessionInputs& inputs,
                                                   const InputEdits& absences,
                                                   const std::vector<std::uint64_t>& states);

/// All that failed in a session, one line each; empty where all is well.
[[nodiscard]] std::string failures_of(const SessionCourse& course, const SessionInputs& inputs);

}  // namespace isotick::harness
