#pragma once
// What one peer knows of another as a sender of packets.

#include "../wire/packet.hpp"
#include "../wire/snapshot_transfer.hpp"
#include "round_trip.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

struct Link {
    std::uint8_t life = 0;  ///< whose packets count: all below is about that one
    bool heard = false;
    bool heard_lately = false;  ///< since the last frame began
    std::int64_t last_heard_ns = 0;
    std::int64_t last_sent_ns = 0;
    std::uint64_t sent_at_tick = 0;  ///< the tick that stood in the last packet to it
    std::int64_t last_times_ns = 0;  ///< when times were sent last
    bool ever_sent = false;

    bool synced = false;                   ///< it has a state
    std::uint64_t synced_at = 0;           ///< the tick that it had when that was seen first
    std::optional<std::uint8_t> talks_on;  ///< a life that is over, and sends all the same
    std::uint64_t acked = 0;               ///< it has the own inputs before this tick
    std::uint64_t tick = 0;                ///< where it was when it sent what came last
    std::int64_t tick_at_ns = 0;           ///< when that came
    std::int64_t moved_ns = 0;             ///< when it was further than before
    std::int64_t advantage = 0;  ///< quarters of ticks that it thinks to be ahead of this peer
    bool takes_part = false;     ///< as far as it knows
    bool finished = false;
    RoundTrip round_trip;
    std::uint64_t told_ticks = 0;  ///< that the last hash report to it was about

    std::optional<std::uint64_t> left;  ///< it said good-bye, knowing so many changes of membership
    std::optional<std::int64_t> restarted;  ///< a newer life of it is there: since when
    bool suspect = false;                   ///< not heard for too long, or one of the above
    bool says_dropped = false;              ///< it says that this peer was dropped
    bool ready = false;                     ///< it wants to take part

    std::uint64_t refused = 0;
    std::int64_t flood_ns = 0;  ///< how far its packets are ahead of the time they may take

    std::optional<SnapshotSender> snapshot;  ///< on its way there
};

}  // namespace isotick::harness
