#include "random_course.hpp"

#include <isotick/core/random.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <algorithm>
#include <stdexcept>

namespace isotick::tests {
namespace {

using harness::Course;
using harness::CourseFrame;
using harness::CourseStep;

constexpr core::FrameTime kFrame{16'666'667};

/// Draws a course frame by frame.
class Session {
  public:
    Session(const SessionInputs& inputs, const RandomCourseOptions& options)
        : inputs_(inputs), options_(options), random_(options.seed, 17) {
        course_.first_tick = next_ = known_ = options.first_tick;
    }

    Course draw() {
        while (known_ < inputs_.size() || next_ < inputs_.size() || wrong_) {
            known_ = std::min<std::uint64_t>(inputs_.size(), known_ + draw(16) / 12 * draw(12));
            frame();
        }
        return std::move(course_);
    }

  private:
    std::uint64_t draw(std::uint32_t below) { return random_.next() % below; }

    void frame() {
        CourseFrame frame{{kFrame.nanoseconds + static_cast<std::int64_t>(draw(5'000'000))}};
        frame.alpha = 0.125 * static_cast<double>(draw(8));
        const std::uint64_t reached = next_;
        if (wrong_ && *wrong_ < known_) {
            frame.back = static_cast<std::uint32_t>(next_ - *wrong_);
            next_ = *wrong_;
            wrong_.reset();
        }
        const std::uint64_t most =
            std::min<std::uint64_t>(inputs_.size(), known_ + options_.window);
        const std::uint64_t end = std::min(most, reached + draw(4));
        for (; next_ < end; ++next_, ++frame.steps) {
            step();
        }
        course_.frames.push_back(frame);
    }

    void step() {
        const bool guesses = next_ >= known_;
        if (guesses && draw(100) < options_.wrong_percent && guess()) {
            wrong_ = wrong_.value_or(next_);
        }
        course_.steps.push_back({guesses, !wrong_});
    }

    // That somebody does again what was done in another tick. False where that is no other input.
    bool guess() {
        const auto player = static_cast<std::uint32_t>(draw(static_cast<std::uint32_t>(players())));
        const auto& other = inputs_[draw(static_cast<std::uint32_t>(inputs_.size()))][player];
        if (other == inputs_[next_][player]) {
            return false;
        }
        course_.guesses.push_back({course_.steps.size(), player, other});
        return true;
    }

    [[nodiscard]] std::size_t players() const { return inputs_.front().size(); }

    const SessionInputs& inputs_;
    RandomCourseOptions options_;
    core::Pcg32 random_;
    Course course_;
    std::uint64_t known_ = 0;             // ticks whose inputs are there
    std::uint64_t next_ = 0;              // tick to be run
    std::optional<std::uint64_t> wrong_;  // the first tick that ran on a wrong guess
};

}  // namespace

SessionInputs recorded_inputs(const std::string& path) {
    auto reader = replay::Reader::open(path).value();
    replay::RecordedTicks ticks(reader);
    SessionInputs inputs;
    while (ticks.advance().value()) {
        auto& row = inputs.emplace_back();
        for (const isotick_input& input : ticks.inputs().first(ticks.inputs().size() - 1)) {
            row.push_back(input.present == 0
                              ? std::nullopt
                              : std::optional(std::vector(input.data, input.data + input.size)));
        }
    }
    return inputs;
}

Course random_course(const SessionInputs& inputs, const RandomCourseOptions& options) {
    return Session(inputs, options).draw();
}

Course lockstep_course(std::uint64_t ticks) {
    Course course;
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        course.frames.push_back({kFrame, 0, 0, 0.25});
        course.frames.push_back({kFrame, 0, 1, 0.5});
        course.steps.emplace_back();
    }
    return course;
}

Course one_rollback(std::uint64_t ticks, std::uint64_t to, std::uint32_t back,
                    std::uint32_t players) {
    Course course;
    const std::uint64_t from = to + 1 - back;
    for (std::uint64_t tick = 0; tick <= to; ++tick) {
        course.frames.push_back({kFrame, 0, 1, 0.5});
        course.steps.push_back({tick >= from, tick < from});
    }
    for (std::uint32_t player = 0; player < players; ++player) {
        course.guesses.push_back({from, player, std::nullopt});
    }
    course.frames.push_back({kFrame, back, back, 0.5});
    course.steps.insert(course.steps.end(), back, {});
    for (std::uint64_t tick = to + 1; tick < ticks; ++tick) {
        course.frames.push_back({kFrame, 0, 1, 0.5});
        course.steps.emplace_back();
    }
    return course;
}

}  // namespace isotick::tests
