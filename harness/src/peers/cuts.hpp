#pragma once
// Which nodes cannot reach each other, and when.

#include <isotick/harness/network.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace isotick::harness {

/// The cuts of a network, as time goes on.
class Cuts {
  public:
    Cuts(std::span<const NetworkCut> cuts, std::uint32_t nodes) {
        for (const NetworkCut& each : cuts) {
            cuts_.push_back({each.from_ns, each.from_ns + each.length_ns, groups_of(each, nodes)});
        }
        advance(0);
    }

    void advance(std::int64_t to_ns) {
        if (to_ns < next_change_ns_) {
            return;
        }
        active_.clear();
        next_change_ns_ = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < cuts_.size(); ++i) {
            for (const std::int64_t change_ns : {cuts_[i].from_ns, cuts_[i].end_ns}) {
                if (change_ns > to_ns) {
                    next_change_ns_ = std::min(next_change_ns_, change_ns);
                }
            }
            if (cuts_[i].from_ns <= to_ns && to_ns < cuts_[i].end_ns) {
                active_.push_back(i);
            }
        }
    }

    /// Whether a packet that is sent now from `from` to `to` is lost.
    [[nodiscard]] bool part(std::uint32_t from, std::uint32_t to) const {
        return std::ranges::any_of(active_, [&](std::size_t index) {
            const std::uint32_t left = cuts_[index].groups[from];
            const std::uint32_t right = cuts_[index].groups[to];
            return left != right && left != kEveryone && right != kEveryone;
        });
    }

  private:
    static constexpr std::uint32_t kEveryone = 0xffffffff;  // reaches every group

    struct Cut {
        std::int64_t from_ns;
        std::int64_t end_ns;
        std::vector<std::uint32_t> groups;  // of each node
    };

    static std::vector<std::uint32_t> groups_of(const NetworkCut& cut, std::uint32_t nodes) {
        const bool is_alone = cut.groups.size() == 1;
        std::vector<std::uint32_t> groups(nodes, is_alone ? 1 : kEveryone);
        for (std::size_t i = 0; i < cut.groups.size(); ++i) {
            for (const std::uint32_t node : cut.groups[i]) {
                groups[node] = static_cast<std::uint32_t>(i);
            }
        }
        return groups;
    }

    std::vector<Cut> cuts_;
    std::vector<std::size_t> active_;  // indices in cuts_
    std::int64_t next_change_ns_ = 0;
};

}  // namespace isotick::harness
