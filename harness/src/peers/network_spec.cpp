#include "network_spec.hpp"

#include "setting_words.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace isotick::harness {

using core::Problem;
using core::unless;

Problem problem_of(const LinkSettings& settings) {
    return core::first_problem(setting_words(), settings);
}

Problem problem_of(const LinkRule& rule) {
    const auto is_node = [](std::uint32_t node) { return node < kMostNodes || node == kAnyNode; };
    if (!is_node(rule.from) || !is_node(rule.to)) {
        return "nodes from 0 to 255";
    }
    if (rule.from == rule.to) {
        return "a link between two nodes, such as 2>0 or 2>*";
    }
    if (rule.given == 0 || (rule.given & ~all_bits()) != 0) {
        return "a setting of the link";
    }
    return problem_of(rule.settings);
}

void sort_groups(NetworkCut& cut) {
    for (auto& group : cut.groups) {
        std::ranges::sort(group);
    }
    std::ranges::sort(cut.groups);
}

Problem problem_of(const NetworkCut& cut) {
    std::set<std::uint32_t> nodes;
    for (const auto& group : cut.groups) {
        if (group.empty()) {
            return "a node in each group";
        }
        for (const std::uint32_t node : group) {
            if (node >= kMostNodes || !nodes.insert(node).second) {
                return "nodes from 0 to 255, each once";
            }
        }
    }
    if (cut.groups.empty()) {
        return "a group of nodes";
    }
    if (cut.from_ns < 0 || cut.from_ns > kLongestNetwork) {
        return "a cut that begins from 0ms to 86400s";
    }
    return unless(cut.length_ns > 0 && cut.length_ns <= kLongestNetwork,
                  "a cut that lasts from 1ns to 86400s");
}

Problem problem_of(const PacketEvent& event) {
    if (event.from >= kMostNodes || event.to >= kMostNodes) {
        return "nodes from 0 to 255";
    }
    if (event.from == event.to) {
        return "a packet between two nodes, such as 3>1#17";
    }
    if (event.number > kHighestNumber) {
        return "a packet's number up to 70368744177663";
    }
    if (event.fault == PacketFault::drop) {
        return unless(event.by_ns == 0, "no time for a packet that is dropped");
    }
    if (event.by_ns < -kLongestLateness || event.by_ns > kLongestLateness) {
        return "a time of at most 1000000000s";
    }
    return unless(event.fault != PacketFault::late || event.by_ns != 0, "a time that is not zero");
}

Problem clash_of(const LinkRule& before, const LinkRule& after) {
    return unless(before.from != after.from || before.to != after.to, "each link once");
}

Problem clash_of(const NetworkCut& before, const NetworkCut& after) {
    return unless(before != after, "each cut once");
}

Problem clash_of(const PacketEvent& before, const PacketEvent& after) {
    if (before.from != after.from || before.to != after.to || before.number != after.number) {
        return {};
    }
    return unless(before.fault != after.fault && before.fault != PacketFault::drop,
                  "each fault of a packet once, and none of one that is dropped");
}

namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kKilobit = 1'000;
constexpr std::uint64_t kMegabit = 1'000'000;

LinkSettings delayed(std::int64_t delay_ns, std::int64_t jitter_ns) {
    LinkSettings settings;
    settings.delay_ns = delay_ns;
    settings.jitter_ns = jitter_ns;
    return settings;
}

LinkSettings lan() {
    LinkSettings settings = delayed(500 * kMicrosecond, 200 * kMicrosecond);
    settings.rate = 1'000 * kMegabit;
    settings.queue = 256'000;
    return settings;
}

LinkSettings broadband() {
    LinkSettings settings = delayed(20 * kMillisecond, 3 * kMillisecond);
    settings.loss_per_mille = 1;
    settings.rate = 20 * kMegabit;
    settings.queue = 128'000;
    return settings;
}

LinkSettings mobile() {
    LinkSettings settings = delayed(45 * kMillisecond, 15 * kMillisecond);
    settings.loss_per_mille = 10;
    settings.burst = 3;
    settings.reordering_per_mille = 5;
    settings.rate = 10 * kMegabit;
    settings.queue = 256'000;
    return settings;
}

LinkSettings satellite() {
    LinkSettings settings = delayed(300 * kMillisecond, 10 * kMillisecond);
    settings.loss_per_mille = 5;
    settings.burst = 3;
    settings.rate = 5 * kMegabit;
    settings.queue = 256'000;
    return settings;
}

LinkSettings awful() {
    LinkSettings settings = delayed(120 * kMillisecond, 60 * kMillisecond);
    settings.loss_per_mille = 100;
    settings.burst = 4;
    settings.duplication_per_mille = 20;
    settings.reordering_per_mille = 50;
    settings.rate = 512 * kKilobit;
    settings.queue = 32'000;
    return settings;
}

}  // namespace

std::span<const NetworkProfile> network_profiles() {
    static const std::vector<NetworkProfile> profiles{{"perfect", {}},
                                                      {"lan", lan()},
                                                      {"broadband", broadband()},
                                                      {"mobile", mobile()},
                                                      {"satellite", satellite()},
                                                      {"awful", awful()}};
    return profiles;
}

// NetworkSpec::from_parts and what is asked of a network.

namespace {

using core::ErrorCode;
using core::Result;

/// Those that apply to more links come first, so that later ones prevail.
auto order_of(const LinkRule& rule) {
    const bool is_exact = rule.from != kAnyNode && rule.to != kAnyNode;
    return std::tuple(is_exact, rule.from != kAnyNode, rule.from, rule.to);
}

auto order_of(const NetworkCut& cut) {
    return std::tie(cut.from_ns, cut.length_ns, cut.groups);
}

auto order_of(const PacketEvent& event) {
    return std::tie(event.from, event.to, event.number, event.fault);
}

template <class Part>
Result<void> check(std::vector<Part>& parts, std::size_t most, const char* name) {
    if (parts.size() > most) {
        return core::fail(ErrorCode::usage,
                          "expected at most " + std::to_string(most) + " " + name);
    }
    for (const Part& each : parts) {
        if (const auto problem = problem_of(each)) {
            return core::fail(ErrorCode::usage, "expected " + *problem);
        }
    }
    std::ranges::stable_sort(parts, [](const Part& left, const Part& right) {
        return order_of(left) < order_of(right);
    });
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (const auto problem = clash_of(parts[i - 1], parts[i])) {
            return core::fail(ErrorCode::usage, "expected " + *problem);
        }
    }
    return {};
}

/// What is not given is as usual.
void keep_given(LinkRule& rule) {
    LinkSettings kept;
    copy_settings(rule.settings, rule.given, kept);
    rule.settings = kept;
}

}  // namespace

Result<NetworkSpec> NetworkSpec::from_parts(NetworkParts parts) {
    if (const auto problem = problem_of(parts.usual)) {
        return core::fail(ErrorCode::usage, "expected " + *problem);
    }
    std::ranges::for_each(parts.rules, keep_given);
    std::ranges::for_each(parts.cuts, sort_groups);
    ISOTICK_TRY(check(parts.rules, kMostRules, "links with settings of their own"));
    ISOTICK_TRY(check(parts.cuts, kMostCuts, "cuts"));
    ISOTICK_TRY(check(parts.events, kMostEvents, "events"));
    return NetworkSpec(std::move(parts));
}

LinkSettings NetworkSpec::settings(std::uint32_t from, std::uint32_t to) const {
    LinkSettings settings = parts_.usual;
    for (const LinkRule& each : parts_.rules) {
        const bool fits =
            (each.from == from || each.from == kAnyNode) && (each.to == to || each.to == kAnyNode);
        if (fits) {
            copy_settings(each.settings, each.given, settings);
        }
    }
    return settings;
}

std::uint32_t NetworkSpec::least_nodes() const {
    std::uint32_t highest = 1;
    const auto take = [&highest](std::uint32_t node) {
        highest = node == kAnyNode ? highest : std::max(highest, node);
    };
    for (const LinkRule& each : parts_.rules) {
        take(each.from);
        take(each.to);
    }
    for (const NetworkCut& each : parts_.cuts) {
        for (const auto& group : each.groups) {
            std::ranges::for_each(group, take);
        }
    }
    for (const PacketEvent& each : parts_.events) {
        take(each.from);
        take(each.to);
    }
    return highest + 1;
}

}  // namespace isotick::harness
