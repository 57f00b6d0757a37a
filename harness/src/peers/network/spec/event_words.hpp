#pragma once
// What the faults of packets are called.

#include <isotick/harness/network_spec.hpp>

#include <array>
#include <optional>
#include <string_view>

namespace isotick::harness {

/// In the order of PacketFault.
inline constexpr std::array<std::string_view, 3> kEventWords{"drop", "late", "twice"};

[[nodiscard]] inline std::string_view event_word(PacketFault fault) {
    return kEventWords[static_cast<std::size_t>(fault)];
}

[[nodiscard]] inline std::optional<PacketFault> event_fault(std::string_view word) {
    for (std::size_t i = 0; i < kEventWords.size(); ++i) {
        if (kEventWords[i] == word) {
            return static_cast<PacketFault>(i);
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
