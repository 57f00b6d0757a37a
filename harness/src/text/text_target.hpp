#pragma once
// Where an import writes to, and what becomes of it when it fails.

#include <isotick/core/result.hpp>
#include <isotick/core/tick_dt.hpp>
#include <isotick/replay/recording_head.hpp>
#include <isotick/replay/tick_hashes.hpp>
#include <isotick/replay/writer.hpp>

#include <optional>
#include <span>
#include <string>

namespace isotick::harness {

/// Either the recording itself or, where its hashes have yet to be computed, a temporary one of the
/// inputs alone. Whatever it began and was not told to keep is removed when it is destroyed.
class TextTarget {
  public:
    TextTarget() = default;
    TextTarget(const TextTarget&) = delete;
    TextTarget& operator=(const TextTarget&) = delete;
    ~TextTarget();

    /// Begins the recording at `path`.
    [[nodiscard]] core::Result<void> open(const std::string& path,
                                          const replay::RecordingHead& head,
                                          const replay::TickHashes& initial, bool overwrite);

    /// Begins a temporary recording of the session's inputs beside `path`.
    [[nodiscard]] core::Result<void> open_beside(const std::string& path,
                                                 const replay::SessionInfo& session);

    [[nodiscard]] core::Result<void> append(std::span<const isotick_input> inputs,
                                            const replay::TickHashes& hashes,
                                            std::optional<core::TickDt> dt);

    /// Ends the recording, which is then kept, and says what its session's digest is.
    [[nodiscard]] core::Result<void> finish(bool finished, const replay::TickHashes& final_hashes,
                                            core::Digest& digest);

    /// Ends the temporary recording and says where it is.
    [[nodiscard]] core::Result<std::string> close_inputs();

    /// From here on `path` is written by somebody else: to be removed too, unless something is
    /// there already.
    void watch(const std::string& path);
    /// What is being watched is complete.
    void keep() { begun_.clear(); }

  private:
    std::optional<replay::Writer> writer_;
    std::string begun_;      // to be removed; empty: nothing
    std::string temporary_;  // likewise
};

}  // namespace isotick::harness
