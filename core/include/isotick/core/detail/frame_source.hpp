#pragma once
// The frame times of a schedule, one after the other.

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace isotick::core {

/// Endless and deterministic: two sources of equal schedules and session rates, and a source and
/// its copy, give the same frame times. Needs the same small memory however many frames are
/// drawn, and shares the schedule's items. Not thread-safe. A moved-from source may only be
/// assigned to or destroyed.
class FrameSource {
  public:
    /// Made by Schedule::frames. `items` must be those of a Schedule.
    FrameSource(std::shared_ptr<const std::vector<ScheduleItem>> items, TickRate session_rate);
    FrameSource(const FrameSource& other);
    FrameSource& operator=(const FrameSource& other);
    FrameSource(FrameSource&&) noexcept;
    FrameSource& operator=(FrameSource&&) noexcept;
    ~FrameSource();

    /// The next frame time; may be zero or negative where the schedule says so.
    [[nodiscard]] FrameTime next();

    /// How many times the schedule has started again from its beginning.
    [[nodiscard]] std::uint64_t repeats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace isotick::core
