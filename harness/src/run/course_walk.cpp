#include "course_walk.hpp"

#include "../axes/axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/course.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace isotick::harness {

void EarlierInputs::add(std::span<const isotick_input> inputs) {
    is_right_ = random_.chance(1, 4);
    Inputs& kept = latest_[count_++ % kKept];
    kept.bytes.clear();
    for (const isotick_input& input : inputs) {
        kept.bytes.insert(kept.bytes.end(), input.data, input.data + input.size);
    }
    kept.inputs.assign(inputs.begin(), inputs.end());
    std::size_t at = 0;
    for (isotick_input& input : kept.inputs) {
        input.data = input.present != 0 ? kept.bytes.data() + at : nullptr;
        at += static_cast<std::size_t>(input.size);
    }
}

std::span<const isotick_input> EarlierInputs::guess(std::span<const isotick_input> actual) {
    if (count_ == 0 || is_right_) {
        return actual;
    }
    guessed_.assign(actual.begin(), actual.end());
    for (std::size_t player = 0; player < guessed_.size(); ++player) {
        if (const std::uint64_t age = draw_age(); age > 0) {
            guessed_[player] = latest_[(count_ - age) % kKept].inputs[player];
        }
    }
    return guessed_;
}

std::uint64_t EarlierInputs::draw_age() {
    const std::uint32_t kind = random_.below(8);
    if (kind == 0) {
        return 0;
    }
    const auto oldest = static_cast<std::uint32_t>(std::min<std::uint64_t>(count_, kKept));
    return kind < 3 ? 1 + random_.below(oldest) : 1;
}

using core::Result;

Result<PeerRecording> PeerRecording::create(const std::string& path,
                                            const replay::RecordingHead& head,
                                            const replay::TickHashes& initial) {
    ISOTICK_TRY_ASSIGN(
        auto writer,
        replay::Writer::create(path, head, initial,
                               {.overwrite = false, .appearance = replay::Appearance::filled_in}));
    PeerRecording recording(std::move(writer));
    recording.keep(initial);
    return recording;
}

Result<void> PeerRecording::append(std::span<const isotick_input> inputs,
                                   const replay::TickHashes* hashes,
                                   std::optional<core::TickDt> dt) {
    last_is_known_ = false;
    if (hashes != nullptr) {
        keep(*hashes);
    }
    return writer_.append(inputs, hashes, dt);
}

Result<void> PeerRecording::close() {
    return last_is_known_ ? writer_.finish({last_, last_parts_}) : writer_.leave_unfinished();
}

void PeerRecording::keep(const replay::TickHashes& hashes) {
    last_is_known_ = true;
    last_ = hashes.state;
    last_parts_.assign(hashes.parts.begin(), hashes.parts.end());
}

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

using core::Result;

Result<void> CourseOutput::begin(const replay::RecordingHead& head) {
    if (request_.recording.empty()) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto initial, hashes());
    ISOTICK_TRY_ASSIGN(auto recording, PeerRecording::create(request_.recording, head, initial));
    recording_.emplace(std::move(recording));
    return {};
}

Result<void> CourseOutput::take(core::Tick tick, std::span<const isotick_input> inputs,
                                std::optional<core::TickDt> dt) {
    ISOTICK_TRY(recording_ ? record(tick, inputs, dt) : Result<void>());
    if (result_.divergence || next_snapshot_ == request_.save_at.size() ||
        request_.save_at[next_snapshot_].ticks_done != tick.value + 1) {
        return {};
    }
    return save(request_.save_at[next_snapshot_++], tick);
}

Result<void> CourseOutput::close() {
    return recording_ ? recording_->close() : Result<void>();
}

// Of the state now, which may have been hashed already.
Result<replay::TickHashes> CourseOutput::hashes() {
    if (!noted_ || noted_->steps != steps()) {
        ISOTICK_TRY_ASSIGN(const auto hash, calls_.during(Activity::hashing).hash());
        note_hash(steps(), hash);
    }
    return replay::TickHashes{noted_->hash, calls_.simulation().parts()};
}

Result<void> CourseOutput::record(core::Tick tick, std::span<const isotick_input> inputs,
                                  std::optional<core::TickDt> dt) {
    const bool is_last = result_.divergence || course_.is_last_final(steps() - 1);
    if (!is_last && !recording_->hash_due(tick)) {
        return recording_->append(inputs, nullptr, dt);
    }
    ISOTICK_TRY_ASSIGN(const auto computed, hashes());
    return recording_->append(inputs, &computed, dt);
}

Result<void> CourseOutput::save(const SnapshotRequest& snapshot, core::Tick tick) {
    ISOTICK_TRY(calls_.settle_all());
    if (calls_.over()) {
        return {};
    }
    JoinState state{tick.value + 1, {}};
    ISOTICK_TRY(calls_.during(Activity::saving).save_into(state.snapshot));
    return write_join_state(snapshot.path, state);
}

}  // namespace isotick::harness
