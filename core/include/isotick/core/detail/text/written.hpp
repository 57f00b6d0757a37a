#pragma once
// Values as TextCursor reads them.

#include <isotick/core/detail/text/text_cursor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isotick::core {

/// `12.5%`.
[[nodiscard]] std::string share_text(std::uint32_t per_mille);

/// `16.667ms`: exactly, in the first of `units` that it reaches. `value`, in the smallest, must not
/// be zero.
[[nodiscard]] std::string quantity_text(std::uint64_t value, std::span<const Unit> units);

/// `"my run.csv"`, a path that TextCursor::read_path reads.
[[nodiscard]] std::string quoted(std::string_view path);

}  // namespace isotick::core
