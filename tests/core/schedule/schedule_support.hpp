#pragma once
// What the tests of schedules share: short ways from text to frame times.

#include <isotick/core/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::core {

inline TickRate rate(std::string_view text = "60hz") {
    return TickRate::parse(text).value();
}

/// The schedule of `text`; a text that does not parse fails the test.
inline Schedule schedule(std::string_view text) {
    auto parsed = Schedule::parse(text);
    if (!parsed) {
        ADD_FAILURE() << text << ": " << parsed.error().message;
        return Schedule::nominal();
    }
    return *parsed;
}

inline ScheduleItem first_item(const Schedule& schedule) {
    return schedule.items()[0];
}

/// The first `count` frame times of `text`, in nanoseconds.
inline std::vector<std::int64_t> frames(std::string_view text, std::size_t count,
                                        std::string_view session = "60hz") {
    FrameSource source = schedule(text).frames(rate(session));
    std::vector<std::int64_t> result(count);
    for (std::int64_t& each : result) {
        each = source.next().nanoseconds;
    }
    return result;
}

}  // namespace isotick::core
