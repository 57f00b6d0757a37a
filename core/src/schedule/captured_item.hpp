#pragma once
// The item `capture("run.csv", from=10s, for=5s, scale=50%)`: read, resolved and played.

#include "text_cursor.hpp"

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::core {

[[nodiscard]] Result<void> read_capture_path(TextCursor& cursor, ScheduleItem& item);

/// How long to play for: above zero, which stands for the whole capture.
[[nodiscard]] Result<void> read_length(TextCursor& cursor, ScheduleItem& item);

/// Gives the item that was read at `start` its frames, and a count where it has none; its loops
/// are in `burst_frames` before and in the count after.
[[nodiscard]] Result<void> resolve_capture(const FrameResolver& resolver, std::size_t start,
                                           ScheduleItem& item);

/// The frames of a capture, over and over. Frame k of a pass ends at the floored scaled time at
/// which it ended in the capture. The item's frames must outlive it.
class CaptureFrames {
  public:
    CaptureFrames() = default;
    explicit CaptureFrames(const ScheduleItem& item);
    std::int64_t next();

  private:
    std::span<const std::int64_t> ends_;
    std::size_t at_ = 0;
    std::int64_t start_ = 0;  // of the first frame
    std::int64_t last_ = 0;   // where the frame before ended
    std::int64_t scale_ = 1000;
    std::int64_t rest_ = 0;  // thousandths of a nanosecond that are still to come
};

}  // namespace isotick::core
