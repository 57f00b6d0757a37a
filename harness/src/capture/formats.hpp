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

/// A table whose header names its columns. Each stands in a file of its own, and in the table of
/// import.cpp.
struct TableFormat {
    bool (*recognizes)(const Header& header);
    /// `has_info`: lines `//Key=Value` stood before the header.
    core::Result<ImportedCapture> (*import)(LineReader& lines, const Header& header, bool has_info,
                                            const std::string& name);
    /// Whether only the columns of frame times are missing. Null: that cannot be told.
    bool (*lacks_times)(const Header& header) = nullptr;
};

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
