// What the simulated network costs, without anybody's protocol on it.

#include "suite.hpp"

#include <isotick/harness/network.hpp>

#include <array>
#include <stdexcept>

namespace isotick::bench {
namespace {

constexpr std::uint32_t kPeers = 4;
constexpr std::int64_t kTickNs = 16'666'667;

harness::SimulatedNetwork network_of(const char* text) {
    const auto spec = harness::NetworkSpec::parse(text);
    if (!spec) {
        throw std::runtime_error(describe(spec.error()));
    }
    return *harness::SimulatedNetwork::make(*spec, kPeers, 1);
}

/// A tick of each peer: a packet of 30 bytes to every other one, and whatever arrived.
void run_tick(harness::SimulatedNetwork& network) {
    const std::array<std::byte, 30> bytes{};
    for (std::uint32_t from = 0; from < kPeers; ++from) {
        for (std::uint32_t to = 0; to < kPeers; ++to) {
            if (from != to && !network.send(from, to, bytes)) {
                throw std::runtime_error("the network takes no packets");
            }
        }
    }
    if (!network.advance(network.now() + kTickNs)) {
        throw std::runtime_error("the network does not go on");
    }
    for (std::uint32_t node = 0; node < kPeers; ++node) {
        while (const auto arrived = network.receive(node)) {
            benchmark::DoNotOptimize(arrived->bytes.data());
        }
    }
}

void run_network(benchmark::State& state, const char* text) {
    constexpr int kTicks = 1000;
    auto network = network_of(text);
    for ([[maybe_unused]] auto once : state) {
        for (int i = 0; i < kTicks; ++i) {
            run_tick(network);
        }
    }
    state.counters["ns"] = nanoseconds_each(state, kTicks * kPeers * (kPeers - 1));
    state.counters["tick_ns"] = nanoseconds_each(state, kTicks * kPeers);
}

}  // namespace

void add_network_benchmarks(Suite& suite) {
    for (const char* text : {"perfect", "broadband", "awful"}) {
        suite.add(std::string("network/") + text,
                  {{"ns", std::string("packet of 30 bytes over ") + text + ", ns", 0, at_most(300)},
                   {"tick_ns",
                    std::string("network of 4 peers, ") + text + ", per peer and tick, ns", 0}},
                  [text](benchmark::State& state) { run_network(state, text); });
    }
}

}  // namespace isotick::bench
