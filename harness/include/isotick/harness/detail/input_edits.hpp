#pragma once
// Changes to the inputs of a recorded session, made tick by tick while a trial runs: what is left
// of a session's inputs when they are shrunk.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// What a session has in the place of a recorded input.
enum class InputEditKind : std::uint8_t {
    release,  ///< none: absent
    hold,     ///< what this player's last input before was that stood as recorded or was replaced,
              ///< absent or not; absent where there was none
    replace,  ///< InputEdit::bytes, present
};

/// One kind of change to consecutive ticks.
struct InputEdit {
    std::optional<std::uint32_t> player{};  ///< ISOTICK_WORLD: the world; none: all, and the world
    core::Tick first{};
    core::Tick last{};  ///< included
    InputEditKind kind = InputEditKind::release;
    std::vector<std::uint8_t> bytes{};  ///< empty unless they replace

    friend bool operator==(const InputEdit&, const InputEdit&) = default;
};

/// Ordered by their first tick. No input is changed by two of them; those that none changes stay as
/// recorded.
using InputEdits = std::vector<InputEdit>;

inline constexpr std::size_t kMostInputEdits = 1'000'000;

/// Whether `edits` are as InputEdits says, for a session of so many players. Fails with
/// ErrorCode::usage (`limit` where they are too many or bytes too long) and the number of the edit.
[[nodiscard]] core::Result<void> check_input_edits(const InputEdits& edits, std::uint32_t players);

/// What `edits` do before tick `end`: whether two candidates share the inputs of the ticks before.
[[nodiscard]] InputEdits cut_before(const InputEdits& edits, core::Tick end);

/// Applies edits to the inputs of one tick after the other. It needs time in proportion to a tick's
/// inputs and their bytes, however many edits there are. Movable, and copyable in the middle of a
/// session; not thread-safe.
class InputEditor {
  public:
    /// Fails where check_input_edits does.
    [[nodiscard]] static core::Result<InputEditor> make(const InputEdits& edits,
                                                        std::uint32_t players);

    /// The inputs that `tick` has now. `recorded` has one entry per player in order and the world's
    /// last. Ticks are counted up from 0 without gaps. Valid until the next call and as long as
    /// `recorded`.
    [[nodiscard]] std::span<const isotick_input> apply(core::Tick tick,
                                                       std::span<const isotick_input> recorded);

    /// Goes on with other edits from the next tick on. What is held stays what was kept so far, so
    /// the result is as if `edits` had stood from the start, where they are the same for all ticks
    /// before. Fails where check_input_edits does, and changes nothing then.
    [[nodiscard]] core::Result<void> continue_with(const InputEdits& edits);

  private:
    struct Held {
        bool present = false;
        std::vector<std::uint8_t> bytes;
    };
    struct Column {
        std::vector<std::size_t> edits;  // of edits_, those of this player, by tick
        std::size_t next = 0;            // of `edits`: the first that has not ended
        Held held;
    };

    explicit InputEditor(std::size_t columns) : columns_(columns) {}

    void take(const InputEdits& edits);
    [[nodiscard]] const InputEdit* edit_at(Column& column, core::Tick tick) const;
    [[nodiscard]] isotick_input edited(Column& column, core::Tick tick,
                                       const isotick_input& recorded) const;

    InputEdits edits_;
    std::vector<Column> columns_;
    std::vector<isotick_input> inputs_;  // of the tick that was asked for last
};

}  // namespace isotick::harness
