#include "field_watch.hpp"

#include "watch_file.hpp"

#include <isotick/core/detail/text/json.hpp>
#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/detail/try.hpp>

#include <fcntl.h>
#include <utility>

namespace isotick::harness {
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
    std::string text;
    for (const SelectedField& field : found.few) {
        text += (text.empty() ? "" : ", ") + field.path;
    }
    const std::uint64_t rest = total - found.few.size();
    return text + (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
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

}  // namespace isotick::harness
