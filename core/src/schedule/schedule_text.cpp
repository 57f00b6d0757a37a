#include "schedule_text.hpp"

#include "parameters.hpp"

#include <isotick/core/schedule.hpp>

#include <array>
#include <optional>
#include <string_view>

namespace isotick::core {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
    std::size_t decimals;
};

constexpr std::array kUnits{Unit{"s", 1'000'000'000, 9}, Unit{"ms", 1'000'000, 6},
                            Unit{"us", 1'000, 3}, Unit{"ns", 1, 0}};

/// `.667` of a fraction given in `decimals` digits, without trailing zeros; empty for zero.
std::string fraction_text(std::uint64_t fraction, std::size_t decimals) {
    if (fraction == 0) {
        return "";
    }
    std::string digits = std::to_string(fraction);
    digits.insert(0, decimals - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    return "." + digits;
}

std::string rate_text(const std::optional<TickRate>& rate) {
    return rate ? to_string(*rate) : "nominal";
}

std::string field_text(const ScheduleItem& item, ParameterField field) {
    switch (field) {
        case ParameterField::rate:
            return rate_text(item.rate);
        case ParameterField::duration:
            return to_string(item.duration);
        case ParameterField::other_duration:
            return to_string(item.other_duration);
        case ParameterField::share:
            return std::to_string(item.per_mille / 10) + fraction_text(item.per_mille % 10, 1) +
                   "%";
        case ParameterField::every:
            return std::to_string(item.every);
        case ParameterField::burst:
            return std::to_string(item.burst_frames) + "x" + to_string(item.duration);
        case ParameterField::seed:
            return std::to_string(item.seed);
    }
    return "";
}

std::string generator_text(const ScheduleItem& item, const Generator& generator) {
    std::string text(generator.name);
    std::string_view separator = "(";
    for (const Parameter& each : generator.parameters) {
        text += separator;
        if (each.is_named) {
            text += std::string(each.name) + "=";
        }
        text += field_text(item, each.field);
        separator = ", ";
    }
    return text + ")";
}

}  // namespace

std::string to_string(FrameTime time) {
    // Negated as unsigned, so that the smallest int64 has a magnitude too.
    const auto bits = static_cast<std::uint64_t>(time.nanoseconds);
    const std::uint64_t magnitude = time.nanoseconds < 0 ? 0 - bits : bits;
    if (magnitude == 0) {
        return "0ms";
    }
    const Unit* unit = kUnits.data();
    while (magnitude < unit->nanoseconds) {
        ++unit;
    }
    return (time.nanoseconds < 0 ? "-" : "") + std::to_string(magnitude / unit->nanoseconds) +
           fraction_text(magnitude % unit->nanoseconds, unit->decimals) + std::string(unit->name);
}

std::string to_string(const ScheduleItem& item) {
    if (item.kind == FrameKind::frame) {
        const std::string time = to_string(item.duration);
        return item.count == 1 ? time : std::to_string(item.count) + "x" + time;
    }
    const std::string count = item.count == kEndless ? "" : std::to_string(item.count) + "x";
    if (item.kind == FrameKind::steady) {
        return count + rate_text(item.rate);
    }
    return count + generator_text(item, *find_generator(item.kind));
}

}  // namespace isotick::core
