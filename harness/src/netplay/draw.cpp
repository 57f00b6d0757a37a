// The sessions that trials draw.

#include "run.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness::netplay {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

/// What happens to peers, drawn.
class Drawing {
  public:
    Drawing(LockstepPlan& plan, const DrawnEvents& draws, std::uint64_t seed,
            std::int64_t length_ns)
        : plan_(plan),
          random_(seed),
          end_ns_(length_ns * 3 / 4),
          rebinds_(random_.below(plan.peers)),
          there_(plan.peers, true) {
        const std::pair<bool, int> kinds[] = {{draws.pause, kPause},   {draws.cut, kCut},
                                              {draws.rebind, kRebind}, {draws.kill, kKill},
                                              {draws.leave, kLeave},   {draws.join, kJoin}};
        for (const auto& [is_drawn, kind] : kinds) {
            if (is_drawn) {
                kinds_.push_back(kind);
            }
        }
    }

    void draw() {
        NetworkParts parts = plan_.network.parts();
        std::int64_t at_ns = random_.between(0, 3000) * kMillisecond;
        while (at_ns < end_ns_) {
            const int kind = kinds_[random_.below(static_cast<std::uint32_t>(kinds_.size()))];
            if (kind == kCut) {
                cut(parts, at_ns);
            } else {
                happen(kind, random_.below(plan_.peers), at_ns);
            }
            at_ns += random_.between(1, random_.below(2) == 0 ? 1500 : 10'000) * kMillisecond;
        }
        std::ranges::stable_sort(plan_.events, {}, &PeerEvent::at_ns);
        if (auto network = NetworkSpec::from_parts(std::move(parts))) {
            plan_.network = *std::move(network);
        }
    }

  private:
    static constexpr int kPause = 0;
    static constexpr int kCut = 1;
    static constexpr int kRebind = 2;
    static constexpr int kKill = 3;
    static constexpr int kLeave = 4;
    static constexpr int kJoin = 5;

    // One against the others.
    void cut(NetworkParts& parts, std::int64_t at_ns) {
        NetworkCut cut;
        cut.from_ns = at_ns;
        cut.length_ns = random_.between(50, 4000) * kMillisecond;
        cut.groups = {{random_.below(plan_.peers)}};
        parts.cuts.push_back(std::move(cut));
    }

    void happen(int kind, std::uint32_t peer, std::int64_t at_ns) {
        using Kind = PeerEvent::Kind;
        if (!there_[peer]) {
            return;
        }
        switch (kind) {
            case kPause:
                plan_.events.push_back(
                    {Kind::pause, peer, at_ns, random_.between(20, 3000) * kMillisecond});
                break;
            case kRebind:
                // Always the same one: two at once find each other no more without a server.
                plan_.events.push_back({Kind::rebind, rebinds_, at_ns, 0});
                break;
            case kKill:
                plan_.events.push_back({Kind::kill, peer, at_ns, 0});
                plan_.events.push_back(
                    {Kind::join, peer, at_ns + random_.between(100, 5000) * kMillisecond, 0});
                there_[peer] = false;
                break;
            case kLeave:
                plan_.events.push_back({Kind::leave, peer, at_ns, 0});
                there_[peer] = false;
                break;
            default:
                if (std::ranges::find(plan_.events, peer, &PeerEvent::peer) == plan_.events.end()) {
                    plan_.events.push_back({Kind::join, peer, at_ns, 0});
                }
                break;
        }
    }

    LockstepPlan& plan_;
    core::Pcg32 random_;
    std::int64_t end_ns_;
    std::uint32_t rebinds_;
    std::vector<bool> there_;
    std::vector<int> kinds_;
};

}  // namespace

LockstepPlan draw_netplay_plan(const NetplayOptions& options, std::uint64_t number) {
    constexpr std::uint64_t kEvents = 1;
    LockstepPlan plan = options.plan;
    plan.seed = core::derive_seed(options.seed, {number});
    if (number == 0) {
        plan.network = NetworkSpec();
        plan.events.clear();
    } else if (options.draws.any()) {
        Drawing(plan, options.draws, core::derive_seed(plan.seed, {kEvents}), options.length_ns)
            .draw();
    }
    return plan;
}

}  // namespace isotick::harness::netplay
