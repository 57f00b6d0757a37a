#pragma once
// Schedules: sequences of frame times with a compact text form that prints back exactly, so that
// one line reproduces how a simulation was driven. The grammar is in SCHEDULES.md.

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/detail/frame_source.hpp>
#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// A sequence of frame times: one or more items, one after the other. A schedule that ends starts
/// again from its beginning, frame for frame. Immutable and cheap to copy; reads are thread-safe.
/// Same schedule and session rate: same frame times, on every platform and in every version 1.
class Schedule {
  public:
    static constexpr std::size_t kMostTextBytes = std::size_t{16} << 20;
    static constexpr std::size_t kMostItems = 1'000'000;

    /// Reads the text form. Fails with ErrorCode::usage, the column (bytes, from 1) and what was
    /// expected there, also where a limit of schedule_item.hpp or kMostTextBytes is exceeded.
    /// `resolver` gives the frames of captures, and its errors are passed on; without one, an item
    /// `capture(…)` is an error that says so.
    [[nodiscard]] static Result<Schedule> parse(std::string_view text,
                                                const FrameResolver& resolver = {});

    /// The nominal schedule of the session's own tick rate, endless: exactly one tick per frame.
    [[nodiscard]] static Schedule nominal();

    /// These frame times in order; runs of equal ones become one item. Fails where there are none
    /// or more than kMostItems runs.
    [[nodiscard]] static Result<Schedule> from_frames(std::span<const FrameTime> frames);

    /// These items in order. Fails where there are none or more than kMostItems, a parameter
    /// exceeds its limits, or an item follows one that never ends.
    [[nodiscard]] static Result<Schedule> from_items(const std::vector<ScheduleItem>& items);

    /// The canonical text: `parse` reads it back to an equal schedule as long as it is no longer
    /// than kMostTextBytes (over a million unequal frame times), with a resolver that gives the
    /// same frames for the same path.
    [[nodiscard]] std::string to_string() const;

    /// The items in canonical form: neighbouring equal frame times are one item. Valid while any
    /// copy of this schedule lives.
    [[nodiscard]] std::span<const ScheduleItem> items() const& { return *items_; }
    void items() const&& = delete;  // would dangle

    /// The frame times from the first one on. `nominal` and `mix` follow `session_rate`. The
    /// source is independent of this object's lifetime.
    [[nodiscard]] FrameSource frames(TickRate session_rate) const;

    /// Whether the schedule ends, and so repeats in a long session.
    [[nodiscard]] bool may_end() const;

    friend bool operator==(const Schedule& left, const Schedule& right) {
        return *left.items_ == *right.items_;
    }

  private:
    explicit Schedule(std::vector<ScheduleItem> items);

    std::shared_ptr<const std::vector<ScheduleItem>> items_;
};

/// `16.667ms`, exactly, as a schedule spells it.
[[nodiscard]] std::string to_string(FrameTime time);

}  // namespace isotick::core
