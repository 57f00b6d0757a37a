#include "before_trial.hpp"

#include "../../axes/axes.hpp"
#include "../../platform/copied_process.hpp"
#include "other_instance.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/course_file.hpp>
#include <isotick/replay/reader.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;
using Snapshot = std::vector<std::byte>;

// Runs an instance from its creation to its end; returns a snapshot where one is wanted.
Result<Snapshot> live(const TrialPlan& plan, const isotick_simulation_table& table,
                      Progress& progress, std::uint64_t ticks, bool saves) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan.recording));
    const replay::RecordingHead head = reader.head();
    progress.enter(Activity::creating);
    ISOTICK_TRY_ASSIGN(auto instance, OtherInstance::create(plan, head, table));
    ISOTICK_TRY(instance.run(reader, ticks, progress));
    Snapshot snapshot;
    if (saves) {
        progress.enter({Activity::saving, core::Tick{ticks - 1}, ticks});
        ISOTICK_TRY(instance.simulation().save_into(snapshot));
    }
    progress.enter(Activity::destroying);
    return snapshot;
}

// The answer of a copy: a letter, then the snapshot, or what went wrong.
constexpr char kSaved = 's';

std::string answer_of(const Result<Snapshot>& lived) {
    return lived ? kSaved + std::string(reinterpret_cast<const char*>(lived->data()), lived->size())
                 : "f" + lived.error().message;
}

Result<Snapshot> live_in_copy(const TrialPlan& plan, const isotick_simulation_table& table,
                              Progress& progress, std::uint64_t ticks) {
    const auto body = [&](Progress& its) { return answer_of(live(plan, table, its, ticks, true)); };
    ISOTICK_TRY_ASSIGN(const auto end, run_in_copy(progress, {.hang_ms = 0}, body));
    if (!end.finished || end.answer.front() != kSaved) {
        return core::fail(ErrorCode::simulation,
                          "the instance that leaves a snapshot: " +
                              (end.finished ? end.answer.substr(1) : end.reason));
    }
    const auto bytes = std::as_bytes(std::span(end.answer)).subspan(1);
    return Snapshot(bytes.begin(), bytes.end());
}

}  // namespace

Result<void> BeforeTrial::run(TrialPlan& plan, const isotick_simulation_table& table,
                              Progress& progress) {
    if (plan.course) {
        return {};
    }
    const OtherInstances others = other_instances(plan.drive.axes);
    if (others.ticks_before) {
        ISOTICK_TRY(live(plan, table, progress, *others.ticks_before, false));
    }
    return others.leave_snapshot ? leave_snapshot(plan, table, progress) : Result<void>();
}

Result<void> BeforeTrial::leave_snapshot(TrialPlan& plan, const isotick_simulation_table& table,
                                         Progress& progress) {
    if ((table.info->capabilities & ISOTICK_CAN_SAVE) == 0) {
        return {};  // which opening the course says
    }
    ISOTICK_TRY_ASSIGN(const auto course, course_of(plan.drive.axes, plan.recording));
    const std::uint64_t ticks = course ? course->first_tick : 0;
    ISOTICK_TRY_ASSIGN(auto snapshot, has_other_threads()
                                          ? live(plan, table, progress, ticks, true)
                                          : live_in_copy(plan, table, progress, ticks));
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    snapshot_.emplace(std::move(file));
    plan.course.emplace().begin_from = snapshot_->path();
    return write_join_state(plan.course->begin_from, {ticks, std::move(snapshot)});
}

}  // namespace isotick::harness
