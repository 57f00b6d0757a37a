#include "field_watch.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <fcntl.h>
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

namespace {

using core::ErrorCode;
using core::FieldPattern;
using core::Result;
using core::SelectedField;

// The values that a path leads to: all of them counted, a few kept.
struct Found {
    std::vector<SelectedField> few;
    core::FieldSelection selection;
};

Result<Found> find(std::span<const std::byte> fields, const FieldPattern& path) {
    constexpr std::size_t kFew = 4;
    Found found;
    const auto keep_few = [&](const SelectedField& field) {
        if (found.few.size() < kFew) {
            found.few.push_back(field);
        }
    };
    auto selection = core::select_fields(fields, path, keep_few);
    if (!selection) {
        return core::fail(ErrorCode::simulation, "what visit_fields wrote is not a field stream: " +
                                                     describe(selection.error()));
    }
    found.selection = *std::move(selection);
    return found;
}

// Why the path does not lead to one value; empty where it does, or where it leads nowhere.
std::string objection(const Found& found, const FieldPattern& path) {
    const std::uint64_t total = found.selection.total;
    if (total == 0) {
        return "";
    }
    const SelectedField& first = found.few.front();
    if (total == 1 && first.path == path.text()) {
        return first.empty ? "an empty " + first.type : "";
    }
    const std::uint64_t rest = total - found.few.size();
    return core::joined(found.few, ", ", &SelectedField::path) +
           (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

std::string json_string(const std::string& text) {
    std::string json;
    core::append_json_string(json, core::is_utf8(text) ? text : core::printable(text));
    return json;
}

}  // namespace

Result<FieldWatch> FieldWatch::open(const WatchRequest& request,
                                    const core::Simulation& simulation) {
    if (!simulation.has_fields()) {
        return core::fail(ErrorCode::usage, std::string(simulation.info().name) +
                                                " does not show its fields (ISOTICK_HAS_FIELDS)");
    }
    std::vector<Column> columns;
    for (const std::string& text : request.fields) {
        ISOTICK_TRY_ASSIGN(auto path, watched_path(text));
        columns.push_back({std::move(path)});
    }
    FileDescriptor file(::open(request.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (file.get() < 0) {
        return system_failure("the file for watched fields cannot be opened");
    }
    return FieldWatch(std::move(file), std::move(columns));
}

Result<void> FieldWatch::look(core::Simulation& simulation, core::Tick tick) {
    ISOTICK_TRY_ASSIGN(const auto fields, simulation.fields());
    std::string row = "[" + std::to_string(tick.value);
    bool written = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        Column& column = columns_[i];
        ISOTICK_TRY_ASSIGN(const auto found, find(fields, column.path));
        if (const std::string wrong = objection(found, column.path); !wrong.empty()) {
            return core::fail(ErrorCode::usage,
                              "'" + column.path.text() + "' is not one value after tick " +
                                  std::to_string(tick.value) + ", but " + wrong + "; name one");
        }
        const bool is_there = found.selection.total != 0;
        row += "," + (is_there ? json_string(found.few.front().value) : "null");
        if (!is_there && !std::exchange(column.was_missing, true)) {
            written = written &&
                      write_all(file_.get(), "{\"column\":" + std::to_string(i) + ",\"missing\":" +
                                                 json_string(found.selection.missing) + "}\n");
        }
    }
    written = written && write_all(file_.get(), row + "]\n");
    return written ? Result<void>() : system_failure("watched fields cannot be written");
}

core::Result<NanWatch> NanWatch::make() {
    return SharedFile::make().map([](SharedFile&& file) { return NanWatch(std::move(file)); });
}

std::string NanWatch::find(const TrialResult& result) const {
    const auto file = file_.read();
    if (!result.dumped || !file) {
        return "";
    }
    const auto dump = core::read_state_dump(file->bytes());
    const auto found = dump ? core::find_nan_field(dump->fields) : tl::unexpected(dump.error());
    return found ? found->value_or("") : "";
}

}  // namespace isotick::harness
