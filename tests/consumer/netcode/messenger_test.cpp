// Tests somebody's own netcode on the simulated network: it must survive `awful` with every seed;
// with a planted bug it must not, and the failure shrinks to the packets that it takes.
#include "messenger.hpp"

#include <isotick/harness/network.hpp>

#include <iostream>
#include <optional>
#include <span>

namespace {

using isotick::harness::NetworkSpec;
using isotick::harness::SimulatedNetwork;

constexpr std::uint64_t kSeeds = 50;
constexpr int kMessages = 40;

std::vector<std::string> messages() {
    std::vector<std::string> all;
    for (int i = 0; i < kMessages; ++i) {
        all.push_back("message " + std::to_string(i));
    }
    return all;
}

/// A messenger on a node of the network, which sends to the other node.
Messenger on_node(SimulatedNetwork& network, std::uint32_t node, bool has_bug) {
    const auto send = [&network, node](std::string_view packet) {
        const auto sent = network.send(node, 1 - node, std::as_bytes(std::span(packet)));
        if (!sent) {
            std::cerr << describe(sent.error()) << '\n';
        }
    };
    return Messenger(send, has_bug);
}

void receive_all(SimulatedNetwork& network, std::uint32_t node, Messenger& messenger) {
    while (const auto packet = network.receive(node)) {
        messenger.receive(
            {reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size()});
    }
}

/// Whether all messages arrive once and in order, within two minutes of virtual time.
bool works(SimulatedNetwork& network, bool has_bug) {
    Messenger sender = on_node(network, 0, has_bug);
    Messenger receiver = on_node(network, 1, has_bug);
    for (std::string& each : messages()) {
        sender.post(std::move(each));
    }
    for (int frame = 0; frame < 120 * 60 && !sender.is_idle(); ++frame) {
        receive_all(network, 0, sender);
        receive_all(network, 1, receiver);
        sender.update(network.now());
        if (!network.advance(network.now() + 16'666'667)) {
            return false;
        }
    }
    return receiver.received() == messages();
}

bool works_on(const NetworkSpec& spec, std::uint64_t seed, bool has_bug) {
    auto network = SimulatedNetwork::make(spec, 2, seed);
    return network && works(*network, has_bug);
}

/// The first failure, as a network that provokes it by events on single packets alone.
std::optional<NetworkSpec> find_failure(const NetworkSpec& spec, bool has_bug) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        auto network = SimulatedNetwork::make(spec, 2, seed, {.log = true});
        if (network && !works(*network, has_bug)) {
            return network->explicit_spec().value();
        }
    }
    return std::nullopt;
}

/// Takes events away as long as it fails.
NetworkSpec shrunk(NetworkSpec spec) {
    for (std::size_t i = spec.parts().events.size(); i-- > 0;) {
        auto parts = spec.parts();
        parts.events.erase(parts.events.begin() + static_cast<std::ptrdiff_t>(i));
        const NetworkSpec fewer = NetworkSpec::from_parts(parts).value();
        spec = works_on(fewer, 0, true) ? spec : fewer;
    }
    return spec;
}

}  // namespace

int main() {
    const NetworkSpec awful = NetworkSpec::parse("awful").value();
    if (const auto failure = find_failure(awful, false)) {
        std::cerr << "the messenger fails on " << failure->to_string() << '\n';
        return 1;
    }
    std::cout << "survived awful with " << kSeeds << " seeds\n";
    const auto failure = find_failure(awful, true);
    if (!failure) {
        std::cerr << "the planted bug was not found\n";
        return 1;
    }
    const NetworkSpec least = shrunk(*failure);
    std::cout << "the planted bug, in short: " << least.to_string() << '\n';
    return least.parts().events.size() <= 2 ? 0 : 1;
}
