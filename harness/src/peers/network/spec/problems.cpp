#include "problems.hpp"

#include "setting_words.hpp"

#include <algorithm>
#include <set>

namespace isotick::harness {

using core::Problem;
using core::unless;

Problem problem_of(const LinkSettings& settings) {
    for (const SettingWord& each : setting_words()) {
        if (auto problem = each.problem(settings)) {
            return problem;
        }
    }
    return {};
}

Problem problem_of(const LinkRule& rule) {
    const auto is_node = [](std::uint32_t node) { return node < kMostNodes || node == kAnyNode; };
    if (!is_node(rule.from) || !is_node(rule.to)) {
        return "nodes from 0 to 255";
    }
    if (rule.from == rule.to) {
        return "a link between two nodes, such as 2>0 or 2>*";
    }
    const std::uint32_t known = profile_bits() | bit_of(LinkSetting::trace);
    if (rule.given == 0 || (rule.given & ~known) != 0) {
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

}  // namespace isotick::harness
