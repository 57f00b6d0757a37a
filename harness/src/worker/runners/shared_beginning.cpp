#include "shared_beginning.hpp"

#include "../../messages/messages.hpp"

namespace isotick::harness {
namespace {

// What must be the same from the beginning to the end.
std::string all_but_its_course(TrialPlan plan) {
    plan.drive.schedule = core::Schedule::nominal();
    plan.inputs.clear();
    plan.until.reset();
    plan.most_steps = 0;
    plan.most_frames = 0;
    return to_bytes(plan);
}

bool same_frames(const TrialPlan& a, const TrialPlan& b, std::uint64_t count, core::TickRate rate) {
    if (a.drive.schedule == b.drive.schedule) {
        return true;
    }
    core::FrameSource frames_of_a = a.drive.schedule.frames(rate);
    core::FrameSource frames_of_b = b.drive.schedule.frames(rate);
    for (std::uint64_t frame = 0; frame < count; ++frame) {
        if (frames_of_a.next() != frames_of_b.next()) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool begin_alike(const TrialPlan& a, const TrialPlan& b, Position position, core::TickRate rate) {
    const core::Tick ticks{position.ticks};
    return cut_before(a.inputs, ticks) == cut_before(b.inputs, ticks) &&
           all_but_its_course(a) == all_but_its_course(b) &&
           same_frames(a, b, position.frames, rate);
}

}  // namespace isotick::harness
