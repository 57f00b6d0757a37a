// `capture("run.csv", from=10s, for=5s, scale=50%)`: frames that somebody measured, over and over.

#include "../parameters.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

namespace isotick::core {
namespace {

/// The frames that an item plays in one pass, as indices: from the first one that begins at
/// `duration` or later up to, without it, the first that begins `other_duration` after that.
struct FrameRange {
    std::size_t first;
    std::size_t end;

    [[nodiscard]] std::size_t size() const { return end - first; }
};

FrameRange captured_range(const ScheduleItem& item) {
    const auto ends = item.capture.capture->frames->ends();
    // The first frame that begins at `time` or later: the one after the first that ends there.
    const auto first_from = [ends](std::uint64_t time) {
        const auto found = std::ranges::lower_bound(
            ends, time, {}, [](std::int64_t end) { return static_cast<std::uint64_t>(end); });
        const auto index = static_cast<std::size_t>(found - ends.begin()) + 1;
        return time == 0 ? 0 : std::min(index, ends.size());
    };
    const auto from = static_cast<std::uint64_t>(item.duration.nanoseconds);
    const auto length = static_cast<std::uint64_t>(item.other_duration.nanoseconds);
    return {first_from(from), length == 0 ? ends.size() : first_from(from + length)};
}

/// How often a capture is played from end to end; 0: it stops within, after `count` frames.
std::uint64_t loops_of(const ScheduleItem& item) {
    const std::uint64_t frames = captured_range(item).size();
    const std::uint64_t loops = item.count / frames;
    return item.count % frames == 0 && loops <= kMostLoops ? loops : 0;
}

std::string quoted(std::string_view path) {
    std::string text = "\"";
    for (const char each : path) {
        text += each == '"' || each == '\\' ? "\\" : "";
        text += each;
    }
    return text + "\"";
}

constexpr Parameter kPath{
    "path",
    [](TextCursor& cursor, ScheduleItem& item) {
        return cursor.read_path().map([&item](std::string&& path) {
            item.capture.capture =
                std::make_shared<const Capture>(Capture{std::move(path), nullptr});
        });
    },
    [](const ScheduleItem& item) { return quoted(item.capture.capture->path); },
    copy_member<&ScheduleItem::capture>};

/// A duration in the capture's own time, zero where it is left out.
template <auto Member>
constexpr Parameter part_parameter(std::string_view name) {
    Parameter part = duration_parameter<Member>(name);
    part.is_named = part.is_optional = true;
    part.is_usual = [](const ScheduleItem& item) { return (item.*Member).nanoseconds == 0; };
    return part;
}

constexpr Parameter from_parameter() {
    return limited(part_parameter<&ScheduleItem::duration>("from"), [](const ScheduleItem& item) {
        return unless(item.duration.nanoseconds >= 0, "a duration from 0ms");
    });
}

constexpr Parameter for_parameter() {
    Parameter length = part_parameter<&ScheduleItem::other_duration>("for");
    length.read = [](TextCursor& cursor, ScheduleItem& item) -> Result<void> {
        const std::size_t start = cursor.position();
        ISOTICK_TRY_ASSIGN(item.other_duration, cursor.read_duration());
        if (item.other_duration.nanoseconds < 1) {
            return TextCursor::error_at(start, "expected a duration from 1ns");
        }
        return {};
    };
    return limited(length, [](const ScheduleItem& item) {
        return unless(item.other_duration.nanoseconds >= 0, "a duration from 1ns");
    });
}

constexpr Parameter kScale{"scale",
                           [](TextCursor& cursor, ScheduleItem& item) {
                               return store(cursor.read_share(kMostScale / 10), item.scale);
                           },
                           [](const ScheduleItem& item) { return share_text(item.scale); },
                           copy_member<&ScheduleItem::scale>,
                           [](const ScheduleItem& item) {
                               return unless(item.scale >= 1 && item.scale <= kMostScale,
                                             "a scale from 0.1% to 10000%");
                           },
                           true,
                           true,
                           [](const ScheduleItem& item) { return item.scale == 1000; }};

/// Are part of the count; in `burst_frames` while the item is read.
constexpr Parameter kLoops{"loops",
                           [](TextCursor& cursor, ScheduleItem& item) {
                               return store(cursor.read_number("a number of loops", 1, kMostLoops),
                                            item.burst_frames);
                           },
                           [](const ScheduleItem& item) { return std::to_string(loops_of(item)); },
                           [](const ScheduleItem&, ScheduleItem&) {},
                           nullptr,
                           true,
                           true,
                           [](const ScheduleItem& item) { return loops_of(item) <= 1; }};

constexpr std::array kParameters{kPath, from_parameter(), for_parameter(), kScale, kLoops};

Problem capture_problem(const ScheduleItem& item) {
    const Capture* const capture = item.capture.capture.get();
    if (capture == nullptr || !capture->frames) {
        return "a capture with frames";
    }
    auto problem = parameters_problem(item);
    if (!problem && captured_range(item).size() == 0) {
        return "a part of the capture in which a frame begins: it lasts " +
               to_string(capture->frames->length());
    }
    return problem;
}

/// Gives an item its frames, and a count where it has none.
Result<void> resolve(const FrameResolver& resolver, std::size_t start, ScheduleItem& item) {
    const std::string path = item.capture.capture->path;
    const std::uint64_t loops = std::exchange(item.burst_frames, 0);
    if (loops != 0 && !is_endless(item)) {
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
    if (is_endless(item)) {
        const std::uint64_t frames = captured_range(item).size();
        item.count = std::max<std::uint64_t>(frames, 1) * std::max<std::uint64_t>(loops, 1);
    }
    if (const auto problem = check_item(item)) {
        return TextCursor::error_at(start, "expected " + *problem);
    }
    return {};
}

/// Frame k of a pass ends at the floored scaled time at which it ended in the capture.
class CaptureFrames {
  public:
    explicit CaptureFrames(const ScheduleItem& item)
        : frames_(item.capture.capture->frames), scale_(item.scale) {
        const auto ends = frames_->ends();
        const FrameRange range = captured_range(item);
        ends_ = ends.subspan(range.first, range.size());
        start_ = range.first == 0 ? 0 : ends[range.first - 1];
        last_ = start_;
    }

    std::int64_t operator()() {
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

  private:
    std::shared_ptr<const CapturedFrames> frames_;
    std::span<const std::int64_t> ends_;  // of those that are played
    std::int64_t scale_;
    std::size_t at_ = 0;
    std::int64_t start_ = 0;  // of the first frame
    std::int64_t last_ = 0;   // where the frame before ended
    std::int64_t rest_ = 0;   // thousandths of a nanosecond that are still to come
};

}  // namespace

constinit const ItemKind kCaptureItem{
    .name = "capture",
    .parameters = kParameters,
    .frames = [](const ScheduleItem& item,
                 const FramesStart&) { return frames_of(CaptureFrames(item)); },
    .weights = {.alone = 0, .block = 0},
    .must_end = true,
    .may_be_grouped = false,
    .resolve = resolve,
    .problem = capture_problem,
    .is_count_implied = [](const ScheduleItem& item) { return loops_of(item) > 0; }};

}  // namespace isotick::core
