#pragma once
// The formats of captures. Each reads what comes behind its header and ends with frames and a
// summary; `name` is the file's, for the summary.

#include "frame_log.hpp"
#include "table.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/capture.hpp>

#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace isotick::harness {

/// Whether a header names the frame times of a table with a row per frame that a game presented:
/// PresentMon, OCAT, CapFrameX.
[[nodiscard]] bool is_present_header(const Header& header);
/// Whether it is such a header but for the frame times.
[[nodiscard]] bool is_present_header_without_times(const Header& header);
/// `has_info`: lines `//Key=Value` stood before the header.
[[nodiscard]] core::Result<ImportedCapture> import_presents(LineReader& lines, const Header& header,
                                                            bool has_info, const std::string& name);

[[nodiscard]] bool is_mangohud_header(const Header& header);
[[nodiscard]] core::Result<ImportedCapture> import_mangohud(LineReader& lines, const Header& header,
                                                            const std::string& name);

/// Whether a line is a number, with a unit or not, and nothing else.
[[nodiscard]] bool is_plain_line(std::string_view line);
/// The first line is already in `lines`.
[[nodiscard]] core::Result<ImportedCapture> import_plain_text(LineReader& lines,
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
