// parse_loop and to_string: `ranged(least=5ms, most=20ms)`.

#include "parameters.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>

namespace isotick::core {
namespace {

constexpr std::size_t kMostTextBytes = 4096;

/// Words joined by hyphens: `semi-fixed`.
std::string read_name(TextCursor& cursor) {
    std::string name(cursor.read_word());
    while (!name.empty() && cursor.peek() == '-' && cursor.take('-')) {
        name += "-" + std::string(cursor.read_word());
    }
    return name;
}

std::string joined(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view each : names) {
        text += (text.empty() ? "" : ", ") + std::string(each);
    }
    return text;
}

std::string loop_names() {
    std::string text;
    for (const LoopInfo& each : loops()) {
        text += (text.empty() ? "" : ", ") + std::string(each.name);
    }
    return text;
}

Result<const LoopInfo*> read_kind(TextCursor& cursor) {
    const std::size_t start = cursor.position();
    const std::string name = read_name(cursor);
    const auto found = std::ranges::find(loops(), name, &LoopInfo::name);
    if (found == loops().end()) {
        cursor.go_back_to(start);
        return cursor.expected("a loop (" + loop_names() + ")");
    }
    return &*found;
}

/// The option whose name comes next, if the loop has it.
Result<const LoopParameter*> read_parameter(TextCursor& cursor, const LoopInfo& info) {
    const std::size_t start = cursor.position();
    const std::string name = read_name(cursor);
    if (std::ranges::find(info.options, name) == info.options.end()) {
        cursor.go_back_to(start);
        return cursor.expected(info.options.empty()
                                   ? "')', for " + std::string(info.name) + " has no options"
                                   : "an option of " + std::string(info.name) + " (" +
                                         joined(info.options) + ")");
    }
    return &*std::ranges::find(loop_parameters(), name, &LoopParameter::name);
}

Result<void> read_value(TextCursor& cursor, const LoopParameter& parameter, LoopOptions& options) {
    ISOTICK_TRY(cursor.expect('='));
    const std::size_t value = cursor.position();
    ISOTICK_TRY(parameter.read(cursor, options));
    if (const auto problem = parameter.problem(options)) {
        return TextCursor::error_at(value, "expected " + *problem);
    }
    return {};
}

/// `(name=value, …)`, after the opening bracket.
Result<void> read_options(TextCursor& cursor, const LoopInfo& info, LoopOptions& options) {
    std::vector<const LoopParameter*> seen;
    while (!cursor.take(')')) {
        if (!seen.empty() && !cursor.take(',')) {
            return cursor.expected("',' or ')'");
        }
        const std::size_t start = cursor.position();
        ISOTICK_TRY_ASSIGN(const auto parameter, read_parameter(cursor, info));
        if (std::ranges::find(seen, parameter) != seen.end()) {
            return TextCursor::error_at(start, "expected each option once");
        }
        seen.push_back(parameter);
        ISOTICK_TRY(read_value(cursor, *parameter, options));
    }
    return {};
}

}  // namespace

Result<LoopOptions> parse_loop(std::string_view text) {
    if (text.size() > kMostTextBytes) {
        return TextCursor::error_at(kMostTextBytes, "expected at most 4096 bytes of text");
    }
    TextCursor cursor(text);
    ISOTICK_TRY_ASSIGN(const auto info, read_kind(cursor));
    LoopOptions options;
    options.kind = info->kind;
    if (cursor.take('(')) {
        ISOTICK_TRY(read_options(cursor, *info, options));
    }
    if (!cursor.at_end()) {
        return cursor.expected("the end");
    }
    return options;
}

std::string to_string(const LoopOptions& options) {
    std::string text;
    for (const LoopParameter& each : loop_parameters()) {
        if (!is_default(each, options)) {
            text += (text.empty() ? "(" : ", ") + std::string(each.name) + "=" + each.text(options);
        }
    }
    return std::string(info_of(options.kind).name) + text + (text.empty() ? "" : ")");
}

}  // namespace isotick::core
