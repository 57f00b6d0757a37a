#include "frame_log.hpp"

#include "../report/rows.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace isotick::harness {

using core::CapturedFrames;
using core::ErrorCode;
using core::Result;

Result<FrameStream*> FrameLog::stream(std::string_view name) {
    if (!streams_.empty() && name == last_name_) {
        return &streams_[last_];
    }
    if (name.size() > kMostNameBytes) {
        return core::fail(ErrorCode::limit, "the name of an application is too long");
    }
    const auto found = index_.find(name);
    if (found == index_.end() && streams_.size() == kMostStreams) {
        return core::fail(ErrorCode::limit, "there are more than 4096 swap chains");
    }
    last_ = found == index_.end() ? streams_.size() : found->second;
    if (found == index_.end()) {
        index_.emplace(name, last_);
        streams_.emplace_back();
    }
    last_name_ = name;
    return &streams_[last_];
}

Result<void> FrameLog::add(FrameStream& stream, std::int64_t frame_ns,
                           std::optional<std::int64_t> time_ns) {
    if (++frames_ > CapturedFrames::kMostFrames) {
        return core::fail(ErrorCode::limit, "a capture holds at most " +
                                                grouped(CapturedFrames::kMostFrames) + " frames");
    }
    if (frame_ns > CapturedFrames::kLongestCapture - stream.span.length) {
        return core::fail(ErrorCode::limit,
                          "all frames together last too long: is the unit right?");
    }
    stream.span.add_frame(frame_ns);
    stream.ends.push_back(stream.span.length);
    if (time_ns) {
        stream.span.add_time(*time_ns);
    }
    return {};
}

Result<FrameStream*> FrameLog::dominant() {
    const auto found = std::ranges::max_element(
        streams_, {}, [](const FrameStream& each) { return each.ends.size(); });
    if (found == streams_.end() || found->ends.empty()) {
        return core::fail(ErrorCode::damaged, "holds no frames");
    }
    return &*found;
}

void FrameLog::count_others(const FrameStream& stream) {
    std::uint64_t rows = 0;
    for (const FrameStream& each : streams_) {
        rows += &each == &stream ? 0 : each.ends.size() + each.without_time;
    }
    if (rows > 0) {
        drop(fmt::format("{} of {}", counted_rows(rows),
                         counted(streams_.size() - 1, "other swap chain")));
    }
    if (stream.without_time > 0) {
        drop(counted_rows(stream.without_time) + " without a frame time (NA)");
    }
}

ImportedCapture FrameLog::finish(FrameStream& stream, const std::string& name,
                                 const std::string& format) {
    count_others(stream);
    std::string text =
        fmt::format("{}: {}, {} over {}", name, format, counted(stream.ends.size(), "frame"),
                    clock_text(stream.span.length));
    std::string_view separator = ", dropped ";
    for (const std::string& each : dropped_) {
        text += std::string(separator) + each;
        separator = ", ";
    }
    for (const std::string& each : notes_) {
        text += "; " + each;
    }
    return {std::move(stream.ends), std::move(text)};
}

void FrameSpan::add_frame(std::int64_t frame_ns) {
    first_frame = frames == 0 ? frame_ns : first_frame;
    last_frame = frame_ns;
    length += frame_ns;
    ++frames;
}

void FrameSpan::add_time(std::int64_t time_ns) {
    first_time = first_time.value_or(time_ns);
    last_time = time_ns;
}

bool FrameSpan::agrees(std::int64_t share) const {
    constexpr std::int64_t kSlack = 1'000'000;
    const std::int64_t between = between_times();
    const std::int64_t difference = length > between ? length - between : between - length;
    return difference <=
           std::max(length, between) / share + std::max(first_frame, last_frame) + kSlack;
}

Result<void> check_span(const FrameSpan& span, const std::string& time_column, FrameLog& log) {
    constexpr std::int64_t kShare = 50;    // two percent
    constexpr std::int64_t kFactor = 500;  // units are a thousand apart
    if (!span.has_times() || span.agrees(kShare)) {
        return {};
    }
    const std::int64_t between = span.between_times();
    const std::string both = fmt::format("the frame times add up to {}, {} says {}",
                                         clock_text(span.length), time_column, clock_text(between));
    if (between < 0) {
        return core::fail(ErrorCode::damaged, time_column + " goes backwards");
    }
    if (span.length / kFactor > between || between / kFactor > span.length) {
        return core::fail(ErrorCode::damaged, both + ": the two are in different units");
    }
    log.note("warning: " + both +
             (span.length < between ? ": frames are missing" : ": frames overlap"));
    return {};
}

std::string clock_text(std::int64_t nanoseconds) {
    const std::int64_t tenths = nanoseconds / 100'000'000;
    if (tenths < 0) {
        return "-" + clock_text(-nanoseconds);
    }
    return tenths < 10 ? core::to_string(core::FrameTime{nanoseconds})
                       : fmt::format("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10);
}

std::string counted_rows(std::uint64_t count) {
    return counted(count, "row");
}

}  // namespace isotick::harness
