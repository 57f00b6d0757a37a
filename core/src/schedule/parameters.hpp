#pragma once
// The parameters that many kinds of schedule items have.

#include "draw/draw_item.hpp"
#include "tick_clock.hpp"

#include <isotick/core/detail/text/written.hpp>
#include <isotick/core/schedule.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::core {

template <auto Member>
void copy_member(const ScheduleItem& from, ScheduleItem& to) {
    to.*Member = from.*Member;
}

/// `parameter` with other limits; null: none.
[[nodiscard]] constexpr Parameter limited(Parameter parameter,
                                          Problem (*problem)(const ScheduleItem&)) {
    parameter.problem = problem;
    return parameter;
}

[[nodiscard]] constexpr Parameter named(Parameter parameter) {
    parameter.is_named = true;
    return parameter;
}

/// `parameter`, left out where `is_usual`; null: only when written.
[[nodiscard]] constexpr Parameter optional(Parameter parameter,
                                           bool (*is_usual)(const ScheduleItem&) = nullptr) {
    parameter.is_optional = true;
    parameter.is_usual = is_usual;
    return parameter;
}

[[nodiscard]] Result<void> read_rate_or_nominal(TextCursor& cursor, ScheduleItem& item);
[[nodiscard]] std::string rate_text(const ScheduleItem& item);
[[nodiscard]] Problem rate_problem(const ScheduleItem& item);

/// `60hz`, `nominal`
inline constexpr Parameter kRate{"rate", read_rate_or_nominal, rate_text,
                                 copy_member<&ScheduleItem::rate>, rate_problem};

/// `200`
inline constexpr Parameter kEvery =
    named({"every",
           [](TextCursor& cursor, ScheduleItem& item) {
               return store(cursor.read_number("a number of frames", 1, kMostEvery), item.every);
           },
           [](const ScheduleItem& item) { return std::to_string(item.every); },
           copy_member<&ScheduleItem::every>,
           [](const ScheduleItem& item) {
               return unless(item.every >= 1 && item.every <= kMostEvery,
                             "a number from 1 to 1000000000");
           }});

/// `7`
inline constexpr Parameter kSeed =
    optional(named({"seed",
                    [](TextCursor& cursor, ScheduleItem& item) {
                        return store(cursor.read_number("a seed"), item.seed);
                    },
                    [](const ScheduleItem& item) { return std::to_string(item.seed); },
                    copy_member<&ScheduleItem::seed>}));

/// `12.5%`
[[nodiscard]] constexpr Parameter share_parameter(std::string_view name) {
    return {
        name,
        [](TextCursor& cursor, ScheduleItem& item) {
            return store(cursor.read_share(), item.per_mille);
        },
        [](const ScheduleItem& item) { return share_text(item.per_mille); },
        copy_member<&ScheduleItem::per_mille>,
        [](const ScheduleItem& item) { return unless(item.per_mille <= 1000, "at most 100%"); }};
}

/// That a generator's duration is at least 0 ms, or 1 ns where it `is_positive`.
[[nodiscard]] Problem duration_problem(FrameTime time, bool is_positive = false);

/// `3ms`
template <auto Member = &ScheduleItem::duration, bool is_positive = false>
[[nodiscard]] constexpr Parameter duration_parameter(std::string_view name) {
    return {name,
            [](TextCursor& cursor, ScheduleItem& item) {
                return store(cursor.read_duration(), item.*Member);
            },
            [](const ScheduleItem& item) { return to_string(item.*Member); }, copy_member<Member>,
            [](const ScheduleItem& item) { return duration_problem(item.*Member, is_positive); }};
}

/// `rate`, or the nearest a generator can take.
[[nodiscard]] TickRate clamp_generator_rate(TickRate rate);

/// The rate of an item's steady frames.
[[nodiscard]] inline TickRate generator_rate(const ScheduleItem& item, const FramesStart& start) {
    return clamp_generator_rate(item.rate.value_or(start.session_rate));
}

[[nodiscard]] inline TickClock clock_of(const ScheduleItem& item, const FramesStart& start) {
    return TickClock(generator_rate(item, start));
}

}  // namespace isotick::core
