#include "trial_end.hpp"

#include "tick_cursor.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace isotick::harness {
namespace {

// Whether the loop does not come to tick `until` again.
bool is_behind(core::Tick until, const TrialPlan& plan, core::Tick tick, const FrameDriver& driver,
               std::optional<std::uint64_t> session_ticks) {
    if (tick < until || plan.drive.loop.kind != core::LoopKind::reversible) {
        return tick >= until;
    }
    if (tick > until) {
        return tick.value - until.value >= TickCursor::kMostBack;
    }
    // With its last tick the session is over, whatever the loop would do then.
    const std::uint64_t end = session_ticks.value_or(tick.value + 1 + TickCursor::kMostBack);
    const std::uint64_t left = end - std::min(end, tick.value + 1);
    return !driver.comes_back(std::min<std::uint64_t>(left, TickCursor::kMostBack));
}

}  // namespace

bool is_last_wanted(const TrialPlan& plan, core::Tick tick, std::uint64_t steps,
                    const FrameDriver& driver, std::optional<std::uint64_t> session_ticks) {
    return (plan.trace && steps >= plan.trace->last) ||
           (plan.most_steps != 0 && steps >= plan.most_steps) ||
           (plan.until && is_behind(*plan.until, plan, tick, driver, session_ticks));
}

std::optional<std::string> frames_used_up(std::uint64_t most_frames,
                                          const TrialStatistics& so_far) {
    // Ticks that are done again, by a loop that goes back, are no progress.
    const std::uint64_t most =
        most_frames != 0 ? most_frames : 1'000'000 + 1000 * (so_far.ticks_reached + 1);
    if (so_far.frames < most) {
        return std::nullopt;
    }
    return "the schedule used up " + std::to_string(most) + " frames after " +
           std::to_string(so_far.ticks) + " ticks: too little time passes in it";
}

using core::ErrorCode;

void end_with(const core::Error& error, const Place& place, TrialResult& result) {
    switch (error.code) {
        case ErrorCode::simulation:
            result.verdict = Verdict::crashed;
            result.failed_in = place;
            break;
        case ErrorCode::usage:
            result.refused = error;
            result.verdict = Verdict::inconclusive;
            break;
        case ErrorCode::limit:  // of a file, or of the trial
            result.verdict = error.file.empty() ? Verdict::inconclusive : Verdict::unreadable;
            break;
        case ErrorCode::io:
            result.refused = error;
            result.verdict = Verdict::unreadable;
            break;
        case ErrorCode::damaged:
        case ErrorCode::version:
            result.verdict = Verdict::unreadable;
            break;
    }
    result.reason = describe(error);
}

void end_with_shortage(core::Error shortage, TrialResult& result) {
    result.verdict = Verdict::inconclusive;
    result.failed_in.reset();
    result.reason = describe(shortage);
    result.refused = std::move(shortage);
}

static void end_at_damage(const replay::Damage& damage, TrialResult& result) {
    result.verdict = Verdict::unreadable;
    result.damaged_at = damage.offset;
    result.reason = "damaged at byte " + std::to_string(damage.offset) + ": " + damage.reason +
                    "; the " + std::to_string(result.statistics.ticks) +
                    " ticks before it are intact and were replayed";
}

void note_end_of(const replay::Reader& reader, TrialResult& result) {
    if (reader.damage() && !result.divergence) {
        end_at_damage(*reader.damage(), result);
    } else if (reader.is_unfinished()) {
        result.note = replay::unfinished_text();
    }
}

}  // namespace isotick::harness
