// isotick_network_*: the simulated network for C.

#include <isotick/core/detail/c_calls.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/isotick_peers.h>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <optional>
#include <string>

struct isotick_network {
    isotick::harness::SimulatedNetwork network;
    std::string text{};
    std::string explicit_text{};
};

namespace {

using isotick::core::ErrorCode;
using isotick::core::Result;
using isotick::harness::LinkTrace;
using isotick::harness::NetworkSpec;
using isotick::harness::SimulatedNetwork;
namespace core = isotick::core;
namespace c_api = isotick::core::c_api;

/// Finds traces among those that the caller brought.
isotick::harness::TraceResolver resolver_for(const isotick_network_options& options) {
    return [&options](const std::string& path) -> Result<std::shared_ptr<const LinkTrace>> {
        for (std::uint32_t i = 0; options.traces != nullptr && i < options.trace_count; ++i) {
            const isotick_link_trace& each = options.traces[i];
            if (each.name != nullptr && path == each.name) {
                return LinkTrace::parse({static_cast<const char*>(each.data),
                                         each.data == nullptr ? 0 : std::size_t{each.size}});
            }
        }
        return core::fail(ErrorCode::usage, "no trace '" + path + "' was given");
    };
}

Result<NetworkSpec> spec_of(const isotick_network_options& options) {
    return NetworkSpec::parse(options.text == nullptr ? "perfect" : options.text,
                              resolver_for(options));
}

Result<void> create_network(const NetworkSpec& spec, const isotick_network_options& options,
                            isotick_network** out) {
    ISOTICK_TRY_ASSIGN(auto network, SimulatedNetwork::make(spec, options.nodes, options.seed,
                                                            {.log = options.log != 0}));
    *out = new isotick_network{std::move(network), spec.to_string(), {}};
    return {};
}

Result<void> shrink(const isotick_network_options& options, isotick_network_fails fails,
                    void* context, std::uint64_t most_runs, isotick_network** out) {
    ISOTICK_TRY_ASSIGN(const NetworkSpec spec, spec_of(options));
    constexpr std::uint64_t kUsualRuns = 400;
    ISOTICK_TRY_ASSIGN(const NetworkSpec least, isotick::harness::shrink_network(
                                                    spec, options.nodes, options.seed,
                                                    [&](SimulatedNetwork& network) {
                                                        isotick_network lent{std::move(network)};
                                                        const bool failed =
                                                            fails(context, &lent) != 0;
                                                        network = std::move(lent.network);
                                                        return failed;
                                                    },
                                                    most_runs == 0 ? kUsualRuns : most_runs));
    return create_network(least, options, out);
}

}  // namespace

std::uint32_t isotick_peers_api_version(void) {
    return ISOTICK_PEERS_API_VERSION;
}

std::int32_t isotick_network_create(const isotick_network_options* options, isotick_network** out,
                                    isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&]() -> Result<void> {
        ISOTICK_TRY_ASSIGN(const auto known, c_api::read_struct(options));
        ISOTICK_TRY_ASSIGN(const NetworkSpec spec, spec_of(known));
        return create_network(spec, known, out);
    });
}

std::int32_t isotick_network_shrink(const isotick_network_options* options,
                                    isotick_network_fails fails, void* context,
                                    std::uint64_t most_runs, isotick_network** out,
                                    isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&]() -> Result<void> {
        ISOTICK_TRY_ASSIGN(const auto known, c_api::read_struct(options));
        return shrink(known, fails, context, most_runs, out);
    });
}

const char* isotick_network_text(const isotick_network* network) {
    return network->text.c_str();
}

void isotick_network_destroy(isotick_network* network) {
    delete network;
}

std::int32_t isotick_network_send(isotick_network* network, std::uint32_t from, std::uint32_t to,
                                  const void* data, std::uint64_t size, isotick_message* message) {
    return c_api::guard(message, [&] {
        return network->network.send(
            from, to, {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
    });
}

std::int32_t isotick_network_advance(isotick_network* network, std::int64_t to_ns,
                                     isotick_message* message) {
    return c_api::guard(message, [&] { return network->network.advance(to_ns); });
}

std::int32_t isotick_network_receive(isotick_network* network, std::uint32_t node,
                                     isotick_delivery* delivery) {
    return c_api::value_or(0, [&] {
        const auto arrived = network->network.receive(node);
        if (!arrived) {
            return 0;
        }
        isotick_delivery known{};
        known.from = arrived->from;
        known.number = arrived->number;
        known.at_ns = arrived->at_ns;
        known.data = reinterpret_cast<const std::uint8_t*>(arrived->bytes.data());
        known.size = arrived->bytes.size();
        known.is_copy = arrived->is_copy ? 1 : 0;
        c_api::write_struct(known, delivery);
        return 1;
    });
}

std::int32_t isotick_network_next_arrival(const isotick_network* network, std::uint32_t node,
                                          std::int64_t* at_ns) {
    const auto next = node == ISOTICK_ANY_NODE ? network->network.next_arrival()
                                               : network->network.next_arrival(node);
    *at_ns = next.value_or(0);
    return next ? 1 : 0;
}

std::int64_t isotick_network_now(const isotick_network* network) {
    return network->network.now();
}

void isotick_network_statistics_of(const isotick_network* network, std::uint32_t from,
                                   std::uint32_t to, isotick_network_statistics* statistics) {
    const bool all = from == ISOTICK_ANY_NODE && to == ISOTICK_ANY_NODE;
    const auto counted =
        all ? network->network.statistics() : network->network.statistics(from, to);
    isotick_network_statistics known{};
    known.sent = counted.sent;
    known.sent_bytes = counted.sent_bytes;
    known.delivered = counted.delivered;
    known.delivered_bytes = counted.delivered_bytes;
    known.lost = counted.lost;
    known.overflowed = counted.overflowed;
    known.cut_off = counted.cut_off;
    known.duplicated = counted.duplicated;
    known.overtaken = counted.overtaken;
    known.in_flight = counted.in_flight;
    c_api::write_struct(known, statistics);
}

const char* isotick_network_explicit(isotick_network* network, isotick_message* message) {
    const std::int32_t status = c_api::guard(message, [&]() -> Result<void> {
        ISOTICK_TRY_ASSIGN(const auto spec, network->network.explicit_spec());
        network->explicit_text = spec.to_string();
        return {};
    });
    return status == ISOTICK_OK ? network->explicit_text.c_str() : nullptr;
}
