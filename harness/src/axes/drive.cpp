#include "axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/drive.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::string_view kBetween = " | ";

// A value may hold anything: a bar in it is written `\|`, and a backslash twice.
std::string escaped(std::string_view value) {
    std::string text;
    for (const char letter : value) {
        text += letter == '|' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
    }
    return text;
}

Result<std::string> unescaped(std::string_view text) {
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && ++i == text.size()) {
            return core::fail(ErrorCode::usage, "the line ends in a backslash");
        }
        value += text[i];
    }
    return value;
}

// Up to the next bar, which is taken with it.
std::string_view take_piece(std::string_view& text) {
    const std::size_t between = text.find(kBetween);
    const std::string_view piece = text.substr(0, between);
    text.remove_prefix(between == text.npos ? text.size() : between + kBetween.size());
    return piece;
}

Result<AxisValue> parse_axis_value(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) {
        return core::fail(ErrorCode::usage, "expected AXIS=VALUE, not '" + std::string(text) + "'");
    }
    ISOTICK_TRY_ASSIGN(auto value, unescaped(text.substr(equals + 1)));
    AxisValue read{std::string(text.substr(0, equals)), std::move(value)};
    ISOTICK_TRY(check_value(read));
    return read;
}

Result<void> add(std::string_view text, Drive& drive) {
    ISOTICK_TRY_ASSIGN(auto value, parse_axis_value(text));
    if (drive.varies(value.axis)) {
        return core::fail(ErrorCode::usage, value.axis + " appears twice");
    }
    drive.axes.push_back(std::move(value));
    return {};
}

}  // namespace

bool Drive::varies(std::string_view axis) const {
    return std::ranges::find(axes, axis, &AxisValue::axis) != axes.end();
}

std::string to_string(const AxisValue& value) {
    return value.axis + "=" + value.value;
}

std::string to_string(const Drive& drive) {
    std::string text = to_string(drive.loop) + std::string(kBetween) + drive.schedule.to_string();
    for (const AxisValue& value : drive.axes) {
        text += std::string(kBetween) + value.axis + "=" + escaped(value.value);
    }
    return text;
}

Result<Drive> parse_drive(std::string_view text, const core::FrameResolver& captures) {
    if (text.find(kBetween) == text.npos) {
        return core::fail(ErrorCode::usage, "expected a loop, ' | ' and a schedule");
    }
    Drive drive;
    ISOTICK_TRY_ASSIGN(drive.loop, core::parse_loop(take_piece(text)));
    ISOTICK_TRY_ASSIGN(drive.schedule, core::Schedule::parse(take_piece(text), captures));
    while (!text.empty()) {
        ISOTICK_TRY(add(take_piece(text), drive));
    }
    return drive;
}

Result<Drive> parse_drive_of_file(std::string_view text) {
    ISOTICK_TRY_ASSIGN(Drive drive, parse_drive(text));
    for (const AxisValue& value : drive.axes) {
        if (find_axis(value.axis)->users_alone) {
            return core::fail(ErrorCode::usage, "a file must not set " + value.axis +
                                                    "; if you trust it, pass --vary " +
                                                    to_string(value));
        }
    }
    return drive;
}

}  // namespace isotick::harness
