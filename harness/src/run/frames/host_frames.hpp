#pragma once
// What a host does in one frame after another: as a loop makes it of frame times, or as the course
// of a peer says.

#include <isotick/core/loops.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/peers/course.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

namespace isotick::harness {

/// A value: copying it copies how far it has come.
class HostFrames {
  public:
    struct Next {
        core::FrameTime frame_time;
        core::HostFrame frame;
    };

    HostFrames(core::Loop loop, core::FrameSource frames)
        : way_(Looped{std::move(loop), std::move(frames)}) {}
    /// `course` must outlive this.
    explicit HostFrames(const Course& course) : way_(Planned{&course, 0}) {}

    /// Requires !at_end().
    [[nodiscard]] Next next() {
        if (auto* looped = std::get_if<Looped>(&way_)) {
            const core::FrameTime frame_time = looped->frames.next();
            return {frame_time, looped->loop.advance(frame_time)};
        }
        auto& [course, next] = std::get<Planned>(way_);
        const CourseFrame& frame = course->frames[next++];
        core::HostFrame done;
        done.plan.ticks = frame.steps;
        done.plan.alpha = frame.alpha;
        done.back = frame.back;
        return {frame.frame_time, done};
    }

    /// A loop goes on for ever.
    [[nodiscard]] bool at_end() const {
        const auto* planned = std::get_if<Planned>(&way_);
        return planned != nullptr && planned->next == planned->course->frames.size();
    }

    /// How often the schedule has repeated so far.
    [[nodiscard]] std::uint64_t repeats() const {
        const auto* looped = std::get_if<Looped>(&way_);
        return looped != nullptr ? looped->frames.repeats() : 0;
    }

    /// The loop goes on with `frames`. Nothing where there is no loop.
    void go_on_with(core::FrameSource frames) {
        if (auto* looped = std::get_if<Looped>(&way_)) {
            looped->frames = std::move(frames);
        }
    }

  private:
    struct Looped {
        core::Loop loop;
        core::FrameSource frames;
    };
    struct Planned {
        const Course* course;
        std::size_t next;
    };

    std::variant<Looped, Planned> way_;
};

}  // namespace isotick::harness
