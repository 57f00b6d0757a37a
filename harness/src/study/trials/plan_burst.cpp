#include "burst_length.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <vector>

namespace isotick::harness {
namespace {

// A schedule that ends would begin again with the nominal frames: its own are enough.
core::Schedule behind_nominal(std::uint64_t frames, const core::Schedule& schedule,
                              std::uint64_t ticks) {
    const core::Schedule nominal = core::Schedule::nominal();
    std::vector<core::ScheduleItem> items(nominal.items().begin(), nominal.items().end());
    items.front().count = frames;
    std::uint64_t own = 0;
    do {
        for (const core::ScheduleItem& item : schedule.items()) {
            items.push_back(item);
            own += item.count;
        }
    } while (schedule.may_end() && own < 4 * ticks);
    return core::Schedule::from_items(items).value_or(schedule);
}

}  // namespace

bool can_begin_in_the_middle(const core::LoopOptions& loop) {
    const core::LoopInfo& info = core::info_of(loop.kind);
    return info.constant_dt && !info.own_thread;
}

void begin_in_the_middle(TrialPlan& plan, std::uint64_t seed, std::uint64_t session_ticks,
                         std::uint32_t hash_every) {
    core::Pcg32 random(seed);
    const std::uint64_t length = kBurstLengths[random.below(kBurstLengths.size())];
    const auto first = static_cast<std::uint64_t>(
        random.between(1, static_cast<std::int64_t>(session_ticks - kBurstLengths.front())));
    plan.drive.schedule = behind_nominal(first, plan.drive.schedule, length);
    const std::uint64_t end = first + length + hash_every - 1;
    plan.most_steps = end - end % hash_every;
}

}  // namespace isotick::harness
