#pragma once
// What isotick knows about a kind of schedule items. items.cpp and captured_frames.cpp define the
// kinds; all other code reads them from one table.

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/detail/word.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::core {

struct Draw;

/// One parameter of a kind.
struct Parameter : Word<ScheduleItem> {
    bool is_named = false;     ///< printed as name=value
    bool is_optional = false;  ///< may be left out when written
    /// Whether it is left out when printed, too. Null: never.
    bool (*is_usual)(const ScheduleItem&) = nullptr;
};

/// Where an item's frames begin.
struct FramesStart {
    TickRate session_rate;
    /// Nanoseconds of this pass, as loops count them: negative frames are zero. At most the largest
    /// int64.
    std::uint64_t elapsed = 0;

    /// Moves on by these frames.
    void pass(std::span<const std::int64_t> times);
};

/// Writes the next frame times, nanoseconds, without end. A copy goes on by itself.
using Frames = std::function<void(std::span<std::int64_t>)>;

/// Frames of which `next()` gives each.
template <class Next>
[[nodiscard]] Frames frames_of(Next next) {
    return [next = std::move(next)](std::span<std::int64_t> times) mutable {
        std::ranges::generate(times, std::ref(next));
    };
}

/// How often random schedules take a kind, compared with the others. A change of any changes which
/// schedules seeds draw.
struct Weights {
    std::uint32_t alone = 1;    ///< as a whole schedule
    std::uint32_t block = 1;    ///< as a block of `mix`
    std::uint32_t forward = 0;  ///< before frames that go back: a few go as far as their rate says
};

/// What is wrong with the parameters of `item`.
[[nodiscard]] Problem parameters_problem(const ScheduleItem& item);

[[nodiscard]] inline bool is_endless(const ScheduleItem& item) {
    return item.count == kEndless;
}

struct ItemKind {
    std::string_view name;                  ///< empty: its one parameter stands for it
    std::span<const Parameter> parameters;  ///< in printing order
    Frames (*frames)(const ScheduleItem&, const FramesStart&);

    Weights weights{};
    /// The most that a drawn rate of frames differs from the session's; 0: it is the session's.
    std::uint64_t rate_factor = 10;
    /// Draws what an item has besides a rate and a seed. Null: nothing.
    void (*draw)(Draw&, ScheduleItem&) = nullptr;

    bool must_end = false;       ///< needs a count
    FrameTime usual_duration{};  ///< where none is written
    /// Gives an item that was read at column `start` what its text names. Null: nothing.
    Result<void> (*resolve)(const FrameResolver&, std::size_t start, ScheduleItem&) = nullptr;
    /// What is wrong with an item apart from its count.
    Problem (*problem)(const ScheduleItem&) = parameters_problem;
    /// Whether the item is printed without its count.
    bool (*is_count_implied)(const ScheduleItem&) = is_endless;
};

#define ISOTICK_ITEM_KIND(name, Name) extern const ItemKind k##Name##Item;
ISOTICK_FRAME_KINDS(ISOTICK_ITEM_KIND)
#undef ISOTICK_ITEM_KIND

/// All kinds, in the order of FrameKind.
[[nodiscard]] std::span<const ItemKind* const> item_kinds();

[[nodiscard]] inline const ItemKind& kind_of(const ScheduleItem& item) {
    return *item_kinds()[static_cast<std::size_t>(item.kind)];
}

/// `item` with every member its kind does not use set to its default.
[[nodiscard]] ScheduleItem canonical(const ScheduleItem& item);

/// Appends `item`, to the last item if that is of the same frame time and has room for it.
void append_item(std::vector<ScheduleItem>& items, const ScheduleItem& item);

/// `item` in canonical form: `120x60hz`, `jitter(60hz, 3ms, seed=7)`.
[[nodiscard]] std::string to_string(const ScheduleItem& item);

/// What is wrong with `item`.
[[nodiscard]] Problem check_item(const ScheduleItem& item);

}  // namespace isotick::core
