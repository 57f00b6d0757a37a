// Captured frame times, and the schedule item that plays them.

#include "parameters.hpp"

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

namespace isotick::core {
namespace {

Result<void> check(std::span<const std::int64_t> ends) {
    if (ends.empty()) {
        return fail(ErrorCode::damaged, "the capture holds no frames");
    }
    if (ends.size() > CapturedFrames::kMostFrames) {
        return fail(ErrorCode::limit, "the capture holds more than " +
                                          std::to_string(CapturedFrames::kMostFrames) + " frames");
    }
    std::int64_t start = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const bool is_bounded = ends[i] >= start && ends[i] <= CapturedFrames::kLongestCapture;
        if (!is_bounded || ends[i] - start > kLongestDuration) {
            return fail(ErrorCode::damaged, "frame " + std::to_string(i) +
                                                " of the capture does not last 0ms to 3600s");
        }
        start = ends[i];
    }
    return {};
}

}  // namespace

CapturedFrames::CapturedFrames(std::vector<std::int64_t> owned, std::span<const std::int64_t> ends,
                               std::shared_ptr<const FrameKeeper> keeper)
    : owned_(std::move(owned)), ends_(keeper ? ends : owned_), keeper_(std::move(keeper)) {}

Result<std::shared_ptr<const CapturedFrames>> CapturedFrames::own(std::vector<std::int64_t> ends) {
    return check(ends).map([&ends] {
        return std::shared_ptr<const CapturedFrames>(
            new CapturedFrames(std::move(ends), {}, nullptr));
    });
}

Result<std::shared_ptr<const CapturedFrames>> CapturedFrames::view(
    std::span<const std::int64_t> ends, std::shared_ptr<const FrameKeeper> keeper) {
    return check(ends).map([&] {
        return std::shared_ptr<const CapturedFrames>(
            new CapturedFrames({}, ends, std::move(keeper)));
    });
}

bool operator==(const Capture& left, const Capture& right) {
    return left.path == right.path &&
           (left.frames == right.frames ||
            std::ranges::equal(left.frames->ends(), right.frames->ends()));
}

// `capture("run.csv", from=10s, for=5s, scale=50%)`: frames that somebody measured, over and over.

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

constexpr Parameter kPath{
    {"path",
     [](TextCursor& cursor, ScheduleItem& item) {
         return cursor.read_path().map([&item](std::string&& path) {
             item.capture.capture =
                 std::make_shared<const Capture>(Capture{std::move(path), nullptr});
         });
     },
     [](const ScheduleItem& item) { return quoted(item.capture.capture->path); },
     copy_member<&ScheduleItem::capture>}};

Result<void> read_length(TextCursor& cursor, ScheduleItem& item) {
    const std::size_t start = cursor.position();
    ISOTICK_TRY_ASSIGN(item.other_duration, cursor.read_duration());
    return item.other_duration.nanoseconds >= 1
               ? Result<void>()
               : TextCursor::error_at(start, "expected a duration from 1ns");
}

/// A duration in the capture's own time, zero where it is left out.
template <auto Member, const auto& limits>
constexpr Parameter part_parameter(std::string_view name) {
    return optional(named(duration_parameter<Member, limits>(name)),
                    [](const ScheduleItem& item) { return (item.*Member).nanoseconds == 0; });
}

constexpr Limits<FrameTime> kStarts{{0}, {INT64_MAX}, "a duration from 0ms"};
constexpr Parameter kFrom = part_parameter<&ScheduleItem::duration, kStarts>("from");

constexpr Limits<FrameTime> kLengths{{0}, {INT64_MAX}, "a duration from 1ns"};
constexpr Parameter for_parameter() {
    Parameter length = part_parameter<&ScheduleItem::other_duration, kLengths>("for");
    length.read = read_length;
    return length;
}

constexpr Limits<std::uint32_t> kScales{1, kMostScale, "a scale from 0.1% to 10000%"};
constexpr Parameter kScale = optional(named({share_word<&ScheduleItem::scale, kScales>("scale")}),
                                      [](const ScheduleItem& item) { return item.scale == 1000; });

/// Into `burst_frames`, until the item is resolved. Then loops are a part of its count.
Result<void> read_loops(TextCursor& cursor, ScheduleItem& item) {
    return store(cursor.read_number("a number of loops", 1, kMostLoops), item.burst_frames);
}

constexpr Parameter kLoops =
    optional(named({{"loops", read_loops,
                     [](const ScheduleItem& item) { return std::to_string(loops_of(item)); },
                     [](const ScheduleItem&, ScheduleItem&) {}}}),
             [](const ScheduleItem& item) { return loops_of(item) <= 1; });

constexpr std::array kCaptureParameters{kPath, kFrom, for_parameter(), kScale, kLoops};

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
    return TextCursor::refuse(check_item(item), start);
}

/// Frame k of a pass ends at the floored scaled time at which it ended in the capture.
Frames capture_frames(const ScheduleItem& item, const FramesStart&) {
    const auto frames = item.capture.capture->frames;
    const FrameRange range = captured_range(item);
    const std::int64_t start = range.first == 0 ? 0 : frames->ends()[range.first - 1];
    // `last` is where the frame before ended, `rest` what is still to come, in 1/1000 ns.
    return frames_of([frames, ends = frames->ends().subspan(range.first, range.size()),
                      scale = std::int64_t{item.scale}, start, at = std::size_t{0}, last = start,
                      rest = std::int64_t{0}]() mutable {
        // A frame of an hour, a hundred times slower, is far from 2^63 thousandths of a nanosecond.
        const std::int64_t time = (ends[at] - last) * scale + rest;
        last = ends[at];
        rest = time % 1000;
        if (++at == ends.size()) {
            at = 0;
            last = start;
            rest = 0;
        }
        return time / 1000;
    });
}

}  // namespace

constinit const ItemKind kCaptureItem{
    .name = "capture",
    .parameters = kCaptureParameters,
    .frames = capture_frames,
    .weights = {.alone = 0, .block = 0},
    .must_end = true,
    .resolve = resolve,
    .problem = capture_problem,
    .is_count_implied = [](const ScheduleItem& item) { return loops_of(item) > 0; }};

}  // namespace isotick::core
