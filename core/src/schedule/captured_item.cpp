#include "captured_item.hpp"

#include "parameters.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace isotick::core {

Result<void> read_capture_path(TextCursor& cursor, ScheduleItem& item) {
    return cursor.read_path().map([&item](std::string&& path) {
        item.capture.capture = std::make_shared<const Capture>(Capture{std::move(path), nullptr});
    });
}

Result<void> read_length(TextCursor& cursor, ScheduleItem& item) {
    const std::size_t start = cursor.position();
    ISOTICK_TRY_ASSIGN(const auto length, cursor.read_duration());
    if (length.nanoseconds < 1) {
        return TextCursor::error_at(start, "expected a duration from 1ns");
    }
    item.other_duration = length;
    return {};
}

Result<void> resolve_capture(const FrameResolver& resolver, std::size_t start, ScheduleItem& item) {
    const std::string path = item.capture.capture->path;
    const std::uint64_t loops = std::exchange(item.burst_frames, 0);
    if (loops != 0 && item.count != kEndless) {
        return TextCursor::error_at(start, "expected either a count of frames or loops, not both");
    }
    if (!resolver) {
        return TextCursor::error_at(
            start,
            "expected no capture, since nothing here reads files; give Schedule::parse a "
            "resolver, such as isotick::harness::Captures");
    }
    ISOTICK_TRY_ASSIGN(auto resolved, resolver(path));
    item.capture.capture = std::make_shared<const Capture>(Capture{path, std::move(resolved)});
    if (item.count == kEndless) {
        const std::uint64_t frames = captured_range(item).size();
        item.count = std::max<std::uint64_t>(frames, 1) * std::max<std::uint64_t>(loops, 1);
    }
    if (const auto problem = check_item(item)) {
        return TextCursor::error_at(start, "expected " + *problem);
    }
    return {};
}

CaptureFrames::CaptureFrames(const ScheduleItem& item)
    : scale_(static_cast<std::int64_t>(item.every)) {
    const auto ends = item.capture.capture->frames->ends();
    const FrameRange range = captured_range(item);
    ends_ = ends.subspan(range.first, range.size());
    start_ = range.first == 0 ? 0 : ends[range.first - 1];
    last_ = start_;
}

std::int64_t CaptureFrames::next() {
    // A frame of an hour, a hundred times slower, is far from 2^63 thousandths of a nanosecond.
    const std::int64_t time = (ends_[at_] - last_) * scale_ + rest_;
    last_ = ends_[at_];
    rest_ = time % 1000;
    if (++at_ == ends_.size()) {
        at_ = 0;
        last_ = start_;
        rest_ = 0;
    }
    return time / 1000;
}

}  // namespace isotick::core
