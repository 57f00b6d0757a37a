#pragma once
// Finds the fewest inputs with which a trial still fails.

#include "shrink_trials.hpp"

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

// What becomes of each input of a session: a candidate before it is written down as edits.

/// One player's input to one tick.
struct InputCell {
    std::uint32_t player = 0;  ///< ISOTICK_WORLD: the world
    core::Tick tick;
    friend bool operator==(const InputCell&, const InputCell&) = default;
};

/// A column for each player, in order, and the world's last; a row for each tick.
class InputGrid {
  public:
    /// Of inputs that all stay as recorded.
    InputGrid(std::uint32_t players, std::uint64_t ticks)
        : columns_(players + std::size_t{1}, Column(ticks, State::keep)) {}

    [[nodiscard]] std::size_t columns() const { return columns_.size(); }
    [[nodiscard]] InputCell cell(std::size_t column, std::uint64_t tick) const;

    /// Releases or holds the inputs of all, or of one, from tick `from` to before `to`.
    void edit_all(std::uint64_t from, std::uint64_t to, InputEditKind kind);
    void edit(std::size_t column, std::uint64_t tick, InputEditKind kind);
    void replace(std::size_t column, std::uint64_t tick, std::vector<std::uint8_t> bytes);

    /// Whether the input stands there, as recorded or replaced: neither released nor held.
    [[nodiscard]] bool stands(std::size_t column, std::uint64_t tick) const;
    /// By which bytes it was replaced; null where it was not.
    [[nodiscard]] const std::vector<std::uint8_t>* replaced(std::size_t column,
                                                            std::uint64_t tick) const;

    /// The edits of the ticks before `end`, in the fewest steps: of all, where all are edited
    /// alike. Those of a tick depend on nothing that comes later.
    [[nodiscard]] InputEdits edits(std::uint64_t end) const;

    friend bool operator==(const InputGrid&, const InputGrid&) = default;

  private:
    enum class State : std::uint8_t { keep, release, hold, replace };
    using Column = std::vector<State>;

    [[nodiscard]] static State state_of(InputEditKind kind);
    [[nodiscard]] static InputEditKind kind_of(State state);
    [[nodiscard]] bool all_alike(std::uint64_t tick) const;

    std::vector<Column> columns_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::uint8_t>> replaced_;
};

// Single inputs of a recording, looked up one by one.

/// Reads forward as long as it is asked for later ticks, and starts over for an earlier one.
class RecordedCells {
  public:
    explicit RecordedCells(replay::Reader reader) : reader_(std::move(reader)) {}

    /// The input there; none where it is absent, or where the recording ends before.
    [[nodiscard]] std::optional<std::vector<std::uint8_t>> at(const InputCell& cell);

  private:
    [[nodiscard]] bool go_to(core::Tick tick);

    replay::Reader reader_;
    std::optional<replay::RecordedTicks> ticks_;
    bool there_ = false;  // ticks_ is at a tick
};

// From the inputs of a failing session to the fewest that still make it fail.

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

// Inputs that say less than a given one.

/// Inputs in the place of `needed` that differ in fewer bytes from what is held there, or from
/// zeros where nothing is or it is of another length; the plainest first: none of the bytes, then
/// all but one. A byte is the smallest field that every simulation's inputs have.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> plainer_inputs(const NeededInput& needed);

}  // namespace isotick::harness
