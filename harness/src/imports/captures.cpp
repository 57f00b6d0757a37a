#include "captures.hpp"

#include "../system/files.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

using core::CapturedFrames;
using core::Result;
using Frames = std::shared_ptr<const CapturedFrames>;

/// A mapped file of frames, and where this process made it the file itself.
class StoredFrames : public core::FrameKeeper {
  public:
    StoredFrames(std::optional<SharedFile> file, MappedFile bytes)
        : file_(std::move(file)), bytes_(std::move(bytes)) {}

    [[nodiscard]] std::string path() const { return file_ ? file_->path() : ""; }
    [[nodiscard]] std::span<const std::int64_t> ends() const {
        const auto bytes = bytes_.bytes();
        return {reinterpret_cast<const std::int64_t*>(bytes.data()),
                bytes.size() / sizeof(std::int64_t)};
    }

  private:
    std::optional<SharedFile> file_;
    MappedFile bytes_;
};

Result<Frames> view(std::optional<SharedFile> file, MappedFile bytes) {
    auto stored = std::make_shared<const StoredFrames>(std::move(file), std::move(bytes));
    return CapturedFrames::view(stored->ends(), stored);
}

}  // namespace

Result<Frames> store_frames(const std::vector<std::int64_t>& ends) {
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    const FileDescriptor target(open(file.path().c_str(), O_WRONLY | O_CLOEXEC));
    const std::string_view bytes(reinterpret_cast<const char*>(ends.data()),
                                 ends.size() * sizeof(std::int64_t));
    if (target.get() < 0 || !write_all(target.get(), bytes)) {
        return system_failure("the frames of a capture cannot be stored");
    }
    ISOTICK_TRY_ASSIGN(auto mapped, file.read());
    return view(std::move(file), std::move(mapped));
}

std::string stored_path(const CapturedFrames& frames) {
    const auto* const stored = dynamic_cast<const StoredFrames*>(frames.keeper());
    return stored == nullptr ? "" : stored->path();
}

Result<Frames> open_stored_frames(const std::string& path) {
    return MappedFile::open(path).and_then(
        [](MappedFile&& bytes) { return view(std::nullopt, std::move(bytes)); });
}

// From the text of a schedule, or of an option, to captures and back to a schedule.

namespace {

using core::ErrorCode;
using core::Result;
using core::Schedule;
using Frames = std::shared_ptr<const core::CapturedFrames>;

constexpr std::array kSuffixes{".csv", ".json", ".log", ".schedule", ".txt"};

bool names_file(const std::string& text) {
    std::error_code error;
    if (text.size() <= core::kMostPathBytes && std::filesystem::exists(text, error)) {
        return true;
    }
    for (const std::string_view suffix : kSuffixes) {
        if (in_lower_case(text).ends_with(suffix)) {
            return true;
        }
    }
    return false;
}

std::string capture_text(const std::string& path) {
    std::string text = "capture(\"";
    for (const char each : path) {
        text += each == '"' || each == '\\' ? "\\" : "";
        text += each;
    }
    return text + "\")";
}

bool is_binary(char character) {
    return static_cast<unsigned char>(character) < ' ' && character != '\t' && character != '\n' &&
           character != '\r';
}

/// Blanks lines that begin with #, so that columns stay what they are.
void blank_comments(std::string& text) {
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::size_t first = text.find_first_not_of(" \t", start);
        if (first < end && text[first] == '#') {
            std::fill(text.begin() + static_cast<std::ptrdiff_t>(start),
                      text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        }
        start = end + 1;
    }
}

/// The schedule that the file spells out. It comes from anywhere, so it opens no other file.
Result<Schedule> spelled_out(std::istream& stream, const std::string& path) {
    stream.clear();
    stream.seekg(0);
    std::string text(Schedule::kMostTextBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (stream.bad()) {
        return tl::unexpected(core::Error{ErrorCode::io, "cannot be read", path, {}, {}});
    }
    if (std::ranges::any_of(text, is_binary)) {
        return tl::unexpected(core::Error{ErrorCode::damaged,
                                          "is not text, so it is neither a capture nor a schedule",
                                          path,
                                          {},
                                          {}});
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.replace(0, 3, "   ");
    }
    blank_comments(text);
    auto schedule = Schedule::parse(text, [&path](const std::string& named) {
        return Result<Frames>(tl::unexpected(
            core::Error{ErrorCode::damaged,
                        "names the capture '" + named +
                            "', but a file must not open another; name it in --schedule",
                        path,
                        {},
                        {}}));
    });
    if (!schedule && schedule.error().file.empty()) {
        schedule.error().file = path;
        schedule.error().code = ErrorCode::damaged;
        schedule.error().message =
            "is neither a capture nor a schedule: " + schedule.error().message;
    }
    return schedule;
}

}  // namespace

struct Captures::State {
    std::map<std::string, Frames> frames;
    std::vector<std::string> summaries;

    Result<Frames> keep(const std::string& path, ImportedCapture&& capture) {
        auto stored = store_frames(capture.ends);
        if (!stored) {
            stored.error().file = path;
            return stored;
        }
        frames.emplace(path, *stored);
        summaries.push_back(std::move(capture.summary));
        return stored;
    }

    Result<Frames> resolve(const std::string& path) {
        if (const auto found = frames.find(path); found != frames.end()) {
            return found->second;
        }
        return import_capture(path).and_then(
            [&](ImportedCapture&& capture) { return keep(path, std::move(capture)); });
    }
};

Captures::Captures() : state_(std::make_shared<State>()) {}

core::FrameResolver Captures::resolver() const {
    return [state = state_](const std::string& path) { return state->resolve(path); };
}

std::vector<std::string> Captures::take_summaries() {
    return std::exchange(state_->summaries, {});
}

Result<Schedule> Captures::read_schedule(std::string_view text) const {
    auto schedule = Schedule::parse(text, resolver());
    const std::string path(text);
    if (schedule || !schedule.error().file.empty() || !names_file(path)) {
        return schedule;
    }
    ISOTICK_TRY_ASSIGN(auto stream, open_capture(path));
    auto imported = try_import(stream, path);
    if (!imported) {
        imported.error().file = path;
        return tl::unexpected(imported.error());
    }
    if (!*imported) {
        return spelled_out(stream, path);
    }
    return state_->keep(path, **std::move(imported)).and_then([&](const Frames&) {
        return Schedule::parse(capture_text(path), resolver());
    });
}

// What a file is, by how it begins.

namespace {

using core::ErrorCode;
using core::Result;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

}  // namespace

Result<std::optional<ImportedCapture>> try_import(std::istream& stream, const std::string& name) {
    ISOTICK_TRY_ASSIGN(const auto start, sniff(stream));
    const std::size_t first = start.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) {
        return core::fail(ErrorCode::damaged, "is empty");
    }
    if (start[first] == '{') {
        return import_json(stream, name);
    }
    LineReader lines(stream, kLongestRow);
    return import_lines(lines, name);
}

Result<ImportedCapture> import_capture(std::istream& stream, const std::string& name) {
    auto imported = try_import(stream, name);
    if (imported && !*imported) {
        imported = core::fail(ErrorCode::damaged,
                              "is not a capture: neither a header of PresentMon, OCAT, CapFrameX "
                              "or MangoHud nor a list of frame times begins it");
    }
    if (!imported) {
        imported.error().file = name;
    }
    return std::move(imported).map([](auto&& capture) { return *std::move(capture); });
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
