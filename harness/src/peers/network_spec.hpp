#pragma once
// Networks by name and by settings, and what is wrong with them.

#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/harness/detail/link_settings.hpp>
#include <isotick/harness/network.hpp>

#include <span>
#include <string_view>

namespace isotick::harness {

// What makes parts of a network nonsense, as the rest of a sentence such as `expected …`.

[[nodiscard]] core::Problem problem_of(const LinkSettings& settings);
[[nodiscard]] core::Problem problem_of(const LinkRule& rule);
[[nodiscard]] core::Problem problem_of(const NetworkCut& cut);
[[nodiscard]] core::Problem problem_of(const PacketEvent& event);

/// Nodes and groups in ascending order.
void sort_groups(NetworkCut& cut);

/// What two parts must not have in common, once they are in canonical order; one after the other.
[[nodiscard]] core::Problem clash_of(const LinkRule& before, const LinkRule& after);
[[nodiscard]] core::Problem clash_of(const NetworkCut& before, const NetworkCut& after);
[[nodiscard]] core::Problem clash_of(const PacketEvent& before, const PacketEvent& after);

// Networks that have a name. What a name stands for never changes in version 1: texts that
// reproduce a failure use it.

struct NetworkProfile {
    std::string_view name;
    LinkSettings settings;
};

/// From the best to the worst; the first one has the usual settings. NETWORKS.md has the figures.
[[nodiscard]] std::span<const NetworkProfile> network_profiles();

}  // namespace isotick::harness
