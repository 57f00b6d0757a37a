#include "session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <cstring>

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

using core::ErrorCode;

bool same_input(const isotick_input& left, const isotick_input& right) {
    return left.present == right.present && left.size == right.size &&
           (left.size == 0 || left.data == right.data ||
            std::memcmp(left.data, right.data, static_cast<std::size_t>(left.size)) == 0);
}

core::Result<SessionInputs> SessionInputs::read(const std::string& recording, std::uint64_t most) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
    SessionInputs inputs(reader.head().session.players);
    for (const replay::TickChunk* chunk = nullptr; inputs.ticks() < most;) {
        ISOTICK_TRY_ASSIGN(chunk, reader.next());
        if (chunk == nullptr) {
            break;
        }
        inputs.digest_ = chunk->session_digest();
        if (chunk->own_dts() > 0) {
            return core::fail(ErrorCode::usage,
                              "ticks with a dt of their own, which peers do not tell each other");
        }
        for (std::uint32_t row = 0; row < chunk->ticks() && inputs.ticks() < most; ++row) {
            inputs.append(chunk->inputs(row));
        }
    }
    if (reader.damage()) {
        return core::fail(ErrorCode::damaged, "damaged at byte " +
                                                  std::to_string(reader.damage()->offset) + ": " +
                                                  reader.damage()->reason);
    }
    return inputs;
}

void SessionInputs::append(std::span<const isotick_input> inputs) {
    const std::size_t before = inputs_.size();
    for (std::size_t i = 0; i < columns_; ++i) {
        isotick_input input = inputs[i];
        if (before >= columns_ && same_input(input, inputs_[before - columns_ + i])) {
            input = inputs_[before - columns_ + i];
        } else if (input.size > 0) {
            input.data = bytes_.emplace_back(input.data, input.data + input.size).data();
        }
        inputs_.push_back(input);
    }
}

}  // namespace isotick::harness
