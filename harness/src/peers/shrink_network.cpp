#include "../system/drop_blocks.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

// What makes a link plainer, one thing at a time.
constexpr std::array<void (*)(LinkSettings&), 7> kPlainer{
    [](LinkSettings& link) { link.trace = {}; },
    [](LinkSettings& link) {
        link.loss_per_mille = 0;
        link.burst = LinkSettings().burst;
    },
    [](LinkSettings& link) { link.duplication_per_mille = 0; },
    [](LinkSettings& link) {
        link.reordering_per_mille = 0;
        link.hold_back_ns = LinkSettings().hold_back_ns;
    },
    [](LinkSettings& link) {
        link.rate = 0;
        link.queue = LinkSettings().queue;
    },
    [](LinkSettings& link) { link.jitter_ns = 0; },
    [](LinkSettings& link) { link.delay_ns = link.jitter_ns = 0; },
};

class NetworkSearch {
  public:
    NetworkSearch(const NetworkSpec& network,
                  const std::function<NetworkRun(const NetworkSpec&)>& run, std::uint64_t most_runs)
        : best_(network), run_(run), runs_left_(most_runs) {}

    NetworkSpec search() {
        make_plain();
        name_packets();
        drop_all_of(&NetworkParts::events);
        fails_with([](NetworkParts& parts) { parts = {{}, {}, {}, parts.events}; });
        return best_;
    }

  private:
    bool fails_on(NetworkParts parts) {
        auto network = NetworkSpec::from_parts(std::move(parts));
        if (!network || *network == best_) {
            return network.has_value();
        }
        if (runs_left_ == 0) {
            return false;
        }
        --runs_left_;
        NetworkRun ran = run_(*network);
        if (ran.fails) {
            best_ = std::move(*network);
            explicit_ = std::move(ran.explicit_network);
        }
        return ran.fails;
    }

    template <class Change>
    bool fails_with(const Change& change) {
        NetworkParts parts = best_.parts();
        change(parts);
        return fails_on(std::move(parts));
    }

    template <class Part>
    void drop_all_of(std::vector<Part> NetworkParts::*member) {
        drop_blocks(best_.parts().*member, [&](std::span<const Part> block) {
            return fails_with([&](NetworkParts& parts) {
                std::erase_if(parts.*member, [&](const Part& part) {
                    return std::ranges::find(block, part) != block.end();
                });
            });
        });
    }

    void make_plain() {
        if (fails_on({})) {
            return;
        }
        drop_all_of(&NetworkParts::cuts);
        fails_with([](NetworkParts& parts) { parts.rules.clear(); });
        for (const auto plainer : kPlainer) {
            fails_with([plainer](NetworkParts& parts) { plainer(parts.usual); });
        }
    }

    // The same network, packet by packet: unless none is left, or too many are.
    void name_packets() {
        if (best_ == NetworkSpec() || runs_left_ == 0) {
            return;
        }
        if (!explicit_) {
            --runs_left_;
            explicit_ = run_(best_).explicit_network;
        }
        if (explicit_) {
            fails_on(NetworkParts(explicit_->parts()));
        }
    }

    NetworkSpec best_;
    std::optional<NetworkSpec> explicit_;  // of the run of `best_`
    const std::function<NetworkRun(const NetworkSpec&)>& run_;
    std::uint64_t runs_left_;
};

}  // namespace

NetworkSpec shrink_network(const NetworkSpec& network,
                           const std::function<NetworkRun(const NetworkSpec&)>& run,
                           std::uint64_t most_runs) {
    return NetworkSearch(network, run, most_runs).search();
}

core::Result<NetworkSpec> shrink_network(const NetworkSpec& network, std::uint32_t nodes,
                                         std::uint64_t seed,
                                         const std::function<bool(SimulatedNetwork&)>& fails,
                                         std::uint64_t most_runs) {
    ISOTICK_TRY(SimulatedNetwork::make(network, nodes, seed));
    return shrink_network(
        network,
        [&](const NetworkSpec& candidate) {
            NetworkRun ran;
            auto made = SimulatedNetwork::make(candidate, nodes, seed, {.log = true});
            ran.fails = made && fails(*made);
            if (auto same = ran.fails ? made->explicit_spec() : NetworkSpec()) {
                ran.explicit_network = std::move(*same);
            }
            return ran;
        },
        most_runs);
}

}  // namespace isotick::harness
