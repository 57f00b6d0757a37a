#pragma once
// Frame times that real games captured: which format a file has, and where its frames are kept.

#include "capture_table.hpp"

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/capture.hpp>

#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// The frames of captures in files of this process' own, where other processes find them.

/// Frames whose memory is a file that worker processes can map, as long as they live.
[[nodiscard]] core::Result<std::shared_ptr<const core::CapturedFrames>> store_frames(
    const std::vector<std::int64_t>& ends);

/// The path of that file; empty for frames that store_frames did not make.
[[nodiscard]] std::string stored_path(const core::CapturedFrames& frames);

/// The same frames in another process, from that path.
[[nodiscard]] core::Result<std::shared_ptr<const core::CapturedFrames>> open_stored_frames(
    const std::string& path);

// The formats of captures. Each reads what comes behind its header and ends with frames and a
// summary; `name` is the file's, for the summary.

/// A table, or plain text. None: the lines are of no format that is known.
[[nodiscard]] core::Result<std::optional<ImportedCapture>> import_lines(LineReader& lines,
                                                                        const std::string& name);

/// CapFrameX.
[[nodiscard]] core::Result<ImportedCapture> import_json(std::istream& stream,
                                                        const std::string& name);

/// Opens a regular file.
[[nodiscard]] core::Result<std::ifstream> open_capture(const std::string& path);

/// None: the text is of no format that is known. Names no file in its errors.
[[nodiscard]] core::Result<std::optional<ImportedCapture>> try_import(std::istream& stream,
                                                                      const std::string& name);

}  // namespace isotick::harness
