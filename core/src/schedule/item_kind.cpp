#include "item_kind.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace isotick::core {
namespace {

#define ISOTICK_ITEM_KIND(name, Name) &k##Name##Item,
constexpr std::array kKinds{ISOTICK_FRAME_KINDS(ISOTICK_ITEM_KIND)};
#undef ISOTICK_ITEM_KIND

}  // namespace

void FramesStart::pass(std::span<const std::int64_t> times) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t time : times) {
        elapsed =
            std::min(elapsed + static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)), kMost);
    }
}

std::span<const ItemKind* const> item_kinds() {
    return kKinds;
}

ScheduleItem canonical(const ScheduleItem& item) {
    ScheduleItem result{.kind = item.kind, .count = item.count};
    for (const Parameter& each : kind_of(item).parameters) {
        each.copy(item, result);
    }
    return result;
}

void append_item(std::vector<ScheduleItem>& items, const ScheduleItem& item) {
    const auto is_plain = [](const ScheduleItem& each) { return each.kind == FrameKind::frame; };
    if (!items.empty() && is_plain(item) && is_plain(items.back()) &&
        items.back().duration == item.duration &&
        items.back().count <= kMostItemFrames - item.count) {
        items.back().count += item.count;
    } else {
        items.push_back(item);
    }
}

Problem parameters_problem(const ScheduleItem& item) {
    return first_problem(kind_of(item).parameters, item);
}

Problem check_item(const ScheduleItem& item) {
    if (item.count > kMostItemFrames) {
        return "at most 1000000000000 frames in an item";
    }
    if (kind_of(item).must_end && is_endless(item)) {
        return "a count of frames above zero";
    }
    return kind_of(item).problem(item);
}

}  // namespace isotick::core
