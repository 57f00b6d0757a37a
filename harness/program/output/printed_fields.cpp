#include "printed_fields.hpp"

#include <isotick/core/detail/fields/fields.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::SelectedField;

// Where values begin; few long paths do not push them all to the right.
std::size_t column_of_values(const PrintedState& state) {
    constexpr std::size_t kMost = 48;
    std::size_t column = 0;
    for (const PrintedPath& path : state.paths) {
        for (const SelectedField& field : path.fields) {
            if (field.path.size() <= kMost) {
                column = std::max(column, field.path.size());
            }
        }
    }
    return column;
}

}  // namespace

core::Result<PrintedState> look_up(std::span<const std::byte> dump,
                                   const std::vector<core::FieldPattern>& paths) {
    ISOTICK_TRY_ASSIGN(const auto state, core::read_state_dump(dump));
    PrintedState printed{state.head.tick, {}};
    for (const core::FieldPattern& path : paths) {
        PrintedPath& one = printed.paths.emplace_back(PrintedPath{path.text(), {}, {}});
        ISOTICK_TRY_ASSIGN(
            const auto selection,
            core::select_fields(state.fields, path, [&one](const SelectedField& field) {
                one.fields.push_back(field);
            }));
        one.missing = selection.missing;
    }
    return printed;
}

std::string printed_text(const PrintedState& state) {
    const std::size_t column = column_of_values(state);
    std::string text;
    for (const PrintedPath& path : state.paths) {
        for (const SelectedField& field : path.fields) {
            text += fmt::format("  {:<{}}  {}\n", field.path, column, value_of(field));
        }
    }
    if (text.empty()) {
        return text;
    }
    return (state.ticks_done == 0 ? std::string("\ninitial state\n")
                                  : "\nafter " + harness::describe_state(state.ticks_done) + "\n") +
           text;
}

}  // namespace isotick::program
