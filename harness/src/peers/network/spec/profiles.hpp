#pragma once
// Networks that have a name. What a name stands for never changes in version 1: texts that
// reproduce a failure use it.

#include <isotick/harness/detail/peers/link_settings.hpp>

#include <span>
#include <string_view>

namespace isotick::harness {

struct NetworkProfile {
    std::string_view name;
    LinkSettings settings;
};

/// From the best to the worst; the first one has the usual settings. NETWORKS.md has the figures.
[[nodiscard]] std::span<const NetworkProfile> network_profiles();

}  // namespace isotick::harness
