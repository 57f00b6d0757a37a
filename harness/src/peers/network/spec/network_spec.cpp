// NetworkSpec::from_parts and what is asked of a network.

#include "problems.hpp"
#include "setting_words.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/network_spec.hpp>

#include <algorithm>
#include <tuple>

namespace isotick::harness {
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
