#include "absences.hpp"

#include <algorithm>

namespace isotick::harness {

InputEdits absences_of(const Peer& peer, std::uint32_t players, std::uint32_t playing,
                       std::uint64_t ticks) {
    InputEdits absences;
    for (std::uint32_t player = 0; player <= players; ++player) {
        const bool is_world = player == players;
        std::uint64_t absent_from = 0;
        const auto absent_until = [&](std::uint64_t until) {
            if (absent_from < until && until <= ticks) {
                absences.push_back({is_world ? ISOTICK_WORLD : player,
                                    core::Tick{absent_from},
                                    core::Tick{until - 1},
                                    InputEditKind::release,
                                    {}});
            }
        };
        for (const Presence& presence : peer.presence(is_world ? 0 : player % playing)) {
            absent_until(std::min(presence.from, ticks));
            absent_from = presence.until;
        }
        absent_until(ticks);
    }
    std::ranges::stable_sort(absences, {}, &InputEdit::first);
    return absences;
}

}  // namespace isotick::harness
