#pragma once
// Networks by their text, traffic on them and what arrives.

#include <isotick/core/random.hpp>
#include <isotick/harness/network.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace isotick::harness::tests {

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;
/// Of 60 ticks per second, about.
inline constexpr std::int64_t kTickNs = 16'666'667;

/// The value, or an exception with the error.
template <class Value>
Value take(core::Result<Value> result) {
    if (!result) {
        throw std::runtime_error(core::describe(result.error()));
    }
    if constexpr (!std::is_void_v<Value>) {
        return *std::move(result);
    }
}

inline SimulatedNetwork network_of(const std::string& text, std::uint32_t nodes = 2,
                                   std::uint64_t seed = 1, NetworkOptions options = {}) {
    return take(SimulatedNetwork::make(take(NetworkSpec::parse(text)), nodes, seed, options));
}

/// A delivery that owns its bytes.
struct Arrival {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint64_t number = 0;
    bool is_copy = false;
    std::int64_t at_ns = 0;
    std::vector<std::byte> bytes;

    friend bool operator==(const Arrival&, const Arrival&) = default;
};

/// `size` bytes that tell packets apart.
inline std::vector<std::byte> payload(std::uint64_t seed, std::size_t size) {
    core::Pcg32 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& each : bytes) {
        each = static_cast<std::byte>(random.next());
    }
    return bytes;
}

/// All that arrived at `node` by now.
inline void receive_all(SimulatedNetwork& network, std::uint32_t node,
                        std::vector<Arrival>& arrivals) {
    while (const auto each = network.receive(node)) {
        arrivals.push_back({node,
                            each->from,
                            each->number,
                            each->is_copy,
                            each->at_ns,
                            {each->bytes.begin(), each->bytes.end()}});
    }
}

/// Receives until nothing is in flight.
inline void drain(SimulatedNetwork& network, std::vector<Arrival>& arrivals) {
    while (const auto next = network.next_arrival()) {
        take(network.advance(std::max(*next, network.now())));
        for (std::uint32_t node = 0; node < network.nodes(); ++node) {
            receive_all(network, node, arrivals);
        }
    }
}

/// Node 0 sends `count` packets of `size` bytes to node 1, one per `gap_ns`; what arrives.
inline std::vector<Arrival> stream(SimulatedNetwork& network, std::uint64_t count,
                                   std::int64_t gap_ns = kTickNs, std::size_t size = 30) {
    std::vector<Arrival> arrivals;
    for (std::uint64_t i = 0; i < count; ++i) {
        take(network.send(0, 1, payload(i, size)));
        take(network.advance(network.now() + gap_ns));
        receive_all(network, 1, arrivals);
    }
    drain(network, arrivals);
    return arrivals;
}

/// `sends` random packets between all nodes, times between them too; what arrives.
inline std::vector<Arrival> chatter(SimulatedNetwork& network, std::uint64_t seed,
                                    std::uint64_t sends) {
    core::Pcg32 random(seed);
    std::vector<Arrival> arrivals;
    for (std::uint64_t i = 0; i < sends; ++i) {
        const std::uint32_t from = random.below(network.nodes());
        const std::uint32_t to = (from + 1 + random.below(network.nodes() - 1)) % network.nodes();
        const std::size_t size = random.chance(1, 20) ? random.below(3000) : random.below(60);
        take(network.send(from, to, payload(i, size)));
        if (random.chance(1, 2)) {
            take(network.advance(network.now() + random.between(0, 20 * kMillisecond)));
        }
        receive_all(network, random.below(network.nodes()), arrivals);
    }
    drain(network, arrivals);
    return arrivals;
}

}  // namespace isotick::harness::tests
