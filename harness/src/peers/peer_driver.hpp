#pragma once
// Acts as the main loop of a peer's game: its clock, loop, inputs and frames.

#include "session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>
#include <isotick/harness/peer.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace isotick::harness {

inline constexpr std::int64_t kLongestPeerFrame = 500'000'000;  ///< except where a peer pauses

/// A peer, when its frames begin, and what it does in each of them. Its owner handles the packets.
struct PeerDriver {
    Peer peer;
    core::Loop loop;
    core::FrameSource frames;
    std::int64_t drift_ppm = 0;
    std::vector<std::uint32_t> own_players;
    const SessionInputs* inputs = nullptr;
    std::int64_t next_ns = 0;      ///< when the next frame begins,
    core::FrameTime frame_time{};  ///< and how long the one before it then took, by its own clock
    std::vector<isotick_input> own{};  ///< memory that is reused

    /// `inputs` must outlive it. Whoever seats the peer adds the current time to `next_ns`, and
    /// plans the first frame. Fails where Peer::make and core::Loop::make do.
    [[nodiscard]] static core::Result<PeerDriver> make(const PeerOptions& options,
                                                       const PeerFrames& how,
                                                       const SessionInputs& inputs) {
        ISOTICK_TRY_ASSIGN(Peer peer, Peer::make(options));
        ISOTICK_TRY_ASSIGN(core::Loop loop, core::Loop::make(options.rate, how.loop));
        return PeerDriver{std::move(peer),
                          std::move(loop),
                          how.schedule.frames(options.rate),
                          how.drift_ppm,
                          players_of(options.self, options),
                          &inputs,
                          how.start_ns};
    }

    /// Draws the length of the next frame, which begins when that time has passed.
    void plan_next_frame() {
        const std::int64_t own_ns =
            std::clamp<std::int64_t>(frames.next().nanoseconds, 0, kLongestPeerFrame);
        frame_time = core::FrameTime{own_ns};
        next_ns += own_ns - own_ns * drift_ppm / (1'000'000 + drift_ppm);
    }

    /// Delays that frame, and makes it longer by as much.
    void pause(std::int64_t for_ns) {
        frame_time.nanoseconds += for_ns;
        next_ns += for_ns;
    }

    [[nodiscard]] bool is_joining() const { return peer.state() == PeerState::joining; }

    /// Runs the frame, which begins at `now_ns` of the peer's own clock: everything
    /// between Peer::receive() and next_packet(). Unless the peer still waits for a state, it calls
    /// these members of `game`, in the order in which a trial calls a simulation; the first failure
    /// ends the frame:
    ///   begin_frame(core::FrameTime, const PeerFrame&): undoes as many ticks as the latter says;
    ///   snapshot(ticks_done): for a peer that joins: the one that was saved, or the state now;
    ///   arrive(const Peer::Arrival&): continues from there; the first begin_frame follows;
    ///   step(const PeerStep&): returns the hash of the state after it;
    ///   end_frame(alpha).
    template <class Game>
    [[nodiscard]] core::Result<void> frame(std::int64_t now_ns, Game& game) {
        const core::HostFrame host = loop.advance(frame_time);
        ISOTICK_TRY(give_inputs());
        const bool was_joining = is_joining();
        const PeerFrame begun = peer.begin_frame(now_ns, host.plan.ticks);
        ISOTICK_TRY(was_joining ? core::Result<void>() : game.begin_frame(frame_time, begun));
        ISOTICK_TRY(hand_snapshots(game));
        if (is_joining()) {
            return {};
        }
        ISOTICK_TRY(was_joining ? game.begin_frame(frame_time, begun) : core::Result<void>());
        while (const auto step = peer.next_step()) {
            const core::Tick tick = step->tick;
            auto hash = game.step(*step);
            if (!hash) {
                hash.error().tick = tick.value;
                return tl::unexpected(std::move(hash.error()));
            }
            peer.add_hash(tick, *hash);
            ISOTICK_TRY(give_inputs());
        }
        return game.end_frame(host.plan.alpha);
    }

    [[nodiscard]] core::Result<void> give_inputs() {
        while (const auto wanted = peer.wanted_input()) {
            own.clear();
            const auto all = inputs->of(*wanted);
            for (const std::uint32_t player : own_players) {
                own.push_back(player == ISOTICK_WORLD ? all.back() : all[player]);
            }
            ISOTICK_TRY(peer.add_input(own));
        }
        return {};
    }

    template <class Game>
    [[nodiscard]] core::Result<void> hand_snapshots(Game& game) {
        if (const auto wanted = peer.wanted_snapshot()) {
            ISOTICK_TRY_ASSIGN(auto snapshot, game.snapshot(*wanted));
            ISOTICK_TRY(peer.add_snapshot(std::move(snapshot)));
        }
        const auto arrival = peer.take_arrival();
        return arrival ? game.arrive(*arrival) : core::Result<void>();
    }
};

}  // namespace isotick::harness
