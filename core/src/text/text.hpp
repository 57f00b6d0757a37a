#pragma once
// Numbers and foreign text, printable and exact.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace isotick::core {

// Numbers and fractions as people write them.

/// Reads `60` or `60000/1001`, in decimal and without anything around it; a denominator that is
/// left out is 1. None where it is something else or beyond 64 bits.
[[nodiscard]] inline std::optional<std::pair<std::uint64_t, std::uint64_t>> read_fraction(
    std::string_view text) {
    const auto read = [](std::string_view digits, std::uint64_t& value) {
        const auto end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, value);
        return error == std::errc() && stop == end;
    };
    const std::size_t slash = text.find('/');
    std::pair<std::uint64_t, std::uint64_t> terms{0, 1};
    const bool readable =
        read(text.substr(0, slash), terms.first) &&
        (slash == std::string_view::npos || read(text.substr(slash + 1), terms.second));
    return readable ? std::optional(terms) : std::nullopt;
}

}  // namespace isotick::core
