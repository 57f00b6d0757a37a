// What peers cost without a simulation: protocol, network and the courses that are written down.

#include "peers/session_inputs.hpp"
#include "suite.hpp"
#include "value_or_throw.hpp"

#include <isotick/core/random.hpp>
#include <isotick/harness/detail/session_course.hpp>
#include <isotick/harness/network.hpp>
#include <isotick/harness/peer.hpp>

#include <algorithm>
#include <array>
#include <malloc.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace isotick::bench {
namespace {

/// Pads that players hold: each changes once in a quarter of a second, on average.
harness::SessionInputs held_pads(std::uint32_t players, std::uint64_t ticks) {
    core::Pcg32 random(7);
    harness::SessionInputs inputs(players);
    std::vector<std::uint8_t> pads(players);
    std::vector<isotick_input> row;
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        row.clear();
        for (std::uint32_t player = 0; player < players; ++player) {
            if (random.below(15) == 0) {
                pads[player] = static_cast<std::uint8_t>(random.below(256));
            }
            row.push_back({player, 1, 1, &pads[player]});
        }
        row.push_back({ISOTICK_WORLD, 0, 0, nullptr});
        inputs.append(row);
    }
    return inputs;
}

/// Peers and the network between them, with nothing around: each makes a frame per tick.
class BareSession {
  public:
    BareSession(harness::PeerMode mode, std::uint32_t peers, const harness::SessionInputs& inputs,
                const char* network)
        : inputs_(inputs),
          network_(value_or_throw(harness::SimulatedNetwork::make(
              value_or_throw(harness::NetworkSpec::parse(network)), peers, 1))) {
        for (std::uint32_t self = 0; self < peers; ++self) {
            harness::PeerOptions options;
            options.mode = mode;
            options.peers = peers;
            options.players = peers;
            options.self = self;
            options.ticks = inputs.ticks();
            peers_.push_back(value_or_throw(harness::Peer::make(options)));
        }
    }

    void run() {
        constexpr std::int64_t kFrameNs = 16'666'667;
        for (std::int64_t now_ns = kFrameNs; !is_over(); now_ns += kFrameNs) {
            value_or_throw(network_.advance(now_ns));
            for (std::uint32_t self = 0; self < peers_.size(); ++self) {
                frame(self, now_ns);
            }
        }
    }

  private:
    [[nodiscard]] bool is_over() const {
        return std::ranges::all_of(peers_, [](const harness::Peer& peer) {
            return peer.state() != harness::PeerState::running;
        });
    }

    void frame(std::uint32_t self, std::int64_t now_ns) {
        harness::Peer& peer = peers_[self];
        while (const auto delivery = network_.receive(self)) {
            peer.receive(delivery->from, delivery->bytes);
        }
        give_inputs(self);
        (void)peer.begin_frame(now_ns, 1);
        while (const auto step = peer.next_step()) {
            peer.add_hash(step->tick, {step->tick.value * 0x9e3779b97f4a7c15U});
            give_inputs(self);
        }
        while (const auto packet = peer.next_packet()) {
            value_or_throw(network_.send(self, packet->to, packet->bytes));
        }
    }

    void give_inputs(std::uint32_t self) {
        while (const auto wanted = peers_[self].wanted_input()) {
            const auto all = inputs_.of(*wanted);
            const std::array own{all[self], all.back()};
            value_or_throw(peers_[self].add_input(std::span(own).first(self == 0 ? 2 : 1)));
        }
    }

    const harness::SessionInputs& inputs_;
    harness::SimulatedNetwork network_;
    std::vector<harness::Peer> peers_;
};

void run_bare(benchmark::State& state, harness::PeerMode mode, std::uint64_t ticks) {
    constexpr std::uint32_t kPeers = 4;
    const auto inputs = held_pads(kPeers, ticks);
    for ([[maybe_unused]] auto once : state) {
        BareSession(mode, kPeers, inputs, "awful").run();
    }
    state.counters["ns"] = nanoseconds_each(state, static_cast<double>(ticks * kPeers));
}

/// What the heap has given out, in KiB.
double heap_kib() {
    return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd) / 1024;
}

/// What 64 peers and the network between them hold at the end of a session, for each; what they
/// hold does not shrink before that.
double kib_per_peer(harness::PeerMode mode, std::uint64_t ticks) {
    constexpr std::uint32_t kPeers = 64;
    const auto inputs = held_pads(kPeers, ticks);
    const double before = heap_kib();
    BareSession session(mode, kPeers, inputs, "lan");
    session.run();
    return (heap_kib() - before) / kPeers;
}

/// Likewise, each peer's course written down.
void run_courses(benchmark::State& state, const std::string& mode, std::uint64_t ticks) {
    constexpr std::uint32_t kPeers = 4;
    const auto inputs = held_pads(kPeers, ticks);
    const auto plan =
        value_or_throw(harness::parse_lockstep_plan(mode + "; 4 peers; network awful; seed 1"));
    for ([[maybe_unused]] auto once : state) {
        const auto session = harness::compute_session(plan, inputs, {});
        if (!session || session->end != harness::SessionEnd::finished) {
            throw std::runtime_error("the session did not finish");
        }
        benchmark::DoNotOptimize(session->runs.data());
    }
    state.counters["ns"] = nanoseconds_each(state, static_cast<double>(ticks * kPeers));
}

}  // namespace

void add_lockstep_benchmarks(Suite& suite) {
    const std::uint64_t ticks = suite.sized(3600, 120);
    for (const auto mode : {harness::PeerMode::lockstep, harness::PeerMode::rollback}) {
        const std::string name(to_string(mode));
        const std::string what = "4 peers, awful, " + name + ", per peer and tick, ns";
        suite.add("protocol/" + name, {{"ns", "protocol and network, " + what, 0, at_most(2000)}},
                  [=](benchmark::State& state) { run_bare(state, mode, ticks); });
        suite.add("courses/" + name, {{"ns", "the same, written down as courses, " + what}},
                  [=](benchmark::State& state) { run_courses(state, name, ticks); });
    }
    suite.add_once("many-peers",
                   {{"lockstep", "64 peers, lan, lockstep: memory of one and its links, KiB"},
                    {"rollback", "the same with rollback, KiB"}},
                   [many = suite.sized(600, 60)](benchmark::UserCounters& counters) {
                       counters["lockstep"] = kib_per_peer(harness::PeerMode::lockstep, many);
                       counters["rollback"] = kib_per_peer(harness::PeerMode::rollback, many);
                   });
}

}  // namespace isotick::bench
