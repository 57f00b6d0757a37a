#pragma once
// Courses as a rollback session makes them, by hand and by chance.

#include <isotick/harness/detail/course.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::tests {

/// Inputs by tick, then player; none: absent.
using SessionInputs = std::vector<std::vector<std::optional<std::vector<std::uint8_t>>>>;

/// Those of the players in a recording.
[[nodiscard]] SessionInputs recorded_inputs(const std::string& path);

/// What a random course is drawn from. All but `seed` may stay as it is.
struct RandomCourseOptions {
    std::uint64_t seed = 0;
    std::uint64_t first_tick = 0;
    std::uint64_t window = 8;          ///< ticks that a peer runs ahead, at most
    std::uint32_t wrong_percent = 30;  ///< of guesses
};

/// A peer who learns of the others' inputs late, in lumps, and guesses them meanwhile: of all ticks
/// of a session, with every one final in the end. It has frames without ticks and with many.
[[nodiscard]] harness::Course random_course(const SessionInputs& inputs,
                                            const RandomCourseOptions& options);

/// A peer of so many ticks who never guesses: two frames a tick, one of them idle.
[[nodiscard]] harness::Course lockstep_course(std::uint64_t ticks);

/// A peer of so many ticks who, in the frame after tick `to`, undoes `back` of them and runs them
/// again. In their first run every player's input is absent in tick `to` − `back` + 1.
[[nodiscard]] harness::Course one_rollback(std::uint64_t ticks, std::uint64_t to,
                                           std::uint32_t back, std::uint32_t players);

}  // namespace isotick::tests
