// LinkTrace::parse: packet-delivery traces as mahimahi's mm-link takes them, and tables of delays.

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/link_settings.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::int64_t kTraceMillisecond = 1'000'000;
constexpr std::int64_t kLongestTrace = kLongestNetwork;

std::string_view trimmed_line(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, last - first + 1);
}

/// Exactly.
std::string milliseconds_text(std::int64_t nanoseconds) {
    const std::string decimals = std::to_string(nanoseconds % kTraceMillisecond);
    return std::to_string(nanoseconds / kTraceMillisecond) + "." +
           std::string(6 - decimals.size(), '0') + decimals;
}

tl::unexpected<core::Error> line_error(std::size_t line, const std::string& problem) {
    return core::fail(ErrorCode::damaged, "line " + std::to_string(line) + ": expected " + problem);
}

/// The lines that are not empty, with their numbers, counted from 1.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text) {}

    /// None: there are no more.
    std::optional<std::string_view> next() {
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            const std::string_view line = trimmed_line(rest_.substr(0, end));
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            ++number_;
            if (!line.empty()) {
                return line;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::size_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
};

Result<void> take_delivery(std::string_view line, std::size_t number,
                           std::vector<std::int64_t>& deliveries) {
    constexpr std::int64_t kMost = kLongestTrace / kTraceMillisecond;
    std::int64_t milliseconds = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), milliseconds);
    if (error != std::errc() || end != line.data() + line.size() || milliseconds < 0 ||
        milliseconds > kMost) {
        return line_error(number, "whole milliseconds from 0 to 86400000");
    }
    if (!deliveries.empty() && milliseconds * kTraceMillisecond < deliveries.back()) {
        return line_error(number, "a time that is not before that of the line before");
    }
    if (deliveries.size() == LinkTrace::kMostRows) {
        return core::fail(ErrorCode::limit, "the trace has more than 4000000 lines");
    }
    deliveries.push_back(milliseconds * kTraceMillisecond);
    return {};
}

Result<std::vector<std::int64_t>> read_deliveries(std::string_view content) {
    std::vector<std::int64_t> deliveries;
    Lines lines(content);
    while (const auto line = lines.next()) {
        ISOTICK_TRY(take_delivery(*line, lines.number(), deliveries));
    }
    if (deliveries.back() == 0) {
        return line_error(lines.number(), "a trace that lasts at least 1 ms");
    }
    return deliveries;
}

struct Column {
    std::string_view name;
    int decimals;          ///< to nanoseconds, or tenths of a percent
    std::int64_t divisor;  ///< of that
};

constexpr std::array kTraceTimes{Column{"time_ms", 6, 1}, Column{"time_s", 9, 1}};
constexpr std::array kDelays{Column{"delay_ms", 6, 1}, Column{"rtt_ms", 6, 2}};
constexpr std::array kLosses{Column{"loss_percent", 1, 1}};

/// One of the columns, and where in a row it stands.
struct PlacedColumn {
    Column column;
    std::size_t index;
};

std::vector<std::string_view> cut(std::string_view line) {
    std::vector<std::string_view> fields;
    std::size_t start = 0;
    while (start <= line.size()) {
        const std::size_t end = std::min(line.find(',', start), line.size());
        fields.push_back(trimmed_line(line.substr(start, end - start)));
        start = end + 1;
    }
    return fields;
}

/// Reads the rows below a header.
class Table {
  public:
    Result<void> read_header(std::string_view line, std::size_t number) {
        const auto names = cut(line);
        time_ = find(names, kTraceTimes);
        delay_ = find(names, kDelays);
        loss_ = find(names, kLosses);
        columns_ = names.size();
        if (!time_ || !delay_) {
            return line_error(number,
                              "milliseconds, one per line, or the names of columns: time_ms or "
                              "time_s, delay_ms or rtt_ms, and perhaps loss_percent");
        }
        return {};
    }

    Result<void> read_row(std::string_view line, std::size_t number) {
        const auto fields = cut(line);
        if (fields.size() != columns_) {
            return line_error(number, std::to_string(columns_) + " fields");
        }
        if (rows_.size() == LinkTrace::kMostRows) {
            return core::fail(ErrorCode::limit, "the trace has more than 4000000 lines");
        }
        LinkTrace::Condition row;
        ISOTICK_TRY_ASSIGN(const auto time, read_time(fields[time_->index], number));
        first_ = rows_.empty() ? time : first_;
        row.from_ns = time - first_;
        if (!rows_.empty() && row.from_ns <= rows_.back().from_ns) {
            return line_error(number, "a time after that of the row before");
        }
        if (row.from_ns > kLongestTrace) {
            return line_error(number, "a trace of at most 86400 s");
        }
        ISOTICK_TRY(read_condition(fields, number, row));
        rows_.push_back(row);
        return {};
    }

    /// All rows but the last, which says when the trace ends.
    Result<std::vector<LinkTrace::Condition>> finish(std::size_t number, std::int64_t& length) {
        if (rows_.size() < 2) {
            return line_error(number, "at least two rows");
        }
        length = rows_.back().from_ns;
        rows_.pop_back();
        return std::move(rows_);
    }

  private:
    static constexpr std::int64_t kLatest = 9'000'000'000'000'000'000;  // in the year 2255

    template <std::size_t Size>
    static std::optional<PlacedColumn> find(const std::vector<std::string_view>& names,
                                            const std::array<Column, Size>& columns) {
        for (const Column& each : columns) {
            const auto found = std::ranges::find(names, each.name);
            if (found != names.end()) {
                return PlacedColumn{each, static_cast<std::size_t>(found - names.begin())};
            }
        }
        return std::nullopt;
    }

    /// Clock times count from 1970, which is more than scaled_decimal takes.
    [[nodiscard]] Result<std::int64_t> read_time(std::string_view text, std::size_t number) const {
        std::string_view rest = text;
        const auto digits = core::DecimalDigits::take(rest);
        const auto value = digits.scaled(time_->column.decimals);
        if (digits.size() == 0 || !rest.empty() || !value || *value >= kLatest) {
            return read_decimal(text, *time_, number, kLatest);  // with an exponent
        }
        const bool rounds_up = digits.digit_after(time_->column.decimals) >= 5;
        return static_cast<std::int64_t>(*value) + (rounds_up ? 1 : 0);
    }

    static Result<std::int64_t> read(const std::vector<std::string_view>& fields,
                                     const PlacedColumn& place, std::size_t number,
                                     std::int64_t most) {
        return read_decimal(fields[place.index], place, number, most);
    }

    static Result<std::int64_t> read_decimal(std::string_view text, const PlacedColumn& place,
                                             std::size_t number, std::int64_t most) {
        const auto read = core::scaled_decimal(text, place.column.decimals);
        const std::int64_t value = read.value / place.column.divisor;
        if (read.problem != core::DecimalProblem::none || value < 0 || value > most) {
            return line_error(number, "a number in the column " + std::string(place.column.name) +
                                          ", not negative and not too large");
        }
        return value;
    }

    /// A delay that is missing, as of a ping without an answer, is a loss.
    Result<void> read_condition(const std::vector<std::string_view>& fields, std::size_t number,
                                LinkTrace::Condition& row) const {
        if (fields[delay_->index].empty()) {
            row.loss_per_mille = 1000;
            return {};
        }
        ISOTICK_TRY_ASSIGN(row.delay_ns, read(fields, *delay_, number, kLongestDelay));
        if (loss_) {
            ISOTICK_TRY_ASSIGN(const auto loss, read(fields, *loss_, number, 1000));
            row.loss_per_mille = static_cast<std::uint32_t>(loss);
        }
        return {};
    }

    std::optional<PlacedColumn> time_;
    std::optional<PlacedColumn> delay_;
    std::optional<PlacedColumn> loss_;
    std::size_t columns_ = 0;
    std::int64_t first_ = 0;
    std::vector<LinkTrace::Condition> rows_;
};

Result<std::vector<LinkTrace::Condition>> read_conditions(std::string_view content,
                                                          std::int64_t& length) {
    Table table;
    Lines lines(content);
    const std::string_view header = lines.next().value_or("");
    ISOTICK_TRY(table.read_header(header, lines.number()));
    while (const auto line = lines.next()) {
        ISOTICK_TRY(table.read_row(*line, lines.number()));
    }
    return table.finish(lines.number(), length);
}

}  // namespace

Result<std::shared_ptr<const LinkTrace>> LinkTrace::parse(std::string_view content) {
    LinkTrace trace;
    const std::string_view first = Lines(content).next().value_or("");
    if (!first.empty() && first[0] >= '0' && first[0] <= '9') {
        ISOTICK_TRY_ASSIGN(trace.deliveries_ns_, read_deliveries(content));
        trace.length_ns_ = trace.deliveries_ns_.back();
    } else {
        ISOTICK_TRY_ASSIGN(trace.conditions_, read_conditions(content, trace.length_ns_));
    }
    return std::make_shared<const LinkTrace>(std::move(trace));
}

std::string LinkTrace::to_string() const {
    std::string text;
    for (const std::int64_t each : deliveries_ns_) {
        text += std::to_string(each / kTraceMillisecond) + "\n";
    }
    if (conditions_.empty()) {
        return text;
    }
    text = "time_ms,delay_ms,loss_percent\n";
    for (const Condition& each : conditions_) {
        text += milliseconds_text(each.from_ns) + "," + milliseconds_text(each.delay_ns) + "," +
                std::to_string(each.loss_per_mille / 10) + "." +
                std::to_string(each.loss_per_mille % 10) + "\n";
    }
    return text + milliseconds_text(length_ns_) + ",0,0\n";
}

}  // namespace isotick::harness
