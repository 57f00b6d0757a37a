// From the text of a schedule, or of an option, to captures and back to a schedule.

#include "formats.hpp"
#include "stored_frames.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

namespace isotick::harness {
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

}  // namespace isotick::harness
