// Tables with a row per frame that a game presented.

#include "../report/rows.hpp"
#include "formats.hpp"

#include <isotick/core/detail/schedule/schedule_item.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

struct TimeColumn {
    std::string_view name;
    int decimals;  // of a nanosecond
};

constexpr int kPresentsMilliseconds = 6;
constexpr int kSeconds = 9;

/// What may say when a frame was. Counters of unknown frequency (QPC) and dates are not used.
constexpr std::array kTimeColumns{TimeColumn{"timeinseconds", kSeconds},
                                  TimeColumn{"timeinms", kPresentsMilliseconds},
                                  TimeColumn{"cpustarttime", kPresentsMilliseconds},
                                  TimeColumn{"cpustartqpctime", kPresentsMilliseconds},
                                  TimeColumn{"cpustarttimeinms", kPresentsMilliseconds},
                                  TimeColumn{"cpustartqpctimeinms", kPresentsMilliseconds},
                                  TimeColumn{"cpustarttimeinseconds", kSeconds}};

/// Which columns are read.
struct Columns {
    std::vector<std::size_t> frame;  // the frame time is their sum
    std::vector<std::size_t> names;  // of what presented: application, process, swap chain
    std::optional<std::size_t> type;
    std::optional<std::size_t> time;
    int time_decimals = 0;
    std::size_t needed = 0;  // fields a row must have
};

void add(const Header& header, std::string_view name, std::vector<std::size_t>& columns) {
    if (const auto found = header.find(name)) {
        columns.push_back(*found);
    }
}

Columns columns_of(const Header& header) {
    Columns columns;
    for (const char* name : {"frametime", "msbetweenpresents"}) {
        if (columns.frame.empty()) {
            add(header, name, columns.frame);
        }
    }
    if (columns.frame.empty()) {
        add(header, "cpubusy", columns.frame);
        add(header, "cpuwait", columns.frame);
    }
    for (const char* name : {"application", "processid", "swapchainaddress"}) {
        add(header, name, columns.names);
    }
    columns.type = header.find("frametype");
    for (const TimeColumn& each : kTimeColumns) {
        if (const auto found = header.find(each.name); found && !columns.time) {
            columns.time = found;
            columns.time_decimals = each.decimals;
        }
    }
    std::vector<std::size_t> all = columns.frame;
    all.insert(all.end(), columns.names.begin(), columns.names.end());
    for (const auto& each : {columns.type, columns.time}) {
        all.push_back(each.value_or(0));
    }
    columns.needed = *std::ranges::max_element(all) + 1;
    return columns;
}

std::string format_of(const Header& header, const Columns& columns, bool has_info) {
    if (has_info) {
        return "CapFrameX";
    }
    if (header.has("motherboard") || header.has("base driver version")) {
        return "OCAT";
    }
    if (header.has("frametime")) {
        return "PresentMon 2.1 to 2.3.0";
    }
    if (!header.has("msbetweenpresents")) {
        return "PresentMon 2.0";
    }
    if (!header.has("dropped")) {
        return "PresentMon 2.3.1+";
    }
    const bool is_capital = header.spelling(columns.frame.front()).starts_with('M');
    return is_capital ? "PresentMon up to 1.3, or OCAT" : "PresentMon 1.x";
}

class PresentRows {
  public:
    PresentRows(const Header& header, FrameLog& log)
        : header_(header), columns_(columns_of(header)), log_(log) {}

    [[nodiscard]] const Columns& columns() const { return columns_; }
    [[nodiscard]] std::uint64_t generated() const { return generated_; }

    Result<void> take(const Fields& fields, std::uint64_t line) {
        if (columns_.type && !is_word(fields[*columns_.type], "application")) {
            ++generated_;
            return {};
        }
        ISOTICK_TRY_ASSIGN(const auto frame, frame_time(fields, line));
        ISOTICK_TRY_ASSIGN(const auto time, timestamp(fields, line));
        const auto stream = log_.stream(name(fields));
        if (!stream) {
            return row_error(line, 1, stream.error().message, stream.error().code);
        }
        if (!frame) {
            ++(*stream)->without_time;
            return {};
        }
        const auto added = log_.add(**stream, *frame, time);
        return added ? added : row_error(line, 1, added.error().message, added.error().code);
    }

  private:
    // None where a value is missing.
    Result<std::optional<std::int64_t>> frame_time(const Fields& fields, std::uint64_t line) const {
        std::int64_t sum = 0;
        for (const std::size_t column : columns_.frame) {
            if (is_missing(fields[column])) {
                return std::nullopt;
            }
            ISOTICK_TRY_ASSIGN(const auto part,
                               number_in(fields, column, header_, kPresentsMilliseconds, line));
            sum += part;
        }
        if (sum > core::kLongestDuration) {
            const std::size_t column = columns_.frame.front();
            return row_error(line, fields.column(column),
                             header_.spelling(column) + " is more than an hour", ErrorCode::limit);
        }
        return sum;
    }

    // Dates are no numbers, and are not looked at.
    Result<std::optional<std::int64_t>> timestamp(const Fields& fields, std::uint64_t line) const {
        if (!columns_.time || is_missing(fields[*columns_.time]) ||
            fields[*columns_.time].find(':') != std::string_view::npos) {
            return std::nullopt;
        }
        ISOTICK_TRY_ASSIGN(const auto time, number_in(fields, *columns_.time, header_,
                                                      columns_.time_decimals, line));
        return time;
    }

    const std::string& name(const Fields& fields) {
        name_.clear();
        for (const std::size_t column : columns_.names) {
            name_ += fields[column];
            name_ += '\n';
        }
        return name_;
    }

    const Header& header_;
    Columns columns_;
    FrameLog& log_;
    std::string name_;
    std::uint64_t generated_ = 0;
};

// A row per frame that a game presented: PresentMon, OCAT, CapFrameX.
bool recognizes_presents(const Header& header) {
    return header.has("msbetweenpresents") ||
           (header.has("cpubusy") && (header.has("cpuwait") || header.has("frametime")));
}

bool lacks_present_times(const Header& header) {
    return header.has("application") && header.has("processid") && !recognizes_presents(header);
}

Result<ImportedCapture> import_presents(LineReader& lines, const Header& header, bool has_info,
                                        const std::string& name) {
    FrameLog log;
    PresentRows rows(header, log);
    const auto take = [&rows](const Fields& fields, std::uint64_t line) {
        return rows.take(fields, line);
    };
    ISOTICK_TRY_ASSIGN(const auto end, read_rows(lines, header, rows.columns().needed, take));
    ISOTICK_TRY_ASSIGN(const auto stream, log.dominant());
    if (rows.generated() > 0) {
        log.drop(counted_rows(rows.generated()) + " of generated frames");
    }
    if (end.last) {
        log.drop("the last line (" + *end.last + ")");
    }
    const auto& time = rows.columns().time;
    const auto checked = check_span(stream->span, time ? header.spelling(*time) : "", log);
    return checked.map(
        [&] { return log.finish(*stream, name, format_of(header, rows.columns(), has_info)); });
}

}  // namespace

extern const TableFormat kPresentsFormat;
const TableFormat kPresentsFormat{recognizes_presents, import_presents, lacks_present_times};

}  // namespace isotick::harness
