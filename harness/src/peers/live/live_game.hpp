#pragma once
// The game of a live peer: its simulation, what it goes back to, and its recording.

#include "../session/session_inputs.hpp"

#include <isotick/core/simulation.hpp>
#include <isotick/harness/peer.hpp>
#include <isotick/replay/recorder.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

class LiveGame {
  public:
    /// `recording`: the path to write one to, with `head`; empty: none.
    [[nodiscard]] static core::Result<LiveGame> start(core::Simulation simulation,
                                                      const replay::RecordingHead& head,
                                                      const std::string& recording);

    [[nodiscard]] core::Result<void> begin_frame(core::FrameTime frame_time) {
        return simulation_.begin_frame(frame_time);
    }
    [[nodiscard]] core::Result<void> render(double alpha) { return simulation_.render(alpha); }

    /// Back to the state before `tick`, which was saved.
    [[nodiscard]] core::Result<void> go_back_to(core::Tick tick);
    /// Runs a tick. The hash of the state after it.
    [[nodiscard]] core::Result<core::StateHash> step(const PeerStep& step);

    /// The state that so many ticks made, which was saved or is the state now, where `next` is the
    /// tick to be run next.
    [[nodiscard]] core::Result<std::vector<std::byte>> snapshot(std::uint64_t ticks_done,
                                                                core::Tick next);
    /// Goes on from a state of somebody else.
    [[nodiscard]] core::Result<void> arrive(const Peer::Arrival& arrival);

    /// Ticks below `verified` stand: nobody goes back behind it.
    [[nodiscard]] core::Result<void> confirm(std::uint64_t verified);
    /// Ends the recording, which is complete where `verified` ticks are all that were run.
    [[nodiscard]] core::Result<void> finish(std::uint64_t verified, core::Tick next);

    [[nodiscard]] std::uint64_t first_tick() const { return first_tick_; }
    /// After each tick from the first on.
    [[nodiscard]] std::vector<core::StateHash> hashes(std::uint64_t verified) const;

  private:
    explicit LiveGame(core::Simulation simulation) : simulation_(std::move(simulation)) {}

    [[nodiscard]] core::Result<void> record(const PeerStep& step, core::StateHash hash);

    core::Simulation simulation_;
    std::optional<replay::Recorder> recorder_;
    std::map<std::uint64_t, std::vector<std::byte>> saved_;  // by the tick that comes next
    std::vector<std::byte> spare_;                           // memory to save into
    std::uint64_t first_tick_ = 0;
    std::uint64_t confirmed_ = 0;
    std::vector<core::StateHash> hashes_;
    std::vector<core::PartHash> last_parts_;  // after the tick that was run last
};

}  // namespace isotick::harness
