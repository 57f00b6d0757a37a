#include "capture_table.hpp"

#include "../system/rows.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kMostShown = 30;

bool is_space(char character) {
    return character == ' ' || character == '\t' || character == '\r';
}

/// Where the quoted field that begins at `start` ends: behind its closing quote.
std::size_t end_of_quotes(std::string_view line, std::size_t start) {
    std::size_t at = start + 1;
    while (at < line.size()) {
        at = std::min(line.find('"', at), line.size());
        if (at + 1 < line.size() && line[at + 1] == '"') {
            at += 2;
        } else {
            return std::min(at + 1, line.size());
        }
    }
    return line.size();
}

/// `line` from `start` to `end` without the space around it, and without quotes.
std::string_view field_of(std::string_view line, std::size_t start, std::size_t end) {
    while (end > start && is_space(line[end - 1])) {
        --end;
    }
    const std::string_view field = line.substr(start, end - start);
    const bool is_quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
    return is_quoted ? field.substr(1, field.size() - 2) : field;
}

}  // namespace

void Fields::cut(std::string_view line, char delimiter) {
    line_ = line;
    fields_.clear();
    for (std::size_t start = 0; start <= line.size();) {
        while (start < line.size() && line[start] == ' ') {
            ++start;
        }
        const bool is_quoted = start < line.size() && line[start] == '"';
        std::size_t end = is_quoted ? end_of_quotes(line, start) : start;
        while (end < line.size() && line[end] != delimiter) {
            ++end;
        }
        fields_.push_back(field_of(line, start, end));
        start = end + 1;
    }
}

Header::Header(std::string_view line) {
    if (line.find(',') == std::string_view::npos) {
        delimiter_ = line.find(';') != std::string_view::npos ? ';' : '\t';
    }
    Fields fields;
    fields.cut(line, delimiter_);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        names_.emplace_back(fields[i]);
        lower_.push_back(in_lower_case(fields[i]));
    }
}

char Header::point(std::string_view number) const {
    return delimiter_ != ',' && number.find(',') != std::string_view::npos ? ',' : '.';
}

std::optional<std::size_t> Header::find(std::string_view name) const {
    const auto found = std::ranges::find(lower_, name);
    return found == lower_.end() ? std::nullopt
                                 : std::optional(static_cast<std::size_t>(found - lower_.begin()));
}

tl::unexpected<core::Error> row_error(std::uint64_t line, std::size_t column,
                                      const std::string& problem, ErrorCode code) {
    return core::fail(code, fmt::format("line {}, column {}: {}", line, column, problem));
}

Result<std::optional<std::string>> read_rows(LineReader& lines, const Header& header,
                                             std::size_t needed, const TakeRow& take) {
    Fields fields;
    std::size_t before = 0;
    std::optional<core::Error> forgiven;
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto there, lines.next());
        if (!there) {
            return forgiven ? std::optional(forgiven->message) : std::nullopt;
        }
        if (forgiven) {
            return tl::unexpected(*forgiven);
        }
        fields.cut(lines.line(), header.delimiter());
        Result<void> taken;
        if (lines.is_open() && fields.size() < before) {
            taken = row_error(lines.number(), lines.line().size() + 1, "it is cut off");
        } else if (fields.size() < needed || fields.size() > header.size()) {
            taken = row_error(lines.number(), 1,
                              fmt::format("it has {}, the header {}",
                                          counted(fields.size(), "field"), header.size()));
        } else {
            taken = take(fields, lines.number());
        }
        before = fields.size();
        if (!taken) {
            forgiven = taken.error();
            if (forgiven->code != ErrorCode::damaged) {
                return tl::unexpected(*forgiven);
            }
        }
    }
}

bool is_word(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() &&
           std::ranges::equal(text, lower, [](char left, char right) {
               return left == right || (left >= 'A' && left <= 'Z' && left - 'A' + 'a' == right);
           });
}

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& each : lower) {
        each = each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    }
    return lower;
}

Result<std::int64_t> number_in(const Fields& fields, std::size_t index, const Header& header,
                               int decimals, std::uint64_t line) {
    const std::string_view field = fields[index];
    const core::Decimal decimal = core::scaled_decimal(field, decimals, header.point(field));
    if (decimal.problem == core::DecimalProblem::none) {
        return decimal.value;
    }
    const std::string place =
        header.spelling(index) + " '" + std::string(field.substr(0, kMostShown)) + "' ";
    switch (decimal.problem) {
        case core::DecimalProblem::negative:
            return row_error(line, fields.column(index), place + "is negative", ErrorCode::limit);
        case core::DecimalProblem::too_large:
            return row_error(line, fields.column(index), place + "is too large", ErrorCode::limit);
        default:
            return row_error(line, fields.column(index), place + "is not a number");
    }
}

bool is_missing(std::string_view field) {
    return field.empty() || is_word(field, "na");
}

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
