#include "rollback.hpp"

#include "../axes/axis.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
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

// Games save more often than they go back: what saving does must not matter either.
void save_in_vain(std::vector<CourseStep>& steps, std::uint64_t seed) {
    core::Pcg32 random(core::derive_seed(seed, {steps.size()}));
    for (CourseStep& step : steps) {
        step.saves = step.saves || (step.final && random.chance(1, 4));
    }
}

}  // namespace

core::Result<Course> rollback_course(const RollbackOptions& options, std::uint64_t ticks,
                                     core::TickRate rate) {
    if (options.part != RollbackPart::all) {
        Course course = nominal_course(rate, 0, ticks);
        for (CourseStep& step : course.steps) {
            step.saves = true;
            step.reloads = options.part == RollbackPart::reloads;
        }
        return course;
    }
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
    if (!options.every) {
        save_in_vain(course.steps, options.seed);
    }
    if (!options.right_guesses) {
        course.guess_seed = options.seed;
    }
    return course;
}

// The axis `rollback`: ticks are run ahead on guessed inputs, undone by a snapshot and run again,
// as in `rollback=8 seed 7`, `rollback=8 every 2` and `rollback=3 every 3 right`.

namespace {

using core::ErrorCode;
using core::Result;

constexpr std::uint32_t kDeepest = 256;
constexpr std::uint32_t kRollbackLongest = 1'000'000;  // between two times of going back

/// Takes a value apart from its beginning.
class ValueReader {
  public:
    explicit ValueReader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool takes(std::string_view word) {
        const bool found = rest_.starts_with(word);
        rest_.remove_prefix(found ? word.size() : 0);
        return found;
    }

    /// False where there is none, or it is not in [least, most].
    template <class Number>
    [[nodiscard]] bool reads(Number& number, Number least, Number most) {
        const auto [end, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return error == std::errc() && number >= least && number <= most;
    }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

// The words for less than all of going back, in the order of RollbackPart.
constexpr std::array<std::string_view, 2> kParts{"saves", "reloads"};

bool read(ValueReader& reader, RollbackOptions& options) {
    for (std::size_t part = 0; part < kParts.size(); ++part) {
        if (reader.takes(kParts[part])) {
            options.part = RollbackPart{static_cast<std::uint8_t>(part)};
            return reader.at_end();
        }
    }
    if (!reader.reads(options.depth, std::uint32_t{1}, kDeepest)) {
        return false;
    }
    if (reader.takes(" every ") &&
        !reader.reads(options.every.emplace(), std::uint32_t{1}, kRollbackLongest)) {
        return false;
    }
    options.right_guesses = reader.takes(" right");
    if (reader.takes(" seed ") && !reader.reads(options.seed, std::uint64_t{0}, UINT64_MAX)) {
        return false;
    }
    return reader.at_end();
}

Result<RollbackOptions> parse_rollback(std::string_view value) {
    RollbackOptions options;
    ValueReader reader(value);
    if (!read(reader, options)) {
        return core::fail(ErrorCode::usage,
                          "expected how many ticks to go back, 1 to " + std::to_string(kDeepest) +
                              ", as in '8', '8 seed 7', '8 every 2' or '8 every 8 right', or "
                              "'saves' or 'reloads', not '" +
                              std::string(value) + "'");
    }
    return options;
}

std::string rollback_text(const RollbackOptions& options) {
    if (options.part != RollbackPart::all) {
        return std::string(kParts[static_cast<std::size_t>(options.part)]);
    }
    return std::to_string(options.depth) +
           (options.every ? " every " + std::to_string(*options.every) : "") +
           (options.right_guesses ? " right" : "") +
           (options.seed != 0 ? " seed " + std::to_string(options.seed) : "");
}

Result<void> check_rollback(std::string_view value) {
    return parse_rollback(value).map([](RollbackOptions&&) {});
}

std::string draw_rollback(core::Pcg32& random) {
    constexpr std::uint32_t kUsualDeepest = 16;
    constexpr std::uint32_t kSeeds = 1'000'000;
    const std::uint32_t depth = 2 + random.below(kUsualDeepest - 1);
    return rollback_text({.depth = depth, .seed = 1 + random.below(kSeeds)});
}

// 1, 2, 3, 4, 6, 8, 12, 16, …
std::uint32_t next_deeper(std::uint32_t depth) {
    return depth < 2 ? depth + 1 : std::has_single_bit(depth) ? depth / 2 * 3 : depth / 3 * 4;
}

// Less than all of going back, then nominal frames and equal depths, first with right guesses: then
// it is going back that matters, and how far.
std::vector<std::string> plainer_rollback(std::string_view value) {
    const auto original = parse_rollback(value);
    if (!original) {
        return {};
    }
    std::vector<std::string> values(kParts.begin(), kParts.end());
    const bool is_all = original->part == RollbackPart::all;
    for (const bool right : {true, false}) {
        for (std::uint32_t depth = 1; is_all && depth <= original->depth;
             depth = next_deeper(depth)) {
            RollbackOptions plain = *original;
            plain.depth = depth;
            plain.every = depth;
            plain.right_guesses = right;
            plain.seed = right ? 0 : original->seed;
            values.push_back(rollback_text(plain));
        }
    }
    const auto itself = std::ranges::find(values, rollback_text(*original));
    values.erase(itself, values.end());
    return values;
}

Result<std::uint64_t> rollback_ticks(const std::string& recording) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    if (const auto indexed = reader.indexed_ticks()) {
        return *indexed;
    }
    return replay::survey(recording).map([](const replay::Survey& survey) { return survey.ticks; });
}

Result<Course> rollback_to_course(std::string_view value, const std::string& recording) {
    ISOTICK_TRY_ASSIGN(const auto options, parse_rollback(value));
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    ISOTICK_TRY_ASSIGN(const std::uint64_t ticks, rollback_ticks(recording));
    return rollback_course(options, ticks, reader.head().session.rate);
}

// What load frees and allocates, and the order of elements in what it fills.
constexpr std::array<std::string_view, 2> kRollbackBrings{"heap", "containers"};

constexpr std::array kRollbackMeanings{
    Meaning{"saves", "saving: a snapshot is taken before each tick, and none is loaded",
            "save, which changes something that step reads"},
    Meaning{"reloads", "saving and loading: each snapshot is loaded at once, with nothing between",
            "a member that save leaves out, or that load sets to something else"}};

}  // namespace

extern const Axis kRollbackAxis;
const Axis kRollbackAxis{
    .name = "rollback",
    .varies = "ticks that are run ahead, undone by a snapshot and run again",
    .check = check_rollback,
    .draw = draw_rollback,
    .by_default = true,
    .one_in = 16,
    .needs = ISOTICK_CAN_SAVE,
    .plainer = plainer_rollback,
    .to_course = rollback_to_course,
    .look_at =
        "state that load does not restore: a cache, a static, "
        "a member that serialize does not visit; isotick audit may name it",
    .meanings = kRollbackMeanings,
    .stands_for = "rollback: ticks are run ahead, undone by loading a snapshot, and run again",
    .brings = kRollbackBrings};

}  // namespace isotick::harness
