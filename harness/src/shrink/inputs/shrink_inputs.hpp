#pragma once
// From the inputs of a failing session to the fewest that still make it fail.

#include "../search/shrink_trials.hpp"
#include "input_grid.hpp"

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/shrink/input_edits.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace isotick::harness {

/// The session with other inputs. It fails where its two sides, both with these inputs, diverge.
struct InputCandidate {
    InputEdits edits;
    core::Tick until;  ///< a divergence after this tick does not count, so none need be run
    /// Numbers of leading ticks, rising, whose inputs candidates to come are likely to share if
    /// this one fails: see ScheduleCandidate. cut_before tells what two candidates share.
    std::vector<std::uint64_t> checkpoints;
};

/// Runs both sides of a candidate; its ticks are those of both. One that crashes or cannot be
/// judged did not diverge; an error ends shrinking.
using InputRunner = std::function<core::Result<RanCandidate>(const InputCandidate&)>;

/// An input that is needed, and what would stand in its place if it were held: none, if absent.
struct NeededInput {
    InputCell cell;
    std::vector<std::uint8_t> bytes;
    std::optional<std::vector<std::uint8_t>> held;
};

struct InputsToShrink {
    std::uint32_t players = 0;
    core::Tick diverged_at;
    /// The recorded input; none where it is absent. Asked for single ones, from first to last.
    std::function<std::optional<std::vector<std::uint8_t>>(const InputCell&)> recorded;
    /// Plainer inputs to try in an input's place, each with fewer fields that differ from what is
    /// held, or from none; the plainest first. Asked again for each that does. May be empty.
    std::function<std::vector<std::vector<std::uint8_t>>(const NeededInput&)> variants;
};

struct ShrunkInputs {
    InputEdits edits;             ///< of the ticks up to the divergence
    std::vector<InputCell> kept;  ///< the inputs that are left: present, as recorded or replaced
    core::Tick diverged_at;       ///< never later than in the original
    ShrinkEffort effort;          ///< and whether anything was left to try
};

/// Shrinks what fails: a candidate does where it diverges at the original's tick or earlier.
///
/// First whole ticks are released or held, those before the first needed, behind the last, then
/// between; then single players' inputs to the ticks that are left are released; then their fields.
/// Each of these comes once. Depends on nothing but its arguments and what the runner answers.
[[nodiscard]] ShrunkInputs shrink_inputs(const InputsToShrink& original, const InputRunner& run,
                                         const ShrinkLimits& limits);

}  // namespace isotick::harness
