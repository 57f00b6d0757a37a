#include "seat.hpp"

#include <algorithm>

namespace isotick::harness {

void CourseWriter::begin_frame(core::FrameTime frame_time, std::uint64_t back) {
    course_.frames.push_back({frame_time, static_cast<std::uint32_t>(back), 0, 0});
    for (std::uint64_t i = 0; i < back; ++i) {
        --tick_;
        drop(latest_[tick_ % kKept]);
    }
}

void CourseWriter::begin_step(const PeerStep& step) {
    latest_.resize(kKept);
    tick_ = step.tick.value + 1;
    latest_[step.tick.value % kKept].step = course_.steps.size();
    latest_[step.tick.value % kKept].used = 0;
    course_.steps.push_back({step.saves, true});
    ++course_.frames.back().steps;
}

GuessedInput CourseWriter::noted(std::size_t step, const isotick_input& input) {
    GuessedInput noted{step, input.player, std::nullopt};
    if (input.present != 0) {
        noted.bytes.emplace(input.data, input.data + input.size);
    }
    return noted;
}

void CourseWriter::note(const isotick_input& input, bool guessed) {
    GuessedInput noted = CourseWriter::noted(course_.steps.size() - 1, input);
    if (!guessed) {
        course_.guesses.push_back(std::move(noted));
        return;
    }
    Latest& latest = latest_[(tick_ - 1) % kKept];
    if (latest.used == latest.guesses.size()) {
        latest.guesses.emplace_back();
    }
    latest.guesses[latest.used++] = std::move(noted);
}

void CourseWriter::drop(Latest& latest) {
    course_.steps[latest.step].final = false;
    for (std::size_t i = 0; i < latest.used; ++i) {
        course_.guesses.push_back(std::move(latest.guesses[i]));
    }
    latest.used = 0;
}

Course CourseWriter::finish(std::uint64_t verified) {
    for (std::uint64_t tick = std::max(verified, course_.first_tick); tick < tick_; ++tick) {
        drop(latest_[tick % kKept]);
    }
    std::ranges::sort(course_.guesses, [](const GuessedInput& left, const GuessedInput& right) {
        return left.step != right.step ? left.step < right.step : left.player < right.player;
    });
    return std::move(course_);
}

}  // namespace isotick::harness
