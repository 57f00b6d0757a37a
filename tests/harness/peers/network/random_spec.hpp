#pragma once
// Networks of all kinds, drawn from a seed.

#include "traffic.hpp"

#include <isotick/harness/network.hpp>

namespace isotick::harness::tests {

/// A trace for any path: of deliveries where the path says so, else of conditions.
inline core::Result<std::shared_ptr<const LinkTrace>> any_trace(const std::string& path) {
    return LinkTrace::parse(path.find("deliveries") != std::string::npos
                                ? "1\n5\n5\n20\n21\n40\n"
                                : "time_s,delay_ms,loss_percent\n0,10,0\n1,80,12.5\n2,,\n3,5,1\n");
}

inline std::uint32_t any_share(core::Pcg32& random) {
    return random.chance(1, 2) ? 0 : random.below(random.chance(1, 8) ? 1001 : 200);
}

inline LinkSettings any_settings(core::Pcg32& random, bool with_traces) {
    LinkSettings settings;
    settings.delay_ns = random.chance(1, 4) ? 0 : random.between(0, 300 * kMillisecond);
    settings.jitter_ns = random.chance(1, 2) ? 0 : random.between(0, settings.delay_ns);
    settings.loss_per_mille = any_share(random);
    settings.burst = random.chance(1, 2) ? 1 : 1 + random.below(12);
    settings.duplication_per_mille = any_share(random);
    settings.reordering_per_mille = any_share(random);
    settings.hold_back_ns =
        random.chance(1, 2) ? settings.hold_back_ns : random.between(2, kSecond);
    settings.rate = random.chance(1, 2) ? 0 : 1'000 + random.below(5'000'000);
    settings.queue = random.chance(1, 2) ? settings.queue : 1'000 + random.below(100'000);
    if (with_traces && random.chance(1, 4)) {
        settings.trace.path = random.chance(1, 2) ? "deliveries \"a\"" : "conditions.csv";
        settings.trace.trace = take(any_trace(settings.trace.path));
    }
    return settings;
}

inline std::pair<std::uint32_t, std::uint32_t> any_link(core::Pcg32& random, std::uint32_t nodes) {
    const std::uint32_t from = random.below(nodes);
    return {from, (from + 1 + random.below(nodes - 1)) % nodes};
}

inline NetworkCut any_cut(core::Pcg32& random, std::uint32_t nodes) {
    NetworkCut cut;
    cut.groups.resize(1 + random.below(2));
    for (std::uint32_t node = 0; node < nodes; ++node) {
        const std::uint32_t group = random.below(3);
        if (group < cut.groups.size()) {
            cut.groups[group].push_back(node);
        }
    }
    std::erase_if(cut.groups, [](const auto& group) { return group.empty(); });
    if (cut.groups.empty()) {
        cut.groups.push_back({0});
    }
    cut.from_ns = random.between(0, 10 * kSecond);
    cut.length_ns = random.between(1, 5 * kSecond);
    return cut;
}

inline PacketEvent any_event(core::Pcg32& random, std::uint32_t nodes) {
    const auto [from, to] = any_link(random, nodes);
    PacketEvent event{from, to, random.below(50), static_cast<PacketFault>(random.below(3)), 0};
    if (event.fault != PacketFault::drop) {
        const bool is_early = random.chance(1, 4);
        event.by_ns = random.between(1, 500 * kMillisecond) * (is_early ? -1 : 1);
    }
    return event;
}

/// Draws until the parts fit together.
inline NetworkSpec any_spec(std::uint64_t seed, std::uint32_t nodes, bool with_traces = true) {
    core::Pcg32 random(seed);
    for (;;) {
        NetworkParts parts;
        parts.usual = any_settings(random, with_traces);
        for (std::uint32_t i = random.below(4); i > 0; --i) {
            const auto [from, to] = any_link(random, nodes);
            LinkRule rule{from, to, any_settings(random, with_traces), 1 + random.below(255)};
            const std::uint32_t any_end = random.below(6);
            rule.from = any_end == 0 ? kAnyNode : rule.from;
            rule.to = any_end == 1 ? kAnyNode : rule.to;
            if ((rule.given & bit_of(LinkSetting::trace)) != 0 && !rule.settings.trace.trace) {
                rule.given = bit_of(LinkSetting::loss);
            }
            parts.rules.push_back(rule);
        }
        for (std::uint32_t i = random.below(3); i > 0; --i) {
            parts.cuts.push_back(any_cut(random, nodes));
        }
        for (std::uint32_t i = random.below(5); i > 0; --i) {
            parts.events.push_back(any_event(random, nodes));
        }
        if (auto spec = NetworkSpec::from_parts(parts)) {
            return *spec;
        }
    }
}

}  // namespace isotick::harness::tests
