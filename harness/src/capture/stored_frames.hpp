#pragma once
// The frames of captures in files of this process' own, where other processes find them.

#include <isotick/core/detail/schedule/captured_frames.hpp>
#include <isotick/core/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace isotick::harness {

/// Frames whose memory is a file that worker processes can map, as long as they live.
[[nodiscard]] core::Result<std::shared_ptr<const core::CapturedFrames>> store_frames(
    const std::vector<std::int64_t>& ends);

/// The path of that file; empty for frames that store_frames did not make.
[[nodiscard]] std::string stored_path(const core::CapturedFrames& frames);

/// The same frames in another process, from that path.
[[nodiscard]] core::Result<std::shared_ptr<const core::CapturedFrames>> open_stored_frames(
    const std::string& path);

}  // namespace isotick::harness
