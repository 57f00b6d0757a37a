#include "../../axes/axes.hpp"

#include <isotick/core/detail/schedule/random_schedule.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/verify.hpp>

#include <utility>

namespace isotick::harness {
namespace {

// For trial number `number` of those that vary more than one setting.
std::vector<AxisValue> draw(const VerifyOptions& options, std::uint64_t number,
                            std::uint64_t seed) {
    if (number == 0) {  // frames alone
        return {};
    }
    if (number <= options.perturb.size()) {
        auto alone = draw_axis(options.perturb[number - 1], seed);
        return alone ? std::vector{*std::move(alone)} : std::vector<AxisValue>();
    }
    if (!options.spare_processes || number < kFreshTrials) {
        return draw_axes(options.perturb, seed);
    }
    std::vector<std::string> names = options.perturb;
    std::erase_if(names, is_of_process);
    return draw_axes(names, seed);
}

}  // namespace

TrialPlan plan_trial(const std::string& recording, std::uint64_t number, std::uint64_t root_seed,
                     const core::Digest& session, core::TickRate rate,
                     const VerifyOptions& options) {
    TrialPlan plan;
    plan.recording = recording;
    plan.environment = options.environment;
    plan.most_frames = options.most_frames;
    const std::uint64_t settings = options.vary.size();
    const std::uint64_t setting = number % (settings + 1);  // 0: as usual
    // With a course each further trial would be the same again.
    if (setting != 0 && (number <= settings || !have_course({options.vary[setting - 1]}))) {
        plan.drive.axes = {options.vary[setting - 1]};
    }
    if (number <= settings) {
        return plan;
    }
    plan.drive.loop = options.loops[(number / (settings + 1) - 1) % options.loops.size()];
    const std::uint64_t seed = core::derive_seed(root_seed, {session.low, session.high, number});
    const auto draw_schedule = plan.drive.loop.kind == core::LoopKind::reversible
                                   ? core::random_reversing_schedule
                                   : core::random_schedule;
    plan.drive.schedule = options.schedule ? *options.schedule : draw_schedule(seed, rate);
    for (AxisValue& drawn : draw(options, number - settings - 1, seed)) {
        if (!plan.drive.varies(drawn.axis)) {
            plan.drive.axes.push_back(std::move(drawn));
        }
    }
    if (have_course(plan.drive.axes)) {  // in the place of loop and schedule
        plan.drive.loop = {};
        plan.drive.schedule = core::Schedule::nominal();
    }
    return plan;
}

}  // namespace isotick::harness
