// Random sessions of peers: networks, and histories of who comes and goes.

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/lockstep.hpp>

#include <algorithm>
#include <vector>

namespace isotick::harness {
namespace {

constexpr std::int64_t kHistoryMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kHistoryMillisecond;

/// A history under way: who is there as far as events say.
class History {
  public:
    History(LockstepPlan& plan, std::uint64_t seed, std::int64_t length_ns)
        : plan_(plan),
          parts_(plan.network.parts()),
          random_(seed),
          end_ns_(length_ns * 3 / 4),
          there_(plan.peers, true),
          killed_(plan.peers, false) {}

    void draw() {
        for (std::uint32_t peer = 1; peer < plan_.peers; ++peer) {
            there_[peer] = !chance(6);
        }
        at_ns_ = random_.between(0, 2000) * kHistoryMillisecond;
        while (at_ns_ < end_ns_) {
            chance(5) ? cut() : happen(random_.below(plan_.peers));
            at_ns_ += random_.between(0, chance(2) ? 1000 : 8000) * kHistoryMillisecond;
        }
        at_ns_ = end_ns_;
        for (std::uint32_t peer = 0; peer < plan_.peers; ++peer) {
            if (killed_[peer]) {
                happen(peer);
            }
        }
        if (auto network = NetworkSpec::from_parts(std::move(parts_))) {
            plan_.network = *std::move(network);
        }
    }

  private:
    [[nodiscard]] bool chance(std::uint32_t of) { return random_.below(of) == 0; }

    // At least half of those who may play stay.
    [[nodiscard]] bool may_go() const {
        const auto playing = static_cast<std::ptrdiff_t>(plan_.peers - plan_.spectators);
        return 2 * (std::count(there_.begin(), there_.begin() + playing, true) - 1) >= playing;
    }

    void happen(std::uint32_t peer) {
        PeerEvent event{PeerEvent::Kind::join, peer, at_ns_, 0};
        if (there_[peer]) {
            const std::uint32_t what = random_.below(4);
            event.kind = what < 2 || !may_go() ? PeerEvent::Kind::pause
                         : what == 2           ? PeerEvent::Kind::leave
                                               : PeerEvent::Kind::kill;
        }
        if (event.kind == PeerEvent::Kind::pause) {
            event.for_ns = random_.between(1, chance(4) ? 6000 : 2900) * kHistoryMillisecond;
        }
        there_[peer] = event.kind == PeerEvent::Kind::join || event.kind == PeerEvent::Kind::pause;
        killed_[peer] = event.kind == PeerEvent::Kind::kill;
        plan_.events.push_back(event);
    }

    // One against all others, or two or three groups.
    void cut() {
        const std::int64_t longest = std::min(8 * kSecond, end_ns_ - at_ns_);
        NetworkCut cut;
        cut.from_ns = at_ns_;
        cut.length_ns = std::max(kHistoryMillisecond, random_.between(1, 8000) * longest / 8000);
        cut.groups.resize(2 + random_.below(2));
        for (std::uint32_t peer = 0; peer < plan_.peers; ++peer) {
            cut.groups[random_.below(static_cast<std::uint32_t>(cut.groups.size()))].push_back(
                peer);
        }
        std::erase_if(cut.groups, [](const auto& group) { return group.empty(); });
        if (parts_.cuts.size() < NetworkSpec::kMostCuts && cut.groups.size() > 1) {
            parts_.cuts.push_back(std::move(cut));
        }
    }

    LockstepPlan& plan_;
    NetworkParts parts_;
    core::Pcg32 random_;
    std::int64_t end_ns_;
    std::int64_t at_ns_ = 0;
    std::vector<bool> there_;
    std::vector<bool> killed_;
};

}  // namespace

void draw_history(LockstepPlan& plan, std::uint64_t seed, std::int64_t length_ns) {
    History(plan, seed, length_ns).draw();
}

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
