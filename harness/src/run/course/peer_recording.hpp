#pragma once
// The recording that a peer makes of its own run.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/replay/writer.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// Writes the ticks that a peer has done for good. Where it is destroyed without close, the file
/// holds the full chunks.
class PeerRecording {
  public:
    /// Fills in the file at `path`, which must exist.
    [[nodiscard]] static core::Result<PeerRecording> create(const std::string& path,
                                                            const replay::RecordingHead& head,
                                                            const replay::TickHashes& initial);

    /// Whether append needs the hashes of the state after `tick`.
    [[nodiscard]] bool hash_due(core::Tick tick) const { return writer_.hash_due(tick); }

    /// The next tick; `hashes` of the state after it may be null where they are not due.
    [[nodiscard]] core::Result<void> append(std::span<const isotick_input> inputs,
                                            const replay::TickHashes* hashes,
                                            std::optional<core::TickDt> dt);

    /// Finishes the recording where the hashes of its last state are known; else leaves its full
    /// chunks.
    [[nodiscard]] core::Result<void> close();

  private:
    explicit PeerRecording(replay::Writer writer) : writer_(std::move(writer)) {}

    void keep(const replay::TickHashes& hashes);

    replay::Writer writer_;
    bool last_is_known_ = false;
    core::StateHash last_;
    std::vector<core::PartHash> last_parts_;
};

}  // namespace isotick::harness
