// The formats of captures: CapFrameX, MangoHud, PresentMon and OCAT, plain text.

#include "../system/rows.hpp"
#include "captures.hpp"

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>
#include <utility>
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

enum class JsonColumn { none, frames, times };

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
        has_frame_times_ = has_frame_times_ || column_ == JsonColumn::frames;
        return open("[]");
    }
    bool key(const std::string& name) {
        path_.back() = name.substr(0, kDeepest);
        return true;
    }
    bool end_array() {
        column_ = JsonColumn::none;
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

    [[nodiscard]] JsonColumn column_here() const {
        if (path_.size() != 4 || path_[0] != "Runs" || path_[1] != "[]" ||
            path_[2] != "CaptureData") {
            return JsonColumn::none;
        }
        return path_[3] == "MsBetweenPresents" ? JsonColumn::frames
               : path_[3] == "TimeInSeconds"   ? JsonColumn::times
                                               : JsonColumn::none;
    }

    bool number(const std::string& text) {
        if (column_ == JsonColumn::none) {
            return true;
        }
        const bool is_frame = column_ == JsonColumn::frames;
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
        return column_ == JsonColumn::none ||
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
    JsonColumn column_ = JsonColumn::none;
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

// One frame time to a line: `16.667ms`.

namespace {

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

/// Whether a line is a number, with a unit or not, and nothing else.
bool is_plain_line(std::string_view line) {
    std::size_t indent = 0;
    const auto [number, unit] = split(content(line, indent));
    const bool is_word = unit.find_first_of(" ,()/%x\t") == std::string_view::npos;
    return !number.empty() && is_word && in_lower_case(unit) != "hz";
}

/// The first line is already in `lines`.
Result<ImportedCapture> import_plain_text(LineReader& lines, const std::string& name) {
    FrameLog log;
    ISOTICK_TRY_ASSIGN(const auto stream, log.stream(""));
    return take_all(lines, log, *stream)
        .and_then([&log] { return log.dominant(); })
        .map([&](FrameStream* frames) { return log.finish(*frames, name, "plain text"); });
}

}  // namespace

std::string to_plain_text(const std::vector<std::int64_t>& ends) {
    std::string text;
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
        text += core::to_string(core::FrameTime{end - start}) + "\n";
        start = end;
    }
    return text;
}

// Tables with a row per frame. How the tools' tables differ is in kTools and kColumns.

namespace {

/// A tool, or some of its versions, by what its header has.
struct Tool {
    std::string_view name;
    std::string_view mark;                  ///< a column that must be there too; may be empty
    std::array<std::string_view, 2> frame;  ///< the frame time is the sum of these
    bool is_capital = false;                ///< the column of frame times is spelled with a capital
    bool may_be_microseconds = false;       ///< settle_unit decides; else they are milliseconds
};

/// Instead of a column: lines `//Key=Value` stand before the header.
constexpr std::string_view kInfoLines = "//";

/// The first that fits.
constexpr std::array kTools{
    Tool{.name = "MangoHud", .mark = "fps", .frame = {"frametime"}, .may_be_microseconds = true},
    Tool{.name = "CapFrameX", .mark = kInfoLines, .frame = {"msbetweenpresents"}},
    Tool{.name = "OCAT", .mark = "motherboard", .frame = {"msbetweenpresents"}},
    Tool{.name = "OCAT", .mark = "base driver version", .frame = {"msbetweenpresents"}},
    Tool{.name = "PresentMon 2.1 to 2.3.0", .mark = "cpubusy", .frame = {"frametime"}},
    Tool{.name = "PresentMon up to 1.3, or OCAT",
         .mark = "dropped",
         .frame = {"msbetweenpresents"},
         .is_capital = true},
    Tool{.name = "PresentMon 1.x", .mark = "dropped", .frame = {"msbetweenpresents"}},
    Tool{.name = "PresentMon 2.3.1+", .mark = "", .frame = {"msbetweenpresents"}},
    Tool{.name = "PresentMon 2.0", .mark = "", .frame = {"cpubusy", "cpuwait"}},
};

enum class Use {
    stream,  ///< what presented: application, process and swap chain together
    type,    ///< of the frame: only the application's count
    time,    ///< when the frame was; the first of these that the header has
};

struct Column {
    std::string_view name;
    Use use;
    int decimals = 0;  ///< of a nanosecond
};

constexpr int kMilliseconds = 6;
constexpr int kSeconds = 9;

/// Counters of unknown frequency (QPC) and dates are not used.
constexpr std::array kColumns{
    Column{"application", Use::stream},
    Column{"processid", Use::stream},
    Column{"swapchainaddress", Use::stream},
    Column{"frametype", Use::type},
    Column{"timeinseconds", Use::time, kSeconds},
    Column{"timeinms", Use::time, kMilliseconds},
    Column{"cpustarttime", Use::time, kMilliseconds},
    Column{"cpustartqpctime", Use::time, kMilliseconds},
    Column{"cpustarttimeinms", Use::time, kMilliseconds},
    Column{"cpustartqpctimeinms", Use::time, kMilliseconds},
    Column{"cpustarttimeinseconds", Use::time, kSeconds},
    Column{"elapsed", Use::time},
};

const Tool* tool_of(const Header& header, bool has_info) {
    const auto has = [&](std::string_view name) { return name.empty() || header.has(name); };
    const auto* const found = std::ranges::find_if(kTools, [&](const Tool& tool) {
        return (tool.mark == kInfoLines ? has_info : has(tool.mark)) &&
               std::ranges::all_of(tool.frame, has) &&
               (!tool.is_capital || header.spelling(*header.find(tool.frame[0])).starts_with('M'));
    });
    return found == kTools.end() ? nullptr : found;
}

/// Takes the rows of a table. `log` and `header` must outlive it.
class TableRows {
  public:
    TableRows(const Tool& tool, const Header& header, FrameLog& log)
        : tool_(tool), header_(header), log_(log) {
        for (const std::string_view name : tool.frame) {
            if (!name.empty()) {
                frame_.push_back(use(*header.find(name)));
            }
        }
        for (const Column& column : kColumns) {
            const auto at = header.find(column.name);
            if (!at || (column.use == Use::time && time_)) {
                continue;
            }
            switch (column.use) {
                case Use::stream:
                    names_.push_back(use(*at));
                    break;
                case Use::type:
                    type_ = use(*at);
                    break;
                case Use::time:
                    time_ = use(*at);
                    time_decimals_ = column.decimals;
            }
        }
    }

    /// How many fields a row must have.
    [[nodiscard]] std::size_t needed() const { return needed_; }
    /// How many rows were of frames that were not the application's.
    [[nodiscard]] std::uint64_t generated() const { return generated_; }
    [[nodiscard]] std::string time_column() const { return time_ ? header_.spelling(*time_) : ""; }

    Result<void> take(const Fields& fields, std::uint64_t line) {
        if (type_ && !is_word(fields[*type_], "application")) {
            ++generated_;
            return {};
        }
        ISOTICK_TRY_ASSIGN(const auto frame, frame_time(fields, line));
        std::optional<std::int64_t> time;
        if (frame) {
            ISOTICK_TRY_ASSIGN(time, timestamp(fields, line));
        }
        const auto stream = log_.stream(name(fields));
        if (!stream) {
            return row_error(line, 1, stream.error().message, stream.error().code);
        }
        if (!frame) {
            ++(*stream)->without_time;
            return {};
        }
        const auto added = log_.add(**stream, *frame, time);
        return added ? added
                     : row_error(line, fields.column(frame_.front()), added.error().message,
                                 added.error().code);
    }

  private:
    std::size_t use(std::size_t column) {
        needed_ = std::max(needed_, column + 1);
        return column;
    }

    // None where a value is missing.
    Result<std::optional<std::int64_t>> frame_time(const Fields& fields, std::uint64_t line) const {
        std::int64_t sum = 0;
        for (const std::size_t column : frame_) {
            if (is_missing(fields[column])) {
                return std::nullopt;
            }
            ISOTICK_TRY_ASSIGN(const auto part,
                               number_in(fields, column, header_, kMilliseconds, line));
            sum += part;
        }
        if (sum > core::kLongestDuration && !tool_.may_be_microseconds) {
            const std::size_t column = frame_.front();
            return row_error(line, fields.column(column),
                             header_.spelling(column) + " is more than an hour", ErrorCode::limit);
        }
        return sum;
    }

    // Dates are no numbers, and are not looked at. Where timestamps decide the unit, all must be
    // there: an empty one ends a line that was cut off.
    Result<std::optional<std::int64_t>> timestamp(const Fields& fields, std::uint64_t line) const {
        if (!time_ ||
            (!tool_.may_be_microseconds &&
             (is_missing(fields[*time_]) || fields[*time_].find(':') != std::string_view::npos))) {
            return std::nullopt;
        }
        ISOTICK_TRY_ASSIGN(const auto time,
                           number_in(fields, *time_, header_, time_decimals_, line));
        return time;
    }

    const std::string& name(const Fields& fields) {
        name_.clear();
        for (const std::size_t column : names_) {
            name_ += fields[column];
            name_ += '\n';
        }
        return name_;
    }

    const Tool& tool_;
    const Header& header_;
    FrameLog& log_;
    std::vector<std::size_t> frame_;  // columns, as the next three
    std::vector<std::size_t> names_;
    std::optional<std::size_t> type_;
    std::optional<std::size_t> time_;
    int time_decimals_ = 0;
    std::size_t needed_ = 0;
    std::string name_;
    std::uint64_t generated_ = 0;
};

/// Decides the unit of a log of MangoHud that was read as milliseconds. Up to 0.6.8 frame times
/// were whole microseconds, from 0.6.9 on milliseconds, which may be whole all the same; then
/// elapsed decides. Returns the format.
Result<std::string> settle_unit(FrameLog& log, FrameStream& stream) {
    constexpr std::int64_t kShare = 20;  // five percent: elapsed is when the line was made
    FrameSpan& span = stream.span;
    const bool has_fraction =
        std::ranges::any_of(stream.ends, [](std::int64_t end) { return end % 1'000'000 != 0; });
    const bool are_milliseconds = has_fraction || (span.has_times() && span.agrees(kShare));
    if (!are_milliseconds) {
        for (std::int64_t& end : stream.ends) {
            end /= 1000;
        }
        for (std::int64_t* time : {&span.length, &span.first_frame, &span.last_frame}) {
            *time /= 1000;
        }
    }
    if (span.has_times() && !span.agrees(kShare)) {
        return core::fail(
            ErrorCode::damaged,
            fmt::format("the frame times add up to {}, but elapsed says {}: the log was sampled "
                        "and does not hold every frame once; record it with log_interval=0",
                        clock_text(span.length), clock_text(span.between_times())));
    }
    if (!span.has_times()) {
        log.note("warning: only the decimals tell the unit, since elapsed is missing");
    }
    std::int64_t start = 0;
    for (const std::int64_t end : stream.ends) {
        if (end - start > core::kLongestDuration) {
            return core::fail(ErrorCode::limit, "frametime is more than an hour");
        }
        start = end;
    }
    return are_milliseconds ? "MangoHud 0.6.9+ (milliseconds)"
                            : "MangoHud up to 0.6.8 (microseconds)";
}

Result<ImportedCapture> import_rows(const Tool& tool, const Header& header, LineReader& lines,
                                    const std::string& name) {
    FrameLog log;
    TableRows rows(tool, header, log);
    const auto take = [&rows](const Fields& fields, std::uint64_t line) {
        return rows.take(fields, line);
    };
    ISOTICK_TRY_ASSIGN(const auto last, read_rows(lines, header, rows.needed(), take));
    ISOTICK_TRY_ASSIGN(const auto stream, log.dominant());
    if (rows.generated() > 0) {
        log.drop(counted_rows(rows.generated()) + " of generated frames");
    }
    if (last) {
        log.drop("the last line (" + *last + ")");
    }
    std::string format(tool.name);
    if (tool.may_be_microseconds) {
        ISOTICK_TRY_ASSIGN(format, settle_unit(log, *stream));
    } else {
        ISOTICK_TRY(check_span(stream->span, rows.time_column(), log));
    }
    return log.finish(*stream, name, format);
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

constexpr std::uint64_t kMostLinesBeforeHeader = 200;

}  // namespace

Result<std::optional<ImportedCapture>> import_lines(LineReader& lines, const std::string& name) {
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
        } else if (const Tool* tool = tool_of(header, has_info)) {
            return import_rows(*tool, header, lines, name);
        } else if (header.has("application") && header.has("processid")) {
            return row_error(lines.number(), 1,
                             "no column holds frame times (MsBetweenPresents, FrameTime, or "
                             "CPUBusy and CPUWait)");
        } else if (line.starts_with('#') || introduction.takes(line, header)) {
            continue;
        } else if (is_plain_line(line)) {
            return import_plain_text(lines, name);
        } else {
            return std::nullopt;
        }
    }
}

}  // namespace isotick::harness
