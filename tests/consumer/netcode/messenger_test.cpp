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

/// The seed of the first failure.
std::optional<std::uint64_t> find_failure(const NetworkSpec& spec, bool has_bug) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        auto network = SimulatedNetwork::make(spec, 2, seed);
        if (network && !works(*network, has_bug)) {
            return seed;
        }
    }
    return std::nullopt;
}

}  // namespace

int main() {
    const NetworkSpec awful = NetworkSpec::parse("awful").value();
    if (const auto failure = find_failure(awful, false)) {
        std::cerr << "the messenger fails on awful with seed " << *failure << '\n';
        return 1;
    }
    std::cout << "survived awful with " << kSeeds << " seeds\n";
    const auto failure = find_failure(awful, true);
    if (!failure) {
        std::cerr << "the planted bug was not found\n";
        return 1;
    }
    const NetworkSpec least = shrink_network(awful, 2, *failure, [](SimulatedNetwork& network) {
                                  return !works(network, true);
                              }).value();
    std::cout << "the planted bug, in short: " << least.to_string() << '\n';
    return least.parts().events.size() <= 2 ? 0 : 1;
}
