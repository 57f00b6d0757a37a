#pragma once
// What the options of loops are called and how each is written, read and checked: the one table
// behind Loop::make, parse_loop and to_string.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/core/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace isotick::core {

struct LoopParameter {
    std::string_view name;
    /// The value as it is written; empty where there is none.
    std::string (*text)(const LoopOptions&);
    /// Reads the value at the cursor.
    Result<void> (*read)(TextCursor&, LoopOptions&);
    /// What the value must be, where it is not.
    std::optional<std::string> (*problem)(const LoopOptions&);
};

/// All options, in the order in which they are printed.
[[nodiscard]] std::span<const LoopParameter> loop_parameters();

[[nodiscard]] bool is_default(const LoopParameter& parameter, const LoopOptions& options);

}  // namespace isotick::core
