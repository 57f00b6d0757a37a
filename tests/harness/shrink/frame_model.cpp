#include "frame_model.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace isotick::harness::tests {

using core::FrameTime;

namespace {

constexpr std::size_t kMostCheckpoints = 12;  // processes

}  // namespace

void FrameModel::run_frame(FrameTime time) {
    const std::uint64_t ticks = loop_.advance(time).ticks;
    facts_.time = time;
    facts_.ticks_in_frame = ticks;
    ++facts_.frames;
    facts_.odd_frames += (time.nanoseconds + 500'000) / 1'000'000 == 17 ? 0 : 1;
    facts_.sum_ns += time.nanoseconds;
    facts_.chain =
        (facts_.chain + static_cast<std::uint64_t>(time.nanoseconds)) * 0x9e3779b97f4a7c15U;
    if (ticks >= 4) {
        ++facts_.hitches;
        facts_.hitched = facts_.hitched.value_or(facts_.tick);
        facts_.longest_gap = facts_.hitches > 1 ? facts_.frames - last_hitch_ : 0;
        last_hitch_ = facts_.hitches > 1 ? last_hitch_ : facts_.frames;
    }
    for (std::uint64_t i = 0; i < ticks && !diverged_at_; ++i, ++facts_.tick) {
        facts_.tick_in_frame = i;
        if (fault_(facts_)) {
            diverged_at_ = core::Tick{facts_.tick};
        }
    }
    facts_.idle_frames = ticks == 0 ? facts_.idle_frames + 1 : 0;
    facts_.most_idle_frames = std::max(facts_.most_idle_frames, facts_.idle_frames);
}

core::Result<RanCandidate> ModelRunner::operator()(const ScheduleCandidate& candidate) {
    const std::vector<FrameTime> frames = frames_in(candidate.runs, loop_.rate);
    const auto begins_with = [&](const std::vector<FrameTime>& prefix) {
        return prefix.size() <= frames.size() &&
               std::equal(prefix.begin(), prefix.end(), frames.begin());
    };
    while (!checkpoints_.empty() && !begins_with(checkpoints_.back().frames)) {
        checkpoints_.pop_back();
    }
    FrameModel model = checkpoints_.empty() ? FrameModel(loop_, fault_) : checkpoints_.back().model;
    std::size_t done = checkpoints_.empty() ? 0 : checkpoints_.back().frames.size();
    const std::uint64_t ticks_before = model.ticks();
    for (const std::uint64_t checkpoint : candidate.checkpoints) {
        for (; done < checkpoint && done < frames.size() && !model.diverged_at(); ++done) {
            model.run_frame(frames[done]);
        }
        if (shares_ && done == checkpoint && !model.diverged_at()) {
            const auto middle = frames.begin() + static_cast<std::ptrdiff_t>(done);
            checkpoints_.push_back({{frames.begin(), middle}, model});
            if (checkpoints_.size() > kMostCheckpoints) {
                checkpoints_.erase(checkpoints_.begin());
            }
        }
    }
    for (; done < frames.size() && !model.diverged_at(); ++done) {
        model.run_frame(frames[done]);
    }
    return RanCandidate{model.diverged_at(), model.ticks() - ticks_before};
}

std::vector<FrameTime> frames_in(const FrameRuns& runs, core::TickRate rate) {
    std::vector<FrameTime> frames;
    for (const FrameRun& run : runs) {
        for (std::uint64_t i = 0; i < run.count; ++i) {
            frames.push_back(run.time.value_or(FrameTime{rate.time_of(i + 1) - rate.time_of(i)}));
        }
    }
    return frames;
}

std::vector<FrameTime> frames_of(const std::string& schedule, std::size_t frames) {
    core::FrameSource source = core::Schedule::parse(schedule).value().frames(core::TickRate());
    std::vector<FrameTime> drawn;
    while (drawn.size() < frames) {
        drawn.push_back(source.next());
    }
    return drawn;
}

std::optional<core::Tick> divergence_of(const std::vector<FrameTime>& frames,
                                        const ShrinkLoop& loop, const Fault& fault) {
    FrameModel model(loop, fault);
    for (std::size_t i = 0; i < frames.size() && !model.diverged_at(); ++i) {
        model.run_frame(frames[i]);
    }
    return model.diverged_at();
}

}  // namespace isotick::harness::tests
