#pragma once
// What becomes of each input of a session: a candidate before it is written down as edits.

#include <isotick/harness/detail/shrink/input_edits.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {

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

}  // namespace isotick::harness
