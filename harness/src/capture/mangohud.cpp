// The logs of MangoHud: `fps,frametime,…,elapsed`.

#include "formats.hpp"

#include <isotick/core/detail/schedule/schedule_item.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::int64_t kShare = 20;  // five percent: elapsed is when the line was made
constexpr int kMangohudMilliseconds = 6;

/// Frame times are read as if they were milliseconds. Whole numbers alone may be microseconds.
struct Log {
    FrameLog frames;
    FrameStream* stream = nullptr;
    bool has_fraction = false;
};

/// Microseconds that were read as milliseconds.
void divide_by_a_thousand(FrameStream& stream) {
    for (std::int64_t& end : stream.ends) {
        end /= 1000;
    }
    for (std::int64_t* time :
         {&stream.span.length, &stream.span.first_frame, &stream.span.last_frame}) {
        *time /= 1000;
    }
}

tl::unexpected<core::Error> sampled(const FrameSpan& span) {
    return core::fail(
        ErrorCode::damaged,
        fmt::format("the frame times add up to {}, but elapsed says {}: the log was sampled and "
                    "does not hold every frame once; record it with log_interval=0",
                    clock_text(span.length), clock_text(span.between_times())));
}

/// Decides the unit. Up to 0.6.8 frame times were whole microseconds, from 0.6.9 on milliseconds,
/// which may be whole all the same; then elapsed decides.
Result<std::string> settle_unit(Log& log) {
    FrameSpan& span = log.stream->span;
    const bool are_milliseconds = log.has_fraction || (span.has_times() && span.agrees(kShare));
    if (!are_milliseconds) {
        divide_by_a_thousand(*log.stream);
    }
    if (span.has_times() && !span.agrees(kShare)) {
        return sampled(span);
    }
    if (!span.has_times()) {
        log.frames.note("warning: only the decimals tell the unit, since elapsed is missing");
    }
    return are_milliseconds ? "MangoHud 0.6.9+ (milliseconds)"
                            : "MangoHud up to 0.6.8 (microseconds)";
}

Result<void> check_frames(const FrameStream& stream) {
    std::int64_t start = 0;
    for (const std::int64_t end : stream.ends) {
        if (end - start > core::kLongestDuration) {
            return core::fail(ErrorCode::limit, "frametime is more than an hour");
        }
        start = end;
    }
    return {};
}

Result<void> take_mangohud_line(const Fields& fields, std::uint64_t line, const Header& header,
                                Log& log) {
    const std::size_t column = *header.find("frametime");
    if (is_missing(fields[column])) {
        ++log.stream->without_time;
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto frame,
                       number_in(fields, column, header, kMangohudMilliseconds, line));
    std::optional<std::int64_t> time;
    if (const auto elapsed = header.find("elapsed")) {
        ISOTICK_TRY_ASSIGN(time, number_in(fields, *elapsed, header, 0, line));
    }
    log.has_fraction = log.has_fraction || frame % 1'000'000 != 0;
    const auto added = log.frames.add(*log.stream, frame, time);
    return added
               ? added
               : row_error(line, fields.column(column), added.error().message, added.error().code);
}

bool recognizes_mangohud(const Header& header) {
    return header.has("fps") && header.has("frametime");
}

Result<ImportedCapture> import_mangohud(LineReader& lines, const Header& header, bool /*has_info*/,
                                        const std::string& name) {
    Log log;
    ISOTICK_TRY_ASSIGN(log.stream, log.frames.stream(""));
    const std::size_t needed =
        std::max(*header.find("frametime"), header.find("elapsed").value_or(0)) + 1;
    const auto take_row = [&](const Fields& fields, std::uint64_t line) {
        return take_mangohud_line(fields, line, header, log);
    };
    ISOTICK_TRY_ASSIGN(const auto end, read_rows(lines, header, needed, take_row));
    if (end.last) {
        log.frames.drop("the last line (" + *end.last + ")");
    }
    ISOTICK_TRY(log.frames.dominant());
    ISOTICK_TRY_ASSIGN(const auto format, settle_unit(log));
    return check_frames(*log.stream).map([&] {
        return log.frames.finish(*log.stream, name, format);
    });
}

}  // namespace

extern const TableFormat kMangohudFormat;
const TableFormat kMangohudFormat{recognizes_mangohud, import_mangohud};

}  // namespace isotick::harness
