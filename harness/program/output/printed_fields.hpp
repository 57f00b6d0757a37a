#pragma once
// The fields of one state that the user wants to see.

#include <isotick/core/detail/fields/field_selection.hpp>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isotick::program {

/// What one path led to.
struct PrintedPath {
    std::string path;  ///< as the user gave it
    std::vector<core::SelectedField> fields;
    std::string missing;  ///< where there are none: why
};

/// What several paths led to in a state.
struct PrintedState {
    std::uint64_t ticks_done = 0;
    std::vector<PrintedPath> paths;
};

/// Looks through a state dump, which may be damaged.
[[nodiscard]] core::Result<PrintedState> look_up(std::span<const std::byte> dump,
                                                 const std::vector<core::FieldPattern>& paths);

/// A heading, then one line per field; empty where no path led to any.
[[nodiscard]] std::string printed_text(const PrintedState& state);

}  // namespace isotick::program
