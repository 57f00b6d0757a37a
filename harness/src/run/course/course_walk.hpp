#pragma once
// The course of a trial, and what follows from it for each step.

#include "earlier_inputs.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/peers/course.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// Steps are counted as TrialStatistics::ticks does: step n is the one before which n were taken.
class CourseWalk {
  public:
    /// The course that `plan` asks for, in a file or by an axis, which then stands in plan.course;
    /// none: it asks for none. Fails with `usage` where it cannot be run with so many players, with
    /// what else is asked for, or with the simulation.
    [[nodiscard]] static core::Result<std::optional<CourseWalk>> open(
        TrialPlan& plan, const isotick_simulation_table& table, std::uint32_t players);

    [[nodiscard]] const Course& course() const { return course_; }
    [[nodiscard]] const CourseStep& step(std::uint64_t n) const { return course_.steps[n]; }

    /// Whether snapshots are taken.
    [[nodiscard]] bool saves() const { return sums_.saves > 0; }

    /// The first tick whose snapshot is needed behind frame `frame`; UINT64_MAX: of none.
    [[nodiscard]] std::uint64_t first_needed(std::uint64_t frame) const {
        return first_needed_.empty() ? UINT64_MAX : first_needed_[frame];
    }

    /// Whether the plan ends the trial, before the course ends, where `n` steps were taken.
    [[nodiscard]] bool ends_early_with(std::uint64_t n) const {
        return n >= planned_ && n < sums_.steps;
    }
    /// Whether nothing is stepped any more where `n` steps were taken.
    [[nodiscard]] bool is_over_with(std::uint64_t n) const { return n >= planned_; }
    /// Whether step `n` is the last final one that the trial takes.
    [[nodiscard]] bool is_last_final(std::uint64_t n) const { return n == last_final_; }

    /// The inputs of step `n`: `agreed`, which has one entry per player and the world's last, with
    /// this course's guesses. Steps are asked for in order. Valid until the next call, and as long
    /// as `agreed`.
    [[nodiscard]] std::span<const isotick_input> inputs(std::uint64_t n,
                                                        std::span<const isotick_input> agreed);

  private:
    [[nodiscard]] std::span<const isotick_input> drawn_inputs(
        std::uint64_t n, std::span<const isotick_input> agreed);

    CourseWalk(Course course, CourseSums sums);

    void plan_end(const TrialPlan& plan);

    Course course_;
    CourseSums sums_;
    std::vector<std::uint64_t> first_needed_;  // by frame; empty where none goes back
    std::uint64_t planned_ = 0;                // steps
    std::uint64_t last_final_ = UINT64_MAX;
    std::size_t next_guess_ = 0;
    std::vector<isotick_input> inputs_;
    std::optional<EarlierInputs> earlier_;  // where guesses are drawn
};

}  // namespace isotick::harness
