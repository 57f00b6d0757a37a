#include "attendance.hpp"

#include <algorithm>

namespace isotick::harness {
namespace {

bool was_there(const std::vector<Presence>& presence, std::uint64_t tick) {
    return std::ranges::any_of(
        presence, [tick](const Presence& one) { return one.from <= tick && tick < one.until; });
}

// Where anything changes in what either of two knows of a peer.
std::vector<std::uint64_t> changes_in(const std::vector<Presence>& first,
                                      const std::vector<Presence>& second) {
    std::vector<std::uint64_t> ticks;
    for (const auto* presence : {&first, &second}) {
        for (const Presence& one : *presence) {
            ticks.push_back(one.from);
            ticks.push_back(one.until);
        }
    }
    std::ranges::sort(ticks);
    return ticks;
}

}  // namespace

Attendance attendance_of(const Peer& peer, std::uint32_t peers) {
    Attendance attendance;
    for (std::uint32_t other = 0; other < peers; ++other) {
        const auto presence = peer.presence(other);
        attendance.emplace_back(presence.begin(), presence.end());
    }
    return attendance;
}

std::optional<AttendanceGap> first_gap(const Attendance& first, const Attendance& second) {
    std::optional<AttendanceGap> gap;
    for (std::uint32_t peer = 0; peer < std::min(first.size(), second.size()); ++peer) {
        for (const std::uint64_t tick : changes_in(first[peer], second[peer])) {
            const bool in_first = was_there(first[peer], tick);
            if (in_first != was_there(second[peer], tick) && (!gap || tick < gap->tick)) {
                gap = AttendanceGap{tick, peer, in_first};
            }
        }
    }
    return gap;
}

std::uint64_t ticks_that_count(std::uint64_t verified, const Attendance& gone,
                               const Attendance& stayed) {
    const auto gap = first_gap(gone, stayed);
    if (!gap) {
        return verified;
    }
    const bool was_dropped = std::ranges::any_of(
        gone[gap->peer], [&](const Presence& one) { return one.until == gap->tick; });
    return gap->in_first || was_dropped ? std::min(verified, gap->tick) : verified;
}

bool is_session_over(std::span<const PeerState> states) {
    const auto has = [states](PeerState state) {
        return std::ranges::find(states, state) != states.end();
    };
    return !has(PeerState::running) && !has(PeerState::joining) &&
           (!has(PeerState::alone) || has(PeerState::finished));
}

InputEdits absences_in(const Attendance& attendance, std::uint32_t players, std::uint32_t playing,
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
        for (const Presence& presence : attendance[is_world ? 0 : player % playing]) {
            absent_until(std::min(presence.from, ticks));
            absent_from = presence.until;
        }
        absent_until(ticks);
    }
    std::ranges::stable_sort(absences, {}, &InputEdit::first);
    return absences;
}

}  // namespace isotick::harness
