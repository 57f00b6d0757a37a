#pragma once
// The inputs of a session of peers, and who takes part in which ticks.

#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/harness/peer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// Who was there when, and so which inputs of a session count.

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

// All inputs of a session, in memory: peers ask for them in any order.

/// The inputs of the first ticks of a session. Inputs that stay the same share their bytes.
class SessionInputs {
  public:
    /// Of so many players; no ticks yet.
    explicit SessionInputs(std::uint32_t players = 0) : columns_(std::size_t{players} + 1) {}

    /// Those of a recording, `most` ticks of them. Fails where it cannot be read, is damaged before
    /// that, or has ticks with a dt of their own.
    [[nodiscard]] static core::Result<SessionInputs> read(const std::string& recording,
                                                          std::uint64_t most);

    /// The next tick's: players in order, the world's last. The bytes are copied.
    void append(std::span<const isotick_input> inputs);

    [[nodiscard]] std::uint32_t players() const { return static_cast<std::uint32_t>(columns_ - 1); }
    /// Of the recording, up to the last chunk that was read.
    [[nodiscard]] const core::Digest& session_digest() const { return digest_; }
    [[nodiscard]] std::uint64_t ticks() const { return inputs_.size() / columns_; }
    /// Those of a tick that there is.
    [[nodiscard]] std::span<const isotick_input> of(core::Tick tick) const {
        return std::span(inputs_).subspan(static_cast<std::size_t>(tick.value) * columns_,
                                          columns_);
    }

  private:
    std::size_t columns_;
    core::Digest digest_;
    std::vector<isotick_input> inputs_;
    std::deque<std::vector<std::uint8_t>> bytes_;  // that inputs_ points into
};

/// Whether two inputs are the same.
[[nodiscard]] bool same_input(const isotick_input& left, const isotick_input& right);

}  // namespace isotick::harness
