#include "watch_file.hpp"

#include <isotick/core/detail/text/json.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::JsonValue;
using core::Result;

tl::unexpected<core::Error> unreadable(const std::string& why) {
    return core::fail(ErrorCode::damaged, "the watched fields cannot be read: " + why);
}

std::optional<UnseenField> missing_from(const JsonValue& line) {
    const JsonValue* const column = line.find("column");
    const JsonValue* const missing = line.find("missing");
    if (column == nullptr || missing == nullptr || !column->as_unsigned()) {
        return std::nullopt;
    }
    return UnseenField{static_cast<std::size_t>(*column->as_unsigned()), missing->text};
}

std::optional<WatchedTick> tick_from(const JsonValue& line) {
    if (line.kind != JsonValue::Kind::array || line.members.empty()) {
        return std::nullopt;
    }
    const auto number = line.members.front().value.as_unsigned();
    if (!number) {
        return std::nullopt;
    }
    WatchedTick tick{*number, {}};
    for (auto member = line.members.begin() + 1; member != line.members.end(); ++member) {
        const bool is_there = member->value.kind == JsonValue::Kind::string;
        if (!is_there && member->value.kind != JsonValue::Kind::null) {
            return std::nullopt;
        }
        tick.values.push_back(is_there ? std::optional(member->value.text) : std::nullopt);
    }
    return tick;
}

// Calls `take` for each whole line; one that a crash cut is left out.
template <class Take>
Result<void> for_each_line(std::string_view text, std::size_t most_values, const Take& take) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const auto line = core::parse_json(text.substr(0, end), {.values = most_values});
        if (!line) {
            return unreadable(describe(line.error()));
        }
        ISOTICK_TRY(take(*line));
        text.remove_prefix(end + 1);
    }
    return {};
}

}  // namespace

Result<core::FieldPattern> watched_path(std::string_view text) {
    auto path = core::FieldPattern::parse(text);
    if (path && path->has_wildcard()) {
        return core::fail(ErrorCode::usage,
                          "'" + path->text() + "' names many values; name one without [*]");
    }
    return path;
}

Result<WatchFile> WatchFile::make(std::vector<std::string> fields) {
    return SharedFile::make().map(
        [&](SharedFile&& file) { return WatchFile(std::move(file), std::move(fields)); });
}

Result<std::vector<UnseenField>> WatchFile::read(
    const std::function<Result<void>(const WatchedTick&)>& take) const {
    ISOTICK_TRY_ASSIGN(const auto file, file_.read());
    std::vector<bool> seen(fields_.size());
    std::vector<UnseenField> missing;
    const auto take_line = [&](const JsonValue& line) -> Result<void> {
        if (auto unseen = missing_from(line)) {
            missing.push_back(*std::move(unseen));
            return {};
        }
        const auto tick = tick_from(line);
        if (!tick) {
            return unreadable("a line is no tick");
        }
        for (std::size_t i = 0; i < std::min(seen.size(), tick->values.size()); ++i) {
            seen[i] = seen[i] || tick->values[i];
        }
        return take(*tick);
    };
    const auto bytes = file.bytes();
    constexpr std::size_t kOthers = 4;  // besides the fields: the line itself, its tick
    ISOTICK_TRY(for_each_line({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                              fields_.size() + kOthers, take_line));
    std::erase_if(missing, [&](const UnseenField& field) {
        return field.field >= seen.size() || seen[field.field];
    });
    return missing;
}

}  // namespace isotick::harness
