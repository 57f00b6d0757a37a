#include "course_walk.hpp"

#include "../../axes/axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/course_file.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

// The tick that each frame goes back to limits what all frames before it can forget.
std::vector<std::uint64_t> first_needed_ticks(const Course& course, std::uint64_t ticks_done) {
    std::vector<std::uint64_t> needed(course.frames.size());
    std::uint64_t first = UINT64_MAX;
    for (std::size_t frame = needed.size(); frame-- > 0;) {
        needed[frame] = first;
        ticks_done -= course.frames[frame].steps;
        if (course.frames[frame].back > 0) {
            first = std::min(first, ticks_done);
        }
        ticks_done += course.frames[frame].back;
    }
    return needed;
}

// How many steps were taken when `tick` is run for the last time; all where it never is.
std::uint64_t steps_until(const Course& course, core::Tick tick) {
    std::uint64_t next = course.first_tick;
    std::uint64_t steps = 0;
    std::uint64_t found = course.steps.size();
    for (const CourseFrame& frame : course.frames) {
        next -= frame.back;
        if (next <= tick.value && tick.value - next < frame.steps) {
            found = steps + (tick.value - next) + 1;
        }
        next += frame.steps;
        steps += frame.steps;
    }
    return found;
}

// The final steps of a course are those of its first ticks, one after another.
bool has_final(const Course& course, const CourseSums& sums, const SnapshotRequest& snapshot) {
    return snapshot.ticks_done > course.first_tick &&
           snapshot.ticks_done - course.first_tick <= sums.final_steps;
}

Result<void> check_requests(const CourseRequest& request, const Course& course,
                            const CourseSums& sums) {
    const bool joins = course.first_tick > 0;
    if (joins != !request.begin_from.empty()) {
        return core::fail(ErrorCode::usage,
                          joins ? "a course that begins at tick " +
                                      std::to_string(course.first_tick) +
                                      " needs a snapshot to begin from"
                                : "a course from tick 0 on begins from no snapshot");
    }
    if (joins && !request.recording.empty()) {
        return core::fail(ErrorCode::usage,
                          "a peer that joins has no recording of its own: it knows nothing of the "
                          "ticks before");
    }
    std::uint64_t least = 0;
    for (const SnapshotRequest& snapshot : request.save_at) {
        if (!has_final(course, sums, snapshot) || snapshot.ticks_done < least) {
            return core::fail(ErrorCode::usage, "no snapshot can be taken behind " +
                                                    std::to_string(snapshot.ticks_done) +
                                                    " ticks: the course has no final step there, "
                                                    "or it is asked for too late");
        }
        least = snapshot.ticks_done + 1;
    }
    return {};
}

Result<void> check_can_save(const TrialPlan& plan, const CourseSums& sums,
                            const isotick_simulation_table& table) {
    const bool needed =
        sums.saves > 0 || !plan.course->save_at.empty() || !plan.course->begin_from.empty();
    if (needed && (table.info->capabilities & ISOTICK_CAN_SAVE) == 0) {
        return core::fail(ErrorCode::usage,
                          std::string(table.info->name) +
                              " takes no snapshots (save and load), which it takes to go back in "
                              "time or to join a session");
    }
    return {};
}

}  // namespace

CourseWalk::CourseWalk(Course course, CourseSums sums) : course_(std::move(course)), sums_(sums) {
    if (sums_.loads > 0) {
        first_needed_ = first_needed_ticks(course_, sums_.ticks_done);
    }
    if (course_.guess_seed) {
        earlier_.emplace(*course_.guess_seed);
    }
}

Result<std::optional<CourseWalk>> CourseWalk::open(TrialPlan& plan,
                                                   const isotick_simulation_table& table,
                                                   std::uint32_t players) {
    std::optional<Course> asked;
    if (plan.course && !plan.course->path.empty()) {
        ISOTICK_TRY_ASSIGN(asked, read_course(plan.course->path));
    } else {
        ISOTICK_TRY_ASSIGN(asked, course_of(plan.drive.axes, plan.recording));
    }
    if (!asked) {
        return std::nullopt;
    }
    plan.course = plan.course.value_or(CourseRequest());
    Course& course = *asked;
    ISOTICK_TRY_ASSIGN(const CourseSums sums, sum_up(course, players));
    ISOTICK_TRY(check_requests(*plan.course, course, sums));
    ISOTICK_TRY(check_can_save(plan, sums, table));
    CourseWalk walk(std::move(course), sums);
    walk.plan_end(plan);
    return std::optional(std::move(walk));
}

void CourseWalk::plan_end(const TrialPlan& plan) {
    planned_ = sums_.steps;
    if (plan.trace) {
        planned_ = std::min(planned_, plan.trace->last);
    }
    if (plan.most_steps != 0) {
        planned_ = std::min(planned_, plan.most_steps);
    }
    if (plan.until) {
        planned_ = std::min(planned_, steps_until(course_, *plan.until));
    }
    for (std::uint64_t n = planned_; n-- > 0 && last_final_ == UINT64_MAX;) {
        last_final_ = step(n).final ? n : UINT64_MAX;
    }
}

std::span<const isotick_input> CourseWalk::drawn_inputs(std::uint64_t n,
                                                        std::span<const isotick_input> agreed) {
    if (!earlier_) {
        return agreed;
    }
    if (!step(n).final) {
        return earlier_->guess(agreed);
    }
    earlier_->add(agreed);
    return agreed;
}

std::span<const isotick_input> CourseWalk::inputs(std::uint64_t n,
                                                  std::span<const isotick_input> agreed) {
    const std::vector<GuessedInput>& guesses = course_.guesses;
    const auto drawn = drawn_inputs(n, agreed);
    if (next_guess_ == guesses.size() || guesses[next_guess_].step != n) {
        return drawn;
    }
    inputs_.assign(drawn.begin(), drawn.end());
    for (; next_guess_ < guesses.size() && guesses[next_guess_].step == n; ++next_guess_) {
        const GuessedInput& guess = guesses[next_guess_];
        isotick_input& input =
            guess.player == ISOTICK_WORLD ? inputs_.back() : inputs_[guess.player];
        input = guess.bytes
                    ? isotick_input{guess.player, 1, guess.bytes->size(), guess.bytes->data()}
                    : isotick_input{guess.player, 0, 0, nullptr};
    }
    return inputs_;
}

}  // namespace isotick::harness
