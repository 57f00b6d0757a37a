#pragma once
// Where an import writes to, and what becomes of it when it fails.

#include <isotick/core/detail/time/tick_dt.hpp>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/new_file.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/writer.hpp>

#include <optional>
#include <span>
#include <string>

namespace isotick::harness {

/// Either the recording itself or, where its hashes have yet to be computed, one of the inputs
/// alone that never gets a name. Destroyed without finish, it leaves nothing.
class TextTarget {
  public:
    /// Begins the recording at `path`.
    [[nodiscard]] core::Result<void> open(const std::string& path,
                                          const replay::RecordingHead& head,
                                          const replay::TickHashes& initial, bool overwrite);

    /// Begins a recording of the session's inputs, in the folder of `path`.
    [[nodiscard]] core::Result<void> open_inputs(const std::string& path,
                                                 const replay::SessionInfo& session);

    [[nodiscard]] core::Result<void> append(std::span<const isotick_input> inputs,
                                            const replay::TickHashes& hashes,
                                            std::optional<core::TickDt> dt);

    /// Ends the recording, which then is at its path, and says what its session's digest is.
    [[nodiscard]] core::Result<void> finish(bool finished, const replay::TickHashes& final_hashes,
                                            core::Digest& digest);

    /// Ends the recording of the inputs and says where it is while this object lives.
    [[nodiscard]] core::Result<std::string> close_inputs();

  private:
    std::optional<replay::NewFile> inputs_;
    std::optional<replay::Writer> writer_;
};

}  // namespace isotick::harness
