#pragma once
// What each generator is called and which parameters it takes: the one table behind reading,
// printing, checking and canonicalizing schedule items.

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// The member of a ScheduleItem a parameter sets, and so how it is written.
enum class ParameterField {
    rate,            ///< 60hz, nominal
    duration,        ///< 3ms
    other_duration,  ///< 30ms
    share,           ///< 10%, 12.5%
    every,           ///< 200
    burst,           ///< 1000x1ns
    seed,            ///< 7
    path,            ///< "my run.csv"
    from,            ///< 10s
    length,          ///< 5s
    scale,           ///< 50%, 200%
    loops,           ///< 3
};

struct Parameter {
    ParameterField field;
    std::string_view name;
    bool is_named = false;     ///< printed as name=value
    bool is_optional = false;  ///< may be left out when written
    bool is_brief = false;     ///< left out when printed too, where it has its usual value
};

/// One generator: its kind, name and parameters in printing order.
struct Generator {
    FrameKind kind;
    std::string_view name;
    std::span<const Parameter> parameters;
};

/// All generators, in the order of SCHEDULES.md.
[[nodiscard]] std::span<const Generator> generators();

/// The generator of that name, or null.
[[nodiscard]] const Generator* find_generator(std::string_view name);

/// The generator of `kind`; null for frame and steady, which are written without a name.
[[nodiscard]] const Generator* find_generator(FrameKind kind);

/// `item` with every member its kind does not use set to its default.
[[nodiscard]] ScheduleItem canonical(const ScheduleItem& item);

/// Appends `item`, to the last item if that is of the same frame time and has room for it.
void append_item(std::vector<ScheduleItem>& items, const ScheduleItem& item);

/// What is wrong with the value `field` has in `item`, as the rest of a sentence beginning with
/// `expected`; none where it is within its limits.
[[nodiscard]] std::optional<std::string> check_parameter(const ScheduleItem& item,
                                                         ParameterField field);

/// The frames of its capture that `item` plays in one pass, as indices: from the first one that
/// begins at `duration` or later up to, without it, the first that begins `other_duration` after
/// that. Requires a capture.
struct FrameRange {
    std::size_t first;
    std::size_t end;

    [[nodiscard]] std::size_t size() const { return end - first; }
};
[[nodiscard]] FrameRange captured_range(const ScheduleItem& item);

/// What is wrong with `item`, likewise.
[[nodiscard]] std::optional<std::string> check_item(const ScheduleItem& item);

}  // namespace isotick::core
