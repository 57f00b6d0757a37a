#pragma once
// Values of a field stream as text for people.

#include "field_cursor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isotick::core {

/// The value that comes next, which is skipped: `0.1`, `"ann"`, `hold (3)`, `1.5`, `{…}`, `412
/// elements`, `none`. Shortest text that reads back as the same float. Cut to about 60 characters;
/// of text and bytes those from `from` on are shown; `depth` is for its own use.
[[nodiscard]] std::string value_text(FieldCursor& cursor, std::uint64_t from = 0, int depth = 0);

/// The number of type `type` whose bytes are at `bytes`.
[[nodiscard]] std::string number_text(FieldToken type, const std::byte* bytes);

/// The fixed-point number whose integer's bytes are at `bytes`, exactly: `-171.382171630859375`.
[[nodiscard]] std::string fixed_text(FixedType type, const std::byte* bytes);

/// How far two integers of type `type` are from each other.
[[nodiscard]] std::uint64_t integers_between(FieldToken type, const std::byte* a,
                                             const std::byte* b);

/// Whether numbers of type `type` are floats.
[[nodiscard]] bool is_float(FieldToken type);

/// The bits of a float, `0x3dcccccd`.
[[nodiscard]] std::string bits_text(FieldToken type, const std::byte* bytes);

/// How many floats lie between two of type `type`; none if either is a NaN.
[[nodiscard]] std::optional<std::uint64_t> ulps_between(FieldToken type, const std::byte* a,
                                                        const std::byte* b);

/// A name as part of a path: printable, cut.
[[nodiscard]] std::string name_text(std::string_view text);

}  // namespace isotick::core
