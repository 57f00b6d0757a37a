#pragma once
// Fields named by the user, for whatever index and key: `units[*].health`.

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::bisect {

/// The kinds that a list such as `units[3].health, players` names, each `[…]` made `[*]`. Fails
/// with `usage` where a piece is no path.
[[nodiscard]] core::Result<std::vector<std::string>> parse_field_names(std::string_view list);

/// Whether `kind` is `name` or lies below it: `units[*].velocity.x` below `units[*].velocity`.
[[nodiscard]] bool lies_in(std::string_view kind, std::string_view name);

/// The pieces between the commas of `list` that stand in no brackets, without blanks around them.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view list);

}  // namespace isotick::harness::bisect
