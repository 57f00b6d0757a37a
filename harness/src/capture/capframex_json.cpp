// CapFrameX's own files: {"Runs": [{"CaptureData": {"TimeInSeconds": […],
// "MsBetweenPresents": […], …}, …}, …], …}. Read as it comes; only the frames are kept.

#include "../report/rows.hpp"
#include "formats.hpp"

#include <isotick/core/detail/schedule/schedule_item.hpp>
#include <isotick/core/detail/text/decimal.hpp>
#include <isotick/core/detail/try.hpp>

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace isotick::harness {
namespace {

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

}  // namespace isotick::harness
