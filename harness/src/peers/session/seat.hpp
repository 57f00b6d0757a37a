#pragma once
// The place of one peer in a session, and whoever sits there.

#include "course_writer.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/peers/session_course.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace isotick::harness {

/// A peer that is there: its protocol, its frames, its clock, what it has done.
struct Seated {
    Peer peer;
    core::Loop loop;
    core::FrameSource frames;
    std::int64_t drift_ppm = 0;
    core::FrameTime frame_time;  ///< of the frame that comes next
    std::int64_t clock_ns = 0;   ///< its own, when that frame began
    CourseWriter course;
    PeerRun run;
    std::size_t id = 0;  ///< of the run, among the session's

    bool leaving = false;

    [[nodiscard]] bool is_over() const {
        const PeerState state = peer.state();
        return state != PeerState::running && state != PeerState::joining;
    }
};

struct Seat {
    std::uint32_t number = 0;
    std::uint32_t next_incarnation = 0;
    std::unique_ptr<Seated> seated;  ///< null: nobody is there
    std::int64_t next_ns = 0;        ///< when its next frame begins
    std::vector<PeerFault> faults;
    std::uint64_t kept_until = 0;           ///< PeerFault::keeps_leaver
    std::vector<core::Bytes> last_packets;  ///< that it sent to each peer, where it is faulty

    [[nodiscard]] bool has(PeerFault fault) const {
        for (const PeerFault one : faults) {
            if (one == fault) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace isotick::harness
