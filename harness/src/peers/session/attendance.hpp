#pragma once
// Who was there when, and so which inputs of a session count.

#include <isotick/harness/detail/shrink/input_edits.hpp>
#include <isotick/harness/peer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// By peer: when it was there, as one of them knows it.
using Attendance = std::vector<std::vector<Presence>>;

[[nodiscard]] Attendance attendance_of(const Peer& peer, std::uint32_t peers);

/// Where two peers part in what they know.
struct AttendanceGap {
    std::uint64_t tick = 0;
    std::uint32_t peer = 0;  ///< who was there then, or was not
    bool in_first = false;   ///< it was there as the first of the two knows it
};

/// The earliest; of several at one tick, that of the lowest peer.
[[nodiscard]] std::optional<AttendanceGap> first_gap(const Attendance& first,
                                                     const Attendance& second);

/// Ticks of a peer that is gone that count, as far as it can tell by those who stayed: they may
/// have lacked the last inputs that it ran, and then counted it, or another one, as gone before. Or
/// it dropped one of them, and nobody is left who knew.
[[nodiscard]] std::uint64_t ticks_that_count(std::uint64_t verified, const Attendance& gone,
                                             const Attendance& stayed);

/// Whether a session is over when those who are there are in these states. Who is left with too few
/// may still be joined by others, unless those have finished.
[[nodiscard]] bool is_session_over(std::span<const PeerState> states);

/// The inputs that do not count. The first `playing` peers share the players.
[[nodiscard]] InputEdits absences_in(const Attendance& attendance, std::uint32_t players,
                                     std::uint32_t playing, std::uint64_t ticks);

}  // namespace isotick::harness
