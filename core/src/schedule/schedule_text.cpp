#include "item_kind.hpp"

#include <isotick/core/detail/text/written.hpp>
#include <isotick/core/schedule.hpp>

namespace isotick::core {
namespace {

std::string parameters_text(const ScheduleItem& item, const ItemKind& kind) {
    std::string text;
    for (const Parameter& each : kind.parameters) {
        if (each.is_usual == nullptr || !each.is_usual(item)) {
            text += text.empty() ? "(" : ", ";
            text += each.is_named ? std::string(each.name) + "=" : "";
            text += each.text(item);
        }
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
    return (time.nanoseconds < 0 ? "-" : "") + quantity_text(magnitude, kTimeUnits);
}

std::string to_string(const ScheduleItem& item) {
    const ItemKind& kind = kind_of(item);
    const std::string count = kind.is_count_implied(item) ? "" : std::to_string(item.count) + "x";
    return count + (kind.name.empty() ? kind.parameters.front().text(item)
                                      : std::string(kind.name) + parameters_text(item, kind));
}

}  // namespace isotick::core
