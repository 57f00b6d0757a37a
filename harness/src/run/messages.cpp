#include "messages.hpp"

#include "message_archives.hpp"
#include "message_fields.hpp"

#include <isotick/harness/detail/course.hpp>

namespace isotick::harness {

template std::string to_bytes(const Job& message);
template core::Result<Job> from_bytes(std::string_view bytes);
template std::string to_bytes(const Response& message);
template core::Result<Response> from_bytes(std::string_view bytes);
template std::string to_bytes(const TrialPlan& message);

// Courses and the states that peers join by. Each struct is taken apart into all its members, so
// that a new one does not compile until it is here.

template <class Archive>
void serialize(Archive& archive, CourseFrame& frame) {
    auto& [frame_time, back, steps, alpha] = frame;
    archive_fields(archive, frame_time, back, steps, alpha);
}

template <class Archive>
void serialize(Archive& archive, CourseStep& step) {
    auto& [saves, final] = step;
    archive_fields(archive, saves, final);
}

template <class Archive>
void serialize(Archive& archive, GuessedInput& guess) {
    auto& [step, player, bytes] = guess;
    archive_fields(archive, step, player, bytes);
}

template <class Archive>
void serialize(Archive& archive, Course& course) {
    auto& [first_tick, frames, steps, guesses, guess_seed] = course;
    archive_fields(archive, first_tick, frames, steps, guesses, guess_seed);
}

template <class Archive>
void serialize(Archive& archive, JoinState& state) {
    auto& [ticks_done, snapshot] = state;
    archive_fields(archive, ticks_done, snapshot);
}

template std::string to_bytes(const Course& message);
template core::Result<Course> from_bytes(std::string_view bytes);
template std::string to_bytes(const JoinState& message);
template core::Result<JoinState> from_bytes(std::string_view bytes);

}  // namespace isotick::harness
