// A peer's course as a file, and the sum of what it did.

#include "../run/messages.hpp"
#include "../system/files.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/harness/detail/course.hpp>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// What a file begins with, so that none is taken for another.
constexpr std::string_view kCourseTag = "isotick course\n";
constexpr std::string_view kJoinStateTag = "isotick join state\n";

Result<void> write_file(const std::string& path, std::string_view tag, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(tag.data(), static_cast<std::streamsize>(tag.size()));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? Result<void>()
                : tl::unexpected(Error{ErrorCode::io, "cannot be written", path, {}, {}});
}

template <class T>
Result<T> read_file(const std::string& path, std::string_view tag) {
    ISOTICK_TRY_ASSIGN(const auto file, MappedFile::open(path));
    const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                                 file.bytes().size());
    auto what = [&](const std::string& why) {
        return Error{ErrorCode::damaged, why, path, {}, {}};
    };
    if (!bytes.starts_with(tag)) {
        return tl::unexpected(
            what("is not an " + std::string(tag.substr(0, tag.size() - 1)) + " file"));
    }
    return from_bytes<T>(bytes.substr(tag.size())).map_error([&](const Error& error) {
        return what("cannot be read: " + error.message);
    });
}

}  // namespace

Result<void> write_course(const std::string& path, const Course& course) {
    return write_file(path, kCourseTag, to_bytes(course));
}

Result<Course> read_course(const std::string& path) {
    return read_file<Course>(path, kCourseTag);
}

Result<void> write_join_state(const std::string& path, const JoinState& state) {
    return write_file(path, kJoinStateTag, to_bytes(state));
}

Result<JoinState> read_join_state(const std::string& path) {
    return read_file<JoinState>(path, kJoinStateTag);
}

namespace {

using core::ErrorCode;
using core::Result;

// `frame 12` and the like begin what is wrong with it.
auto refuse_sum(const char* what, std::uint64_t number, const std::string& why) {
    return core::fail(ErrorCode::usage,
                      "course: " + std::string(what) + " " + std::to_string(number) + " " + why);
}

/// Walks over a course.
class Walk {
  public:
    explicit Walk(const Course& course) : course_(course) { sums_.ticks_done = course.first_tick; }

    Result<CourseSums> sum_up() {
        for (std::uint64_t frame = 0; frame < course_.frames.size(); ++frame) {
            ISOTICK_TRY(go_back(frame));
            ISOTICK_TRY(run_steps(frame));
        }
        if (sums_.steps != course_.steps.size()) {
            return core::fail(ErrorCode::usage,
                              "course: its frames have " + std::to_string(sums_.steps) +
                                  " steps, but it lists " + std::to_string(course_.steps.size()));
        }
        sums_.open = saved_.size() - final_end_;
        return sums_;
    }

  private:
    Result<void> go_back(std::uint64_t frame) {
        const CourseFrame& at = course_.frames[frame];
        if (!(at.alpha >= 0 && at.alpha < 1)) {
            return refuse_sum("frame", frame,
                              "is rendered at an alpha that is not from 0 to below 1");
        }
        if (at.back == 0) {
            return {};
        }
        const std::string back = "goes back " + std::to_string(at.back) + " ticks";
        if (at.back > saved_.size()) {
            return refuse_sum("frame", frame,
                              back + ", but only " + std::to_string(saved_.size()) + " were run");
        }
        const std::size_t target = saved_.size() - at.back;
        const std::string to = back + " to tick " + std::to_string(course_.first_tick + target);
        if (!saved_[target]) {
            return refuse_sum("frame", frame, to + ", of which no snapshot is kept");
        }
        if (target < final_end_) {
            return refuse_sum("frame", frame,
                              to + " and undoes tick " +
                                  std::to_string(course_.first_tick + final_end_ - 1) +
                                  ", whose step was final");
        }
        saved_.resize(target);
        sums_.ticks_done -= at.back;
        sums_.undone += at.back;
        ++sums_.loads;
        return {};
    }

    Result<void> run_steps(std::uint64_t frame) {
        const std::uint64_t steps = course_.frames[frame].steps;
        if (course_.steps.size() - sums_.steps < steps) {
            return refuse_sum("frame", frame,
                              "has more steps than the " + std::to_string(course_.steps.size()) +
                                  " that are listed");
        }
        for (std::uint64_t i = 0; i < steps; ++i) {
            ISOTICK_TRY(run(course_.steps[sums_.steps]));
        }
        return {};
    }

    Result<void> run(const CourseStep& step) {
        if (step.final) {
            if (final_end_ != saved_.size()) {
                return refuse_sum("step", sums_.steps,
                                  "is final, but the tick before it is neither final nor undone");
            }
            ++final_end_;
        }
        if (step.reloads && !step.saves) {
            return refuse_sum("step", sums_.steps, "loads a snapshot that it does not take");
        }
        saved_.push_back(step.saves);
        ++sums_.ticks_done;
        ++sums_.steps;
        sums_.final_steps += step.final ? 1 : 0;
        sums_.saves += step.saves ? 1 : 0;
        sums_.loads += step.reloads ? 1 : 0;
        return {};
    }

    const Course& course_;
    CourseSums sums_;
    std::vector<bool> saved_;    // of each tick that is done, from the first
    std::size_t final_end_ = 0;  // in saved_: those before are final
};

Result<void> check_guesses(const Course& course, std::uint32_t players) {
    for (std::size_t i = 0; i < course.guesses.size(); ++i) {
        const GuessedInput& guess = course.guesses[i];
        if (guess.step >= course.steps.size()) {
            return refuse_sum("guess", i, "is for a step that there is not");
        }
        if (guess.player >= players && guess.player != ISOTICK_WORLD) {
            return refuse_sum("guess", i,
                              "is for player " + std::to_string(guess.player) +
                                  ", but the session has " + std::to_string(players));
        }
        if (guess.bytes && guess.bytes->size() > ISOTICK_LONGEST_INPUT) {
            return refuse_sum("guess", i, "is longer than an input may be");
        }
        const GuessedInput* before = i == 0 ? nullptr : &course.guesses[i - 1];
        if (before != nullptr && (guess.step < before->step ||
                                  (guess.step == before->step && guess.player <= before->player))) {
            return refuse_sum("guess", i, "does not come behind the one before it");
        }
    }
    return {};
}

}  // namespace

Course nominal_course(core::TickRate rate, std::uint64_t first_tick, std::uint64_t end) {
    Course course;
    course.first_tick = first_tick;
    for (std::uint64_t tick = first_tick; tick < end; ++tick) {
        course.frames.push_back({{rate.time_of(tick + 1) - rate.time_of(tick)}, 0, 1});
    }
    course.steps.resize(course.frames.size());
    return course;
}

Result<CourseSums> sum_up(const Course& course, std::uint32_t players) {
    if (course.frames.size() > kMostCourseFrames || course.steps.size() > kMostCourseSteps) {
        return core::fail(ErrorCode::limit, "course: more frames or steps than a course may have");
    }
    if (course.first_tick > UINT64_MAX / 2) {
        return core::fail(ErrorCode::usage, "course: it begins too late");
    }
    ISOTICK_TRY(check_guesses(course, players));
    return Walk(course).sum_up();
}

}  // namespace isotick::harness
