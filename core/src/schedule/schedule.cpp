#include "item_kind.hpp"
#include "repeated_text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <utility>

namespace isotick::core {
namespace {

Result<void> check_all(const std::vector<ScheduleItem>& items) {
    if (items.empty()) {
        return fail(ErrorCode::usage, "a schedule needs at least one frame");
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto refuse = [i](const std::string& problem) {
            return fail(ErrorCode::usage,
                        "schedule item " + std::to_string(i + 1) + ": " + problem);
        };
        if (const auto problem = check_item(items[i])) {
            return refuse("expected " + *problem);
        }
        if (items[i].count == kEndless && i + 1 < items.size()) {
            return refuse("never ends, so none may follow it");
        }
    }
    return {};
}

}  // namespace

Schedule::Schedule(std::vector<ScheduleItem> items)
    : items_(std::make_shared<const std::vector<ScheduleItem>>(std::move(items))) {}

Schedule Schedule::nominal() {
    return Schedule({ScheduleItem{.kind = FrameKind::steady, .count = kEndless}});
}

Result<Schedule> Schedule::from_frames(std::span<const FrameTime> frames) {
    std::vector<ScheduleItem> items;
    for (const FrameTime each : frames) {
        append_item(items, {.duration = each});
    }
    return from_items(items);
}

Result<Schedule> Schedule::from_items(const std::vector<ScheduleItem>& items) {
    ISOTICK_TRY(check_all(items));
    std::vector<ScheduleItem> result;
    for (const ScheduleItem& each : items) {
        append_item(result, canonical(each));
    }
    if (result.size() > kMostItems) {
        return fail(ErrorCode::limit, "a schedule has at most 1000000 items");
    }
    return Schedule(std::move(result));
}

std::string Schedule::to_string() const {
    std::vector<RepeatedText> texts;
    for (const ScheduleItem& each : *items_) {
        texts.push_back({core::to_string(each), kind_of(each).may_be_grouped});
    }
    fold_repeats(texts);
    std::string text;
    for (const RepeatedText& each : texts) {
        text += (text.empty() ? "" : ", ") + each.text;
    }
    return text;
}

FrameSource Schedule::frames(TickRate session_rate) const {
    return {items_, session_rate};
}

bool Schedule::may_end() const {
    return items_->back().count != kEndless;
}

}  // namespace isotick::core
