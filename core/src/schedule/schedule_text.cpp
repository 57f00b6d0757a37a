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

std::string share_text(std::uint32_t per_mille) {
    return std::to_string(per_mille / 10) + fraction_text(per_mille % 10, 1) + "%";
}

std::string quoted(std::string_view path) {
    std::string text = "\"";
    for (const char each : path) {
        text += each == '"' || each == '\\' ? "\\" : "";
        text += each;
    }
    return text + "\"";
}

/// How often a capture is played from end to end; 0: it stops within, after `count` frames.
std::uint64_t loops_of(const ScheduleItem& item) {
    const std::uint64_t frames = captured_range(item).size();
    const std::uint64_t loops = item.count / frames;
    return item.count % frames == 0 && loops <= kMostLoops ? loops : 0;
}

std::string field_text(const ScheduleItem& item, ParameterField field) {
    switch (field) {
        case ParameterField::rate:
            return rate_text(item.rate);
        case ParameterField::duration:
        case ParameterField::from:
            return to_string(item.duration);
        case ParameterField::other_duration:
        case ParameterField::length:
            return to_string(item.other_duration);
        case ParameterField::share:
            return share_text(item.per_mille);
        case ParameterField::every:
            return std::to_string(item.every);
        case ParameterField::burst:
            return std::to_string(item.burst_frames) + "x" + to_string(item.duration);
        case ParameterField::seed:
            return std::to_string(item.seed);
        case ParameterField::path:
            return quoted(item.capture.capture->path);
        case ParameterField::scale:
            return share_text(item.every);
        case ParameterField::loops:
            return std::to_string(loops_of(item));
    }
    return "";
}

/// Whether `field` has the value that it has where it is left out.
bool is_usual(const ScheduleItem& item, ParameterField field) {
    switch (field) {
        case ParameterField::from:
            return item.duration.nanoseconds == 0;
        case ParameterField::length:
            return item.other_duration.nanoseconds == 0;
        case ParameterField::scale:
            return item.every == 1000;
        case ParameterField::loops:
            return loops_of(item) <= 1;
        default:
            return false;
    }
}

std::string generator_text(const ScheduleItem& item, const Generator& generator) {
    std::string text(generator.name);
    std::string_view separator = "(";
    for (const Parameter& each : generator.parameters) {
        if (each.is_brief && is_usual(item, each.field)) {
            continue;
        }
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
    const bool is_whole = item.kind == FrameKind::capture && loops_of(item) > 0;
    const std::string count =
        item.count == kEndless || is_whole ? "" : std::to_string(item.count) + "x";
    if (item.kind == FrameKind::steady) {
        return count + rate_text(item.rate);
    }
    return count + generator_text(item, *find_generator(item.kind));
}

}  // namespace isotick::core
