#include <isotick/core/detail/schedule/random_schedule.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/lockstep.hpp>

namespace isotick::harness {

LockstepPlan draw_lockstep_plan(const LockstepOptions& options, std::uint64_t number,
                                std::uint64_t root_seed, const core::Digest& session,
                                core::TickRate rate, std::uint64_t ticks) {
    constexpr std::int64_t kMostDrift = 300;  // millionths, as crystals have
    constexpr std::int64_t kLatestStart = 200'000'000;
    constexpr std::uint64_t kHistory = kMostPeers;  // beside the seeds of peers
    const std::uint64_t seed = core::derive_seed(root_seed, {session.low, session.high, number});
    LockstepPlan plan = options.plan;
    plan.seed = seed;
    if (options.draws_events) {
        draw_history(plan, core::derive_seed(seed, {kHistory}), rate.time_of(ticks));
    }
    if (number == 0) {
        return plan;
    }
    plan.frames.resize(plan.peers);
    for (std::uint32_t peer = 0; peer < plan.peers; ++peer) {
        const std::uint64_t own = core::derive_seed(seed, {peer});
        core::Pcg32 random(own);
        plan.frames[peer].schedule = core::random_schedule(own, rate);
        plan.frames[peer].drift_ppm = random.between(-kMostDrift, kMostDrift);
        plan.frames[peer].start_ns = random.between(0, kLatestStart / 1'000'000) * 1'000'000;
    }
    return plan;
}

}  // namespace isotick::harness
