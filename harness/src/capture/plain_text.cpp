// One frame time to a line: `16.667ms`.

#include "formats.hpp"

#include <isotick/core/detail/text/decimal.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace isotick::harness {
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

}  // namespace isotick::harness
