// What a file is, by how it begins.

#include "formats.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace isotick::harness {

// Each in a file of its own.
extern const TableFormat kMangohudFormat;
extern const TableFormat kPresentsFormat;

namespace {

constexpr std::array kTableFormats{&kMangohudFormat, &kPresentsFormat};

using core::ErrorCode;
using core::Result;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::uint64_t kMostLinesBeforeHeader = 200;
using Maybe = std::optional<ImportedCapture>;

/// The stream is at its beginning again, behind a byte order mark.
Result<std::string> sniff(std::istream& stream) {
    std::string start(256, '\0');
    stream.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(stream.gcount()));
    stream.clear();
    const bool is_marked = start.starts_with(kByteOrderMark);
    stream.seekg(is_marked ? static_cast<std::streamoff>(kByteOrderMark.size()) : 0);
    if (!stream) {
        return core::fail(ErrorCode::io, "cannot be read");
    }
    if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
        return core::fail(ErrorCode::damaged, "is UTF-16; save it as UTF-8");
    }
    return is_marked ? start.substr(kByteOrderMark.size()) : start;
}

/// Lines that say nothing about frames and stand before MangoHud's header.
class MangoHudIntroduction {
  public:
    bool takes(std::string_view line, const Header& header) {
        if (std::exchange(values_come_, false)) {
            return true;
        }
        values_come_ = header.has("os") && header.has("cpu") && header.has("gpu");
        const bool is_first = std::exchange(is_first_, false);
        const bool is_version = std::exchange(version_comes_, is_first && line.starts_with("v1"));
        return values_come_ || version_comes_ || is_version || line.starts_with("-----");
    }

  private:
    bool is_first_ = true;
    bool version_comes_ = false;
    bool values_come_ = false;
};

Result<Maybe> some(Result<ImportedCapture> imported) {
    return std::move(imported).map(
        [](ImportedCapture&& capture) { return Maybe(std::move(capture)); });
}

const TableFormat* format_named(const Header& header) {
    const auto found = std::ranges::find_if(
        kTableFormats, [&](const TableFormat* format) { return format->recognizes(header); });
    return found == kTableFormats.end() ? nullptr : *found;
}

bool lacks_times(const Header& header) {
    return std::ranges::any_of(kTableFormats, [&](const TableFormat* format) {
        return format->lacks_times != nullptr && format->lacks_times(header);
    });
}

/// Looks for a header. None: there is none.
Result<Maybe> import_table(LineReader& lines, const std::string& name) {
    MangoHudIntroduction introduction;
    bool has_info = false;
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto there, lines.next());
        const std::string_view line = lines.line();
        if (!there || lines.number() > kMostLinesBeforeHeader) {
            return std::nullopt;
        }
        const Header header(line);
        if (line.starts_with("//")) {
            has_info = true;
        } else if (const TableFormat* format = format_named(header)) {
            return some(format->import(lines, header, has_info, name));
        } else if (lacks_times(header)) {
            return row_error(lines.number(), 1,
                             "no column holds frame times (MsBetweenPresents, FrameTime, or "
                             "CPUBusy and CPUWait)");
        } else if (line.starts_with('#') || introduction.takes(line, header)) {
            continue;
        } else if (is_plain_line(line)) {
            return some(import_plain_text(lines, name));
        } else {
            return std::nullopt;
        }
    }
}

}  // namespace

Result<std::optional<ImportedCapture>> try_import(std::istream& stream, const std::string& name) {
    ISOTICK_TRY_ASSIGN(const auto start, sniff(stream));
    const std::size_t first = start.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) {
        return core::fail(ErrorCode::damaged, "is empty");
    }
    if (start[first] == '{') {
        return some(import_json(stream, name));
    }
    LineReader lines(stream, kLongestRow);
    return import_table(lines, name);
}

Result<ImportedCapture> import_capture(std::istream& stream, const std::string& name) {
    auto imported =
        try_import(stream, name).and_then([](Maybe&& capture) -> Result<ImportedCapture> {
            if (!capture) {
                return core::fail(ErrorCode::damaged,
                                  "is not a capture: neither a header of PresentMon, OCAT, "
                                  "CapFrameX or MangoHud nor a list of frame times begins it");
            }
            return *std::move(capture);
        });
    if (!imported) {
        imported.error().file = name;
    }
    return imported;
}

Result<std::ifstream> open_capture(const std::string& path) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
        return tl::unexpected(core::Error{ErrorCode::io, "is not a regular file", path, {}, {}});
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return tl::unexpected(core::Error{
            ErrorCode::io, std::string("cannot be opened: ") + std::strerror(errno), path, {}, {}});
    }
    return stream;
}

Result<ImportedCapture> import_capture(const std::string& path) {
    return open_capture(path).and_then(
        [&path](std::ifstream&& stream) { return import_capture(stream, path); });
}

}  // namespace isotick::harness
