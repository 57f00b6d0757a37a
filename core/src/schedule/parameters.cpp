#include "parameters.hpp"

namespace isotick::core {

Result<void> read_rate_or_nominal(TextCursor& cursor, ScheduleItem& item) {
    const std::size_t start = cursor.position();
    if (cursor.read_word() == "nominal") {
        item.rate.reset();
        return {};
    }
    cursor.go_back_to(start);
    return store(cursor.read_rate(), item.rate);
}

std::string rate_text(const ScheduleItem& item) {
    return item.rate ? to_string(*item.rate) : "nominal";
}

Problem rate_problem(const ScheduleItem& item) {
    return unless(!item.rate || clamp_generator_rate(*item.rate) == *item.rate,
                  "a rate from 1/1000000hz to 1000000hz");
}

Problem duration_problem(FrameTime time, bool is_positive) {
    return unless(time.nanoseconds >= (is_positive ? 1 : 0) && time.nanoseconds <= kLongestDuration,
                  is_positive ? "a duration from 1ns to 3600s" : "a duration from 0ms to 3600s");
}

TickRate clamp_generator_rate(TickRate rate) {
    constexpr std::uint64_t kMost = kMostGeneratorRate;
    if (rate.numerator() > kMost * rate.denominator()) {
        return *TickRate::make(kMost, 1);
    }
    if (rate.denominator() > kMost * rate.numerator()) {
        return *TickRate::make(1, kMost);
    }
    return rate;
}

}  // namespace isotick::core
