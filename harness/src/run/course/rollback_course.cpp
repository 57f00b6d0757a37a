#include "rollback_course.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <string>

namespace isotick::harness {
namespace {

std::uint32_t at_most(std::uint64_t ticks, std::uint32_t limit) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, limit));
}

// Nominal frames: one new tick each, behind those that are run again.
std::vector<CourseFrame> regular_frames(std::uint32_t depth, std::uint32_t every,
                                        std::uint64_t ticks, core::TickRate rate) {
    std::vector<CourseFrame> frames;
    for (std::uint64_t done = 0; done < ticks; ++done) {
        const bool goes_back = done >= depth && (done - depth) % every == 0;
        const std::uint32_t back = goes_back ? depth : 0;
        frames.push_back({{rate.time_of(done + 1) - rate.time_of(done)}, back, back + 1});
    }
    const std::uint32_t last = at_most(ticks, depth);
    frames.push_back({{rate.time_of(1)}, last, last});
    return frames;
}

/// Blocks of ticks that are run ahead, undone and run again.
class DrawnFrames {
  public:
    DrawnFrames(const RollbackOptions& options, core::TickRate rate)
        : depth_(options.depth), tick_ns_(rate.time_of(1)), random_(options.seed) {}

    std::vector<CourseFrame> make(std::uint64_t ticks) && {
        for (std::uint64_t left = ticks; left > 0;) {
            const std::uint32_t block = at_most(left, 1 + random_.below(depth_));
            run_ahead(block);
            left -= block;
            // What it went back for and the first of the next block are often in the same frame.
            ahead_ = at_most(left, random_.below(2));
            add_frame(block, block + ahead_);
        }
        return std::move(frames_);
    }

  private:
    void run_ahead(std::uint32_t block) {
        std::uint32_t left = block - ahead_;
        while (left > 0) {
            const bool idle = random_.chance(1, 8);
            const std::uint32_t steps = idle ? 0 : 1 + random_.below(left);
            add_frame(0, steps);
            left -= steps;
        }
    }

    // About as long as its new ticks take, but not quite.
    void add_frame(std::uint32_t back, std::uint32_t steps) {
        const std::int64_t new_ns = std::int64_t{steps - back} * tick_ns_;
        const std::int64_t least = std::max<std::int64_t>(new_ns - tick_ns_ / 2, 0);
        const core::FrameTime time{random_.between(least, new_ns + tick_ns_ / 2)};
        frames_.push_back({time, back, steps, random_.unit_double()});
    }

    std::uint32_t depth_;
    std::int64_t tick_ns_;
    core::Pcg32 random_;
    std::uint32_t ahead_ = 0;  // ticks of the next block that were run
    std::vector<CourseFrame> frames_;
};

// Back to front: a step is final before the tick that the next load goes back to, where the state
// is saved. Loads never go back further than those before them.
std::vector<CourseStep> steps_of(const std::vector<CourseFrame>& frames, std::uint64_t ticks,
                                 std::uint64_t steps) {
    std::vector<CourseStep> made(steps);
    std::uint64_t next_load = ticks;
    std::uint64_t done = ticks;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        for (std::uint32_t i = 0; i < frame->steps; ++i) {
            --done;
            made[--steps] = {.saves = done == next_load, .final = done < next_load};
        }
        next_load = frame->back > 0 ? done : next_load;
        done += frame->back;
    }
    return made;
}

}  // namespace

core::Result<Course> rollback_course(const RollbackOptions& options, std::uint64_t ticks,
                                     core::TickRate rate) {
    const std::uint64_t each = options.every ? 1 + options.depth / *options.every : 2;
    if (ticks > kMostCourseSteps / (each + 1)) {
        return core::fail(core::ErrorCode::usage,
                          "going back that often takes more steps than the " +
                              std::to_string(kMostCourseSteps) + " that a trial may take");
    }
    Course course;
    course.frames = options.every ? regular_frames(options.depth, *options.every, ticks, rate)
                                  : DrawnFrames(options, rate).make(ticks);
    std::uint64_t steps = 0;
    for (const CourseFrame& frame : course.frames) {
        steps += frame.steps;
    }
    course.steps = steps_of(course.frames, ticks, steps);
    if (!options.right_guesses) {
        course.guess_seed = options.seed;
    }
    return course;
}

}  // namespace isotick::harness
