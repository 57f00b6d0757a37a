// The formats of captures: CapFrameX, MangoHud, PresentMon and OCAT, plain text.

#include "../system/rows.hpp"
#include "captures.hpp"

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace isotick::harness {
namespace {

// CapFrameX's own files: {"Runs": [{"CaptureData": {"TimeInSeconds": […],
// "MsBetweenPresents": […], …}, …}, …], …}. Read as it comes; only the frames are kept.

using core::ErrorCode;
using core::Result;

constexpr std::size_t kDeepest = 64;
/// A string, a number or white space of more bytes is not read.
constexpr std::size_t kLongestToken = std::size_t{1} << 20;

/// The characters of a stream up to the first token that is too long.
class BoundedInput {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    BoundedInput() = default;
    explicit BoundedInput(std::istream& stream) : at_(stream) { note(); }

    char operator*() const { return *at_; }
    BoundedInput& operator++() {
        ++at_;
        note();
        return *this;
    }
    friend bool operator==(const BoundedInput& left, const BoundedInput& right) {
        return left.is_end() == right.is_end();
    }

  private:
    [[nodiscard]] bool is_end() const {
        return at_ == std::istreambuf_iterator<char>() || run_ > kLongestToken;
    }
    void note() {
        if (is_end()) {
            return;
        }
        const char character = *at_;
        const bool is_quote = character == '"' && !is_escaped_;
        is_escaped_ = is_string_ && character == '\\' && !is_escaped_;
        is_string_ = is_string_ != is_quote;
        const bool is_between = !is_string_ && (character == ',' || character == '\n');
        run_ = is_quote || is_between ? 0 : run_ + 1;
    }

    std::istreambuf_iterator<char> at_;
    std::size_t run_ = 0;
    bool is_string_ = false;
    bool is_escaped_ = false;
};

enum class Column { none, frames, times };

/// Takes what the JSON parser reports. Its functions return false to end the parsing.
class CaptureJson {
  public:
    CaptureJson(FrameLog& log, FrameStream& stream) : log_(log), stream_(stream) {}

    [[nodiscard]] const std::optional<core::Error>& error() const { return error_; }
    [[nodiscard]] bool has_frame_times() const { return has_frame_times_; }
    [[nodiscard]] std::uint64_t runs() const { return runs_; }

    bool null() { return other("null"); }
    bool boolean(bool value) { return other(value ? "true" : "false"); }
    bool string(const std::string& value) { return other("'" + value.substr(0, 30) + "'"); }
    bool binary(const nlohmann::json::binary_t& /*value*/) { return other("binary"); }
    bool number_integer(std::int64_t value) { return number(std::to_string(value)); }
    bool number_unsigned(std::uint64_t value) { return number(std::to_string(value)); }
    bool number_float(double /*value*/, const std::string& text) { return number(text); }

    bool start_object(std::size_t /*size*/) { return open(""); }
    bool start_array(std::size_t /*size*/) {
        column_ = column_here();
        index_ = 0;
        has_frame_times_ = has_frame_times_ || column_ == Column::frames;
        return open("[]");
    }
    bool key(const std::string& name) {
        path_.back() = name.substr(0, kDeepest);
        return true;
    }
    bool end_array() {
        column_ = Column::none;
        path_.pop_back();
        return true;
    }
    bool end_object() {
        path_.pop_back();
        return path_.size() != 2 || path_[0] != "Runs" || finish_run();
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::json::exception& /*exception*/) {
        stop(ErrorCode::damaged, "is not valid JSON here, or cut off");
        error_->offset = position;
        return false;
    }

  private:
    bool open(const char* name) {
        path_.emplace_back(name);
        return path_.size() <= kDeepest || stop(ErrorCode::limit, "is nested too deeply");
    }

    [[nodiscard]] Column column_here() const {
        if (path_.size() != 4 || path_[0] != "Runs" || path_[1] != "[]" ||
            path_[2] != "CaptureData") {
            return Column::none;
        }
        return path_[3] == "MsBetweenPresents" ? Column::frames
               : path_[3] == "TimeInSeconds"   ? Column::times
                                               : Column::none;
    }

    bool number(const std::string& text) {
        if (column_ == Column::none) {
            return true;
        }
        const bool is_frame = column_ == Column::frames;
        const core::Decimal decimal = core::scaled_decimal(text, is_frame ? 6 : 9);
        if (decimal.problem == core::DecimalProblem::negative) {
            return stop(ErrorCode::limit, place() + " is negative: " + text);
        }
        const bool is_long = is_frame && decimal.value > core::kLongestDuration;
        if (decimal.problem != core::DecimalProblem::none || is_long) {
            return stop(ErrorCode::limit, place() + " is too large: " + text);
        }
        ++index_;
        return is_frame ? add_frame(decimal.value) : add_time(decimal.value);
    }

    bool add_frame(std::int64_t frame_ns) {
        run_.add_frame(frame_ns);
        const auto added = log_.add(stream_, frame_ns, std::nullopt);
        return added || stop(added.error().code, added.error().message);
    }

    bool add_time(std::int64_t time_ns) {
        run_.add_time(time_ns);
        ++times_;
        return true;
    }

    bool other(const std::string& text) {
        return column_ == Column::none ||
               stop(ErrorCode::damaged, place() + " is not a number: " + text);
    }

    bool finish_run() {
        ++runs_;
        if (times_ != 0 && times_ != run_.frames) {
            return stop(ErrorCode::damaged,
                        fmt::format("Runs[{}] has {} frame times and {} timestamps", runs_ - 1,
                                    run_.frames, times_));
        }
        const auto checked = check_span(run_, "TimeInSeconds", log_);
        run_ = FrameSpan();
        times_ = 0;
        return checked || stop(checked.error().code, checked.error().message);
    }

    [[nodiscard]] std::string place() const {
        return fmt::format("Runs[{}].CaptureData.{}[{}]", runs_, path_[3], index_);
    }

    bool stop(ErrorCode code, std::string message) {
        error_ = core::Error{code, std::move(message), {}, {}, {}};
        return false;
    }

    FrameLog& log_;
    FrameStream& stream_;
    std::optional<core::Error> error_;
    std::vector<std::string> path_;  // a name for each open object, [] for each array
    Column column_ = Column::none;
    std::uint64_t index_ = 0;
    FrameSpan run_;
    std::uint64_t times_ = 0;
    std::uint64_t runs_ = 0;
    bool has_frame_times_ = false;
};

}  // namespace

Result<ImportedCapture> import_json(std::istream& stream, const std::string& name) {
    FrameLog log;
    ISOTICK_TRY_ASSIGN(const auto frames, log.stream(""));
    CaptureJson capture(log, *frames);
    nlohmann::json::sax_parse(BoundedInput(stream), BoundedInput(), &capture);
    if (capture.error()) {
        return tl::unexpected(*capture.error());
    }
    if (!capture.has_frame_times()) {
        return core::fail(ErrorCode::damaged,
                          "is JSON without Runs[].CaptureData.MsBetweenPresents, so not of "
                          "CapFrameX");
    }
    return log.dominant().map([&](FrameStream* all) {
        const std::string runs = capture.runs() == 1 ? "" : ", " + counted(capture.runs(), "run");
        return log.finish(*all, name, "CapFrameX JSON" + runs);
    });
}

// The logs of MangoHud: `fps,frametime,…,elapsed`.

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

// One frame time to a line: `16.667ms`.

namespace {

using core::ErrorCode;
using core::Result;

struct Unit {
    std::string_view name;
    int decimals;
};

constexpr std::array kUnits{Unit{"ns", 0}, Unit{"us", 3}, Unit{"\xC2\xB5s", 3}, Unit{"ms", 6},
                            Unit{"s", 9}};
constexpr std::string_view kNumber = "+-.0123456789";

/// The line without its comment and the space around it; `indent` is what stood before.
std::string_view content(std::string_view line, std::size_t& indent) {
    line = line.substr(0, line.find('#'));
    indent = std::min(line.find_first_not_of(" \t\r"), line.size());
    line.remove_prefix(indent);
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

struct PlainFrame {
    std::string_view number;
    std::string_view unit;
};

PlainFrame split(std::string_view text) {
    const std::size_t end = std::min(text.find_first_not_of(kNumber), text.size());
    const std::size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
    return {text.substr(0, end), text.substr(unit)};
}

Result<std::int64_t> frame_time(std::string_view text, std::uint64_t line, std::size_t column) {
    const auto [number, unit_name] = split(text);
    const auto* const unit = std::ranges::find(kUnits, unit_name, &Unit::name);
    const std::size_t unit_column =
        column + static_cast<std::size_t>(unit_name.data() - text.data());
    if (unit == kUnits.end()) {
        return row_error(line, unit_column,
                         unit_name.empty()
                             ? "the unit is missing; write " + std::string(number) + "ms"
                             : "'" + std::string(unit_name.substr(0, 20)) +
                                   "' is not a unit; write ns, us, ms or s");
    }
    const core::Decimal decimal = core::scaled_decimal(number, unit->decimals);
    if (decimal.problem == core::DecimalProblem::not_a_number) {
        return row_error(line, column,
                         "'" + std::string(number.substr(0, 30)) + "' is not a number");
    }
    if (decimal.problem == core::DecimalProblem::negative) {
        return row_error(line, column, "the frame time is negative", ErrorCode::limit);
    }
    if (decimal.problem == core::DecimalProblem::too_large ||
        decimal.value > core::kLongestDuration) {
        return row_error(line, column, "the frame time is more than an hour", ErrorCode::limit);
    }
    return decimal.value;
}

/// The line that `lines` is at.
Result<void> take_text_line(const LineReader& lines, FrameLog& log, FrameStream& stream) {
    std::size_t indent = 0;
    const std::string_view text = content(lines.line(), indent);
    if (text.empty()) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto frame, frame_time(text, lines.number(), indent + 1));
    const auto added = log.add(stream, frame, std::nullopt);
    return added ? added
                 : row_error(lines.number(), indent + 1, added.error().message, added.error().code);
}

/// All lines. An error in the last line is forgiven where no LF ends it: it was cut off.
Result<void> take_all(LineReader& lines, FrameLog& log, FrameStream& stream) {
    for (;;) {
        if (auto taken = take_text_line(lines, log, stream); !taken) {
            if (taken.error().code != ErrorCode::damaged || !lines.is_open()) {
                return taken;
            }
            log.drop("the last line (" + taken.error().message + ")");
        }
        ISOTICK_TRY_ASSIGN(const auto more, lines.next());
        if (!more) {
            return {};
        }
    }
}

}  // namespace

bool is_plain_line(std::string_view line) {
    std::size_t indent = 0;
    const auto [number, unit] = split(content(line, indent));
    const bool is_word = unit.find_first_of(" ,()/%x\t") == std::string_view::npos;
    return !number.empty() && is_word && in_lower_case(unit) != "hz";
}

Result<ImportedCapture> import_plain_text(LineReader& lines, const std::string& name) {
    FrameLog log;
    ISOTICK_TRY_ASSIGN(const auto stream, log.stream(""));
    return take_all(lines, log, *stream)
        .and_then([&log] { return log.dominant(); })
        .map([&](FrameStream* frames) { return log.finish(*frames, name, "plain text"); });
}

std::string to_plain_text(const std::vector<std::int64_t>& ends) {
    std::string text;
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
        text += core::to_string(core::FrameTime{end - start}) + "\n";
        start = end;
    }
    return text;
}

// Tables with a row per frame that a game presented.

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
