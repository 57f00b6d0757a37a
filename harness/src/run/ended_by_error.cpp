#include "ended_by_error.hpp"

#include <string>
#include <utility>

namespace isotick::harness {

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
