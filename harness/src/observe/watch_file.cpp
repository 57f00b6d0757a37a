#include "watch_file.hpp"

#include "../json/json.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

WatchedTick tick_from(const Json& row) {
    WatchedTick tick{row.at(0).get<std::uint64_t>(), {}};
    for (auto value = row.begin() + 1; value != row.end(); ++value) {
        tick.values.push_back(value->is_null() ? std::optional<std::string>()
                                               : value->get<std::string>());
    }
    return tick;
}

// Calls `take` for each whole line; one that a crash cut is left out.
template <class Take>
Result<void> for_each_line(std::string_view text, const Take& take) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        ISOTICK_TRY(take(Json::parse(text.substr(0, end))));
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
    const auto take_line = [&](const Json& line) -> Result<void> {
        if (line.is_object()) {
            missing.push_back(
                {line.at("column").get<std::size_t>(), line.at("missing").get<std::string>()});
            return {};
        }
        const WatchedTick tick = tick_from(line);
        for (std::size_t i = 0; i < std::min(seen.size(), tick.values.size()); ++i) {
            seen[i] = seen[i] || tick.values[i];
        }
        return take(tick);
    };
    const auto bytes = file.bytes();
    try {
        ISOTICK_TRY(
            for_each_line({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, take_line));
    } catch (const std::exception& thrown) {
        return core::fail(ErrorCode::damaged,
                          std::string("the watched fields cannot be read: ") + thrown.what());
    }
    std::erase_if(missing, [&](const UnseenField& field) {
        return field.field >= seen.size() || seen[field.field];
    });
    return missing;
}

}  // namespace isotick::harness
